import ConstraintAnimation
import Foundation

/// One benchmark system, as the text files beside the driver describe it:
///
///     vars COUNT
///     edits COUNT, then for each:  e VARIABLE STRENGTH FIRST
///     cons COUNT, then for each:   c STRENGTH RELATION CONSTANT COUNT  and so many times  COEFFICIENT VARIABLE
///     anim EDIT EDIT
///     size EDIT EDIT
///
/// A constraint stands for `sum(coefficient * variable) + CONSTANT RELATION 0`, a relation is `=`, `<` (at most) or `>`
/// (at least), and strengths are Kiwi's numbers, required being 1001001000. An edit is an equality between a variable
/// and a value that keeps changing.
struct Workload {
  struct Edit {
    var variable: Int
    var strength: Double
    var first: Double
  }

  struct Constraint {
    var strength: Double
    var relation: SolverRelation
    var constant: Double
    var terms: [(coefficient: Double, variable: Int)]
  }

  struct Malformed: Error {
    var path: String
  }

  var variableCount: Int
  var edits: [Edit]
  var constraints: [Constraint]
  var slide: (Int, Int)
  var size: (Int, Int)

  init(path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var words = text.split(whereSeparator: \.isWhitespace).makeIterator()
    func skip() throws { guard words.next() != nil else { throw Malformed(path: path) } }
    func number() throws -> Double {
      guard let word = words.next(), let value = Double(word) else { throw Malformed(path: path) }
      return value
    }
    func integer() throws -> Int { Int(try number()) }
    try skip()
    variableCount = try integer()
    try skip()
    edits = try (0..<integer()).map { _ in
      try skip()
      return Edit(variable: try integer(), strength: try number(), first: try number())
    }
    try skip()
    constraints = try (0..<integer()).map { _ in
      try skip()
      let strength = try number()
      let relation: SolverRelation
      switch words.next() {
      case "=": relation = .equal
      case "<": relation = .lessThanOrEqual
      case ">": relation = .greaterThanOrEqual
      default: throw Malformed(path: path)
      }
      let constant = try number()
      let terms = try (0..<integer()).map { _ in (coefficient: try number(), variable: try integer()) }
      return Constraint(strength: strength, relation: relation, constant: constant, terms: terms)
    }
    try skip()
    slide = (try integer(), try integer())
    try skip()
    size = (try integer(), try integer())
  }

  /// Priorities in the order of the strengths that occur: required is 1000, the next 999, and so on.
  func priorities() -> [Double: Int] {
    let required = 1_001_001_000.0
    let strengths = Set(edits.map(\.strength) + constraints.map(\.strength)).filter { $0 < required }
    var result: [Double: Int] = [:]
    for (index, strength) in strengths.sorted(by: >).enumerated() { result[strength] = 999 - index }
    for constraint in constraints where constraint.strength >= required { result[constraint.strength] = 1000 }
    return result
  }
}
