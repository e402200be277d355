import Measurement
import TestKit
import TestTraits
import Testing

@testable import ConstraintAnimation

/// Random systems against a linear program solved level by level and against Kiwi.
@Suite(.ownThread, .enabled(if: Oracle.isExpected, "python3 with scipy and kiwisolver is not installed"))
struct OracleTests {
  @Test func smallSystemsAreSolvedAsWellAsALinearProgram() throws {
    try judge(count: TestScale.count(300), seed: 1) { random in
      let variables = Int.random(in: 1...6, using: &random)
      return .random(
        variables: variables, constraints: Int.random(in: 1...14, using: &random), using: &random)
    }
  }

  @Test func systemsWithManyPrioritiesAreSolvedAsWellAsALinearProgram() throws {
    try judge(count: TestScale.count(60), seed: 2) { random in
      .random(
        variables: 6, constraints: 14, using: &random, priorities: [1000, 999, 800, 751, 750, 500, 2, 1])
    }
  }

  @Test func systemsWithRoughNumbersAreSolvedAsWellAsALinearProgram() throws {
    try judge(count: TestScale.count(100), seed: 4) { random in
      .rough(variables: 8, constraints: 20, using: &random)
    }
  }

  @Test func largeSystemsAreSolvedAsWellAsALinearProgram() throws {
    try judge(count: TestScale.count(15), seed: 3) { random in
      .random(variables: 40, constraints: 110, using: &random)
    }
  }

  /// The benchmark's layouts, resized and slid, so that its figures are known to be those of right answers.
  @Test func workloadsAreSolvedAsWellAsALinearProgram() throws {
    var solved: [(system: LinearSystem, values: [Double])] = []
    for name in ["enaml", "grid160", "grid360", "ratatui14"] {
      let file = try WorkloadFile(name)
      var built = try BuiltSystem(file.system)
      try built.solver.solve()
      solved.append((built.system, built.values))
      built.setConstant(at: file.slide.0, 37)
      built.setConstant(at: file.slide.1, 37)
      built.setConstant(at: file.size.0, 61)
      built.setConstant(at: file.size.1, 17)
      try built.solver.solve()
      solved.append((built.system, built.values))
    }
    let verdict = try Oracle.judge(solved)
    #expect(verdict.passed, "\(verdict.report)")
  }

  /// The solutions judged are those at the end of a walk, not of a fresh build.
  @Test func editedSystemsAreSolvedAsWellAsALinearProgram() throws {
    var solved: [(system: LinearSystem, values: [Double])] = []
    for seed in 0..<UInt64(TestScale.count(150)) {
      var random = SeededGenerator(seed: seed &+ 4_000_000)
      var built = try BuiltSystem(.random(variables: 5, constraints: 12, using: &random))
      try built.solver.solve()
      for _ in 0..<20 {
        let before = (system: built.system, names: built.names)
        let index = Int.random(in: 0..<built.names.count, using: &random)
        if random.chance(60) {
          built.setConstant(at: index, Double(Int.random(in: -30...30, using: &random)))
        } else {
          try built.setPriority(at: index, random.pick([1000, 750, 500, 250]))
        }
        try? built.solve(orReturnTo: before)
      }
      solved.append((built.system, built.values))
    }
    let verdict = try Oracle.judge(solved)
    #expect(verdict.passed, "\(verdict.report)")
  }

  private func judge(
    count: Int, seed: UInt64, _ make: (inout SeededGenerator) -> LinearSystem
  ) throws {
    var random = SeededGenerator(seed: seed &* 1_000_003)
    var solved: [(system: LinearSystem, values: [Double])] = []
    for _ in 0..<count {
      let system = make(&random)
      var built = try BuiltSystem(system)
      try built.solver.solve()
      solved.append((system, built.values))
    }
    let verdict = try Oracle.judge(solved)
    #expect(verdict.passed, "\(verdict.report)")
  }
}
