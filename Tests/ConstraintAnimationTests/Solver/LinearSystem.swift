import Measurement
import TestKit

@testable import ConstraintAnimation

/// A system written down apart from any solver, to be built, edited, and judged.
struct LinearSystem {
  struct Constraint {
    var terms: [(variable: Int, coefficient: Double)]
    var relation: SolverRelation
    var constant: Double
    var priority: Int

    /// The left side minus the right.
    func gap(_ values: [Double]) -> Double {
      terms.reduce(-constant) { $0 + $1.coefficient * values[$1.variable] }
    }

    func error(_ values: [Double]) -> Double {
      let gap = gap(values)
      return switch relation {
      case .equal: abs(gap)
      case .lessThanOrEqual: max(0, gap)
      case .greaterThanOrEqual: max(0, -gap)
      }
    }
  }

  var variableCount: Int
  var constraints: [Constraint]

  /// The sum of errors at each priority, the highest first.
  func errors(_ values: [Double]) -> [(priority: Int, sum: Double)] {
    var sums: [Int: Double] = [:]
    for constraint in constraints { sums[constraint.priority, default: 0] += constraint.error(values) }
    return sums.sorted { $0.key > $1.key }.map { (priority: $0.key, sum: $0.value) }
  }

  /// The sums as far as they can be told apart, to compare two solutions: nil if they are as good as one another.
  func firstDifference(_ one: [Double], _ other: [Double], tolerance: Double = 1e-6) -> String? {
    for (left, right) in zip(errors(one), errors(other)) where abs(left.sum - right.sum) > tolerance {
      return "at priority \(left.priority) the errors are \(left.sum) and \(right.sum)"
    }
    return nil
  }
}

extension LinearSystem {
  /// A system with a solution that meets all required constraints; the others pull in all directions.
  static func random(
    variables: Int, constraints count: Int, using random: inout SeededGenerator,
    priorities: [Int] = [1000, 750, 500, 250]
  ) -> LinearSystem {
    let point = (0..<variables).map { _ in Double(Int.random(in: -40...40, using: &random)) / 2 }
    let constraints = (0..<count).map { _ in
      randomConstraint(near: point, using: &random, priority: random.pick(priorities))
    }
    return LinearSystem(variableCount: variables, constraints: constraints)
  }

  /// A system whose numbers are not nice: factors of many digits and coordinates in the thousands.
  static func rough(variables: Int, constraints count: Int, using random: inout SeededGenerator)
    -> LinearSystem
  {
    let point = (0..<variables).map { _ in Double.random(in: -5000...5000, using: &random) }
    let constraints = (0..<count).map { _ in
      var constraint = randomConstraint(
        near: point, using: &random, priority: random.pick([1000, 900, 500, 100]))
      for index in constraint.terms.indices {
        constraint.terms[index].coefficient *= Double.random(in: 0.05...3, using: &random)
      }
      let shift = constraint.priority == 1000 ? 0 : Double.random(in: -2000...2000, using: &random)
      constraint.constant = 0
      constraint.constant = constraint.gap(point) + shift
      return constraint
    }
    return LinearSystem(variableCount: variables, constraints: constraints)
  }

  /// A system whose factors lie between 0.01 and 100 in one constraint, with few digits so that exact arithmetic stays
  /// quick.
  static func uneven(variables: Int, constraints count: Int, using random: inout SeededGenerator)
    -> LinearSystem
  {
    let point = (0..<variables).map { _ in Double(Int.random(in: -400...400, using: &random)) / 4 }
    let constraints = (0..<count).map { _ in
      let places = point.indices.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
      let terms = places.map { place in
        let digits = 1 + Double(Int.random(in: 0..<8, using: &random)) / 8
        let scale = Double(sign: .plus, exponent: Int.random(in: -7...6, using: &random), significand: 1)
        return (variable: place, coefficient: random.chance(50) ? digits * scale : -digits * scale)
      }
      var constraint = Constraint(
        terms: terms, relation: random.pick([.equal, .lessThanOrEqual, .greaterThanOrEqual]), constant: 0,
        priority: random.pick([1000, 750, 500, 250]))
      let room = Double(Int.random(in: 0...8, using: &random))
      let shift =
        switch (constraint.priority, constraint.relation) {
        case (1000, .equal): 0.0
        case (1000, .lessThanOrEqual): room
        case (1000, .greaterThanOrEqual): -room
        default: Double(Int.random(in: -20...20, using: &random))
        }
      constraint.constant = constraint.gap(point) + shift
      return constraint
    }
    return LinearSystem(variableCount: variables, constraints: constraints)
  }

  /// A constraint of a layout's kind: an edge, a distance between two, or a sum of some; a required one holds at
  /// `point`.
  static func randomConstraint(
    near point: [Double], using random: inout SeededGenerator, priority: Int
  ) -> Constraint {
    var terms: [(variable: Int, coefficient: Double)] = []
    let places = point.indices.shuffled(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: terms = [(places[0], 1)]
    case 3..<7 where places.count > 1: terms = [(places[0], 1), (places[1], -1)]
    default:
      for place in places.prefix(Int.random(in: 1...4, using: &random)) {
        terms.append((place, random.pick([1, -1, 2, 0.5, -0.25, 3, -1.5])))
      }
    }
    let relation = random.pick([SolverRelation.equal, .lessThanOrEqual, .greaterThanOrEqual])
    var constraint = Constraint(terms: terms, relation: relation, constant: 0, priority: priority)
    let level = constraint.gap(point)
    if priority == 1000 {
      let room = Double(Int.random(in: 0...8, using: &random))
      constraint.constant =
        switch relation {
        case .equal: level
        case .lessThanOrEqual: level + room
        case .greaterThanOrEqual: level - room
        }
    } else {
      constraint.constant = level + Double(Int.random(in: -20...20, using: &random))
    }
    return constraint
  }
}
