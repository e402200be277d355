import Measurement
import TestKit
import Testing

@testable import ConstraintAnimation

/// However a system came about, its solution is as good as that of the same system built at once.
@Suite struct EditSequenceTests {
  @Test func editsEqualARebuild() throws {
    let sequences = TestScale.count(10_000)
    var refused = 0
    for seed in 0..<UInt64(sequences) {
      var random = SeededGenerator(seed: seed)
      let variables = Int.random(in: 2...5, using: &random)
      var built = try BuiltSystem(
        .random(variables: variables, constraints: Int.random(in: 2...7, using: &random), using: &random))
      try built.solver.solve()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let before = (system: built.system, names: built.names)
        for _ in 0..<Int.random(in: 1...3, using: &random) { try edit(&built, using: &random) }
        do throws(SolverError) {
          try built.solve(orReturnTo: before)
        } catch {
          #expect(error.code == .unsatisfiable, "seed \(seed)")
          refused += 1
        }
        let values = built.values
        let required =
          built.system.constraints.filter { $0.priority == 1000 }.map { $0.error(values) }.max() ?? 0
        #expect(required < 1e-6, "seed \(seed): a required constraint is off by \(required)")
      }
      if let difference = built.system.firstDifference(built.values, try built.rebuilt()) {
        Issue.record("seed \(seed): edited and rebuilt differ: \(difference)")
        return
      }
    }
    #expect(refused > 0, "no sequence met a contradiction, so the way back was not tried")
  }

  /// The same on systems as large as a screen's, with fewer of them.
  @Test func longEditSequencesEqualARebuild() throws {
    for seed in 0..<UInt64(TestScale.count(40)) {
      var random = SeededGenerator(seed: seed &+ 77_000)
      var built = try BuiltSystem(.random(variables: 30, constraints: 70, using: &random))
      try built.solver.solve()
      for _ in 0..<60 {
        let before = (system: built.system, names: built.names)
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(&built, using: &random) }
        try? built.solve(orReturnTo: before)
      }
      if let difference = built.system.firstDifference(built.values, try built.rebuilt()) {
        Issue.record("seed \(seed): edited and rebuilt differ: \(difference)")
        return
      }
    }
  }

  /// And with numbers that do not cancel to the last bit.
  @Test func roughEditSequencesEqualARebuild() throws {
    for seed in 0..<UInt64(TestScale.count(100)) {
      var random = SeededGenerator(seed: seed &+ 123_000)
      var built = try BuiltSystem(.rough(variables: 10, constraints: 26, using: &random))
      try built.solver.solve()
      for _ in 0..<60 {
        let before = (system: built.system, names: built.names)
        let index = Int.random(in: 0..<built.names.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try built.setPriority(at: index, random.pick([1000, 900, 500, 100]))
        case 1:
          let constraint = built.system.constraints[index]
          built.remove(at: index)
          try? built.solver.solve()
          try built.add(constraint)
        default:
          let constant = built.system.constraints[index].constant
          built.setConstant(at: index, constant + Double.random(in: -500...500, using: &random))
        }
        try? built.solve(orReturnTo: before)
      }
      let difference = built.system.firstDifference(built.values, try built.rebuilt(), tolerance: 1e-5)
      #expect(difference == nil, "seed \(seed)")
    }
  }

  /// Making the tableau afresh from the constraints changes nothing but the rounding.
  @Test func aTableauMadeAfreshIsTheSame() throws {
    for seed in 0..<UInt64(TestScale.count(100)) {
      var random = SeededGenerator(seed: seed &+ 88_000)
      var built = try BuiltSystem(.random(variables: 12, constraints: 30, using: &random))
      try built.solver.solve()
      for _ in 0..<8 {
        let before = (system: built.system, names: built.names)
        try edit(&built, using: &random)
        try? built.solve(orReturnTo: before)
        let values = built.values
        built.solver.tableau.verification.isDue = true
        built.setConstant(at: 0, built.system.constraints[0].constant + 1)
        built.setConstant(at: 0, built.system.constraints[0].constant - 1)
        try built.solver.solve()
        let isDue = built.solver.tableau.verification.isDue
        #expect(!isDue, "the tableau was not made afresh")
        for (now, then) in zip(built.values, values) { #expect(abs(now - then) < 1e-7, "seed \(seed)") }
        let linked = built.solver.isLinkedThroughout
        #expect(linked)
      }
      #expect(built.system.firstDifference(built.values, try built.rebuilt()) == nil, "seed \(seed)")
    }
  }

  private func edit(_ built: inout BuiltSystem, using random: inout SeededGenerator) throws {
    let count = built.names.count
    let priorities = [1000, 750, 500, 250, 333]
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5 where count > 0:
      let index = Int.random(in: 0..<count, using: &random)
      let constant = built.system.constraints[index].constant
      built.setConstant(at: index, constant + Double(Int.random(in: -12...12, using: &random)))
    case 5..<7 where count > 0:
      try built.setPriority(at: Int.random(in: 0..<count, using: &random), random.pick(priorities))
    case 7..<8 where count > 1:
      built.remove(at: Int.random(in: 0..<count, using: &random))
    default:
      let point = (0..<built.system.variableCount).map { _ in
        Double(Int.random(in: -40...40, using: &random)) / 2
      }
      try built.add(
        LinearSystem.randomConstraint(near: point, using: &random, priority: random.pick(priorities)))
    }
  }
}
