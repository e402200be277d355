import Measurement
import TestKit
import Testing

@testable import ConstraintAnimation

/// Contradictions: found only if they last to the end of the batch, named, and taken back whole.
@Suite struct ConflictTests {
  @Test func leadingAndTrailingMoveTogether() throws {
    var solver = SimplexSolver()
    let (left, right, width) = (solver.makeVariable(), solver.makeVariable(), solver.makeVariable())
    try solver.add([SolverTerm(width)], .equal, 80)
    try solver.add([SolverTerm(right), SolverTerm(left, -1), SolverTerm(width, -1)], .equal, 0)
    let leading = try solver.add([SolverTerm(left)], .equal, 0)
    let trailing = try solver.add([SolverTerm(right)], .equal, 80)
    try solver.solve()
    for offset in [80.0, -80, 3.5, 0] {
      solver.setConstant(leading, offset)
      solver.setConstant(trailing, 80 + offset)
      try solver.solve()
      #expect(solver.value(of: left) == offset)
      #expect(solver.value(of: right) == 80 + offset)
    }
    solver.setConstant(leading, 1)
    let error = #expect(throws: SolverError.self) { try solver.solve() }
    #expect(error?.code == .unsatisfiable)
    #expect(error?.constraints.contains(leading) == true)
    #expect(error?.constraints.contains(trailing) == true)
    #expect(error?.constraints.count == 4)
    solver.setConstant(trailing, 81)
    #expect(throws: SolverError.self, "the refused constant was taken back") { try solver.solve() }
  }

  /// The named constraints cannot hold together, and any all but one of them can.
  @Test func everyNamedConstraintIsNeeded() throws {
    var found = 0
    for seed in 0..<UInt64(TestScale.count(400)) {
      var random = SeededGenerator(seed: seed &+ 900_000)
      let variables = Int.random(in: 2...6, using: &random)
      var built = try BuiltSystem(.random(variables: variables, constraints: 8, using: &random))
      try built.solver.solve()
      for _ in 0..<3 {
        let point = (0..<variables).map { _ in Double(Int.random(in: -40...40, using: &random)) }
        try built.add(LinearSystem.randomConstraint(near: point, using: &random, priority: 1000))
      }
      do throws(SolverError) {
        try built.solver.solve()
      } catch {
        found += 1
        let places = error.constraints.map { name in built.names.firstIndex(of: name) }
        let named = places.compactMap { $0.map { built.system.constraints[$0] } }
        #expect(named.count == error.constraints.count)
        #expect(named.allSatisfy { $0.priority == 1000 })
        #expect(!isSatisfiable(variables, named), "seed \(seed): the named ones get along")
        for index in named.indices {
          var rest = named
          rest.remove(at: index)
          #expect(isSatisfiable(variables, rest), "seed \(seed): more named than needed")
        }
      }
    }
    #expect(found > 20)
  }

  private func isSatisfiable(_ variables: Int, _ constraints: [LinearSystem.Constraint]) -> Bool {
    guard var built = try? BuiltSystem(LinearSystem(variableCount: variables, constraints: constraints))
    else {
      return false
    }
    return (try? built.solver.solve()) != nil
  }

  /// After a refusal a solver cannot be told from a twin that never saw the batch, then or a thousand edits later.
  @Test func aRefusedBatchLeavesNoTrace() throws {
    for seed in 0..<UInt64(TestScale.count(12)) {
      var random = SeededGenerator(seed: seed &+ 31_000)
      let system = LinearSystem.random(variables: 12, constraints: 30, using: &random)
      var one = try BuiltSystem(system)
      var twin = try BuiltSystem(system)
      try one.solver.solve()
      try twin.solver.solve()
      for round in 0..<100 {
        let before = (system: one.system, names: one.names)
        try disturb(&one, using: &random)
        #expect(throws: SolverError.self) { try one.solver.solve() }
        (one.system, one.names) = before
        let linked = one.solver.isLinkedThroughout
        #expect(linked)
        guard one.solver.state == twin.solver.state else {
          Issue.record("seed \(seed): round \(round) left a trace")
          return
        }
        for _ in 0..<10 {
          let step = random.next()
          var (left, right) = (SeededGenerator(seed: step), SeededGenerator(seed: step))
          try walk(&one, using: &left)
          try walk(&twin, using: &right)
        }
        guard one.solver.state == twin.solver.state else {
          Issue.record("seed \(seed): round \(round) went on differently")
          return
        }
      }
    }
  }

  /// The same when the tableau had worn down so far that it was made afresh before the refusal was believed.
  @Test func aRefusalAfterARebuildLeavesNoTrace() throws {
    for seed in 0..<UInt64(TestScale.count(40)) {
      var random = SeededGenerator(seed: seed &+ 52_000)
      var built = try BuiltSystem(.random(variables: 12, constraints: 30, using: &random))
      try built.solver.solve()
      let worn = (0..<built.solver.tableau.symbols.count).filter { built.solver.tableau.symbols[$0].isBasic }
      for place in worn { built.solver.tableau.symbols.nodes.base[place].value += 1e-9 }
      let before = built.solver.state
      try disturb(&built, using: &random)
      #expect(throws: SolverError.self) { try built.solver.solve() }
      let after = built.solver.state
      #expect(after == before, "seed \(seed)")
    }
  }

  /// A batch of all kinds of changes that ends in a contradiction.
  private func disturb(_ built: inout BuiltSystem, using random: inout SeededGenerator) throws {
    built.remove(at: Int.random(in: 0..<built.names.count, using: &random))
    for _ in 0..<3 {
      built.setConstant(at: Int.random(in: 0..<built.names.count, using: &random), Double(random.next() % 50))
    }
    try built.setPriority(
      at: Int.random(in: 0..<built.names.count, using: &random), random.pick([1000, 600, 250]))
    let point = (0..<12).map { _ in Double(Int.random(in: -40...40, using: &random)) }
    try built.add(LinearSystem.randomConstraint(near: point, using: &random, priority: 555))
    let variable = Int.random(in: 0..<12, using: &random)
    for constant in [100.0, 101] {
      try built.add(
        .init(terms: [(variable, 1)], relation: .equal, constant: constant, priority: 1000))
    }
  }

  private func walk(_ built: inout BuiltSystem, using random: inout SeededGenerator) throws {
    let before = (system: built.system, names: built.names)
    let index = Int.random(in: 0..<built.names.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try built.setPriority(at: index, random.pick([1000, 750, 500, 250, 100]))
    case 1:
      let constraint = built.system.constraints[index]
      built.remove(at: index)
      try built.add(constraint)
    default: built.setConstant(at: index, Double(Int.random(in: -30...30, using: &random)))
    }
    try? built.solve(orReturnTo: before)
  }
}
