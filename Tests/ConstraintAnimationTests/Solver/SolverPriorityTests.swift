import Measurement
import TestKit
import Testing

@testable import ConstraintAnimation

@Suite struct SolverPriorityTests {
  /// Flipping priorities to and fro neither drifts nor grows.
  @Test func tenThousandFlipsLeaveTheSystemAsItWas() throws {
    var random = SeededGenerator(seed: 5)
    var built = try BuiltSystem(
      .random(variables: 10, constraints: 26, using: &random, priorities: [1000, 750, 250]))
    // A wish of its own for each variable makes the optimum the only one.
    for variable in 0..<10 {
      try built.add(.init(terms: [(variable, 1)], relation: .equal, constant: 3, priority: 20 + variable))
    }
    try built.solver.solve()
    let start = built.values
    let original = built.system
    var footprint = 0
    let flips = TestScale.count(10_000)
    for flip in 0..<flips {
      let index = Int.random(in: 0..<26, using: &random)
      let before = (system: built.system, names: built.names)
      try built.setPriority(at: index, random.pick([250, 750, 1000]))
      try? built.solve(orReturnTo: before)
      if flip == flips / 4 { footprint = built.solver.footprint }
    }
    #expect(built.solver.tableau.largestResidual() < 1e-9)
    #expect(built.solver.footprint <= footprint * 5 / 4, "rows may still grow a little, but not for ever")
    for index in original.constraints.indices.sorted(by: {
      original.constraints[$0].priority < original.constraints[$1].priority
    }) {
      try built.setPriority(at: index, original.constraints[index].priority)
    }
    try built.solver.solve()
    for (now, then) in zip(built.values, start) { #expect(abs(now - then) < 1e-9) }
  }

  /// Where there is only one optimum, the order of insertion does not matter.
  @Test func insertionOrderDoesNotMatter() throws {
    for seed in 0..<UInt64(TestScale.count(10)) {
      var random = SeededGenerator(seed: seed &+ 600)
      var system = LinearSystem.random(variables: 6, constraints: 14, using: &random)
      for variable in 0..<6 {
        system.constraints.append(
          .init(terms: [(variable, 1)], relation: .equal, constant: 1, priority: 10 + variable))
      }
      var first = try BuiltSystem(system)
      try first.solver.solve()
      for _ in 0..<100 {
        system.constraints.shuffle(using: &random)
        var shuffled = try BuiltSystem(system)
        try shuffled.solver.solve()
        for (one, other) in zip(first.values, shuffled.values) {
          #expect(abs(one - other) < 1e-7, "seed \(seed)")
        }
      }
    }
  }

  /// The same calls give the same bits, wherever memory happens to lie.
  @Test func theSameCallsGiveTheSameBits() throws {
    func walk() throws -> [UInt64] {
      var random = SeededGenerator(seed: 99)
      var built = try BuiltSystem(.random(variables: 20, constraints: 50, using: &random))
      try built.solver.solve()
      for _ in 0..<200 {
        let before = (system: built.system, names: built.names)
        let index = Int.random(in: 0..<built.names.count, using: &random)
        built.setConstant(at: index, Double(Int.random(in: -30...30, using: &random)))
        try? built.solve(orReturnTo: before)
      }
      return built.solver.state
    }
    let first = try walk()
    var ballast: [[UInt8]] = []
    for size in 1...20 {
      ballast.append(Array(repeating: 0, count: size * 777))
      let again = try walk()
      #expect(again == first)
    }
  }
}
