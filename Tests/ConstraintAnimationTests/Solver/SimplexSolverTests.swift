import Testing

@testable import ConstraintAnimation

/// What the solver promises, one promise a test.
@Suite struct SimplexSolverTests {
  @Test func unmentionedVariablesAreZero() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    try solver.solve()
    #expect(solver.value(of: x) == 0)
  }

  @Test func equalitiesChainUp() throws {
    var solver = SimplexSolver()
    let (leading, width, trailing) = (solver.makeVariable(), solver.makeVariable(), solver.makeVariable())
    try solver.add([SolverTerm(leading)], .equal, 8)
    try solver.add([SolverTerm(width)], .equal, 40)
    try solver.add([SolverTerm(trailing), SolverTerm(leading, -1), SolverTerm(width, -1)], .equal, 0)
    try solver.solve()
    #expect(solver.value(of: trailing) == 48)
  }

  @Test func nothingTakesEffectBeforeSolve() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    let pin = try solver.add([SolverTerm(x)], .equal, 5)
    #expect(solver.value(of: x) == 0)
    try solver.solve()
    solver.setConstant(pin, 9)
    #expect(solver.value(of: x) == 5)
    try solver.solve()
    #expect(solver.value(of: x) == 9)
  }

  @Test func inequalitiesHoldAndDoNotPull() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    let wish = try solver.add([SolverTerm(x)], .equal, 50, priority: 250)
    try solver.add([SolverTerm(x)], .lessThanOrEqual, 30)
    try solver.add([SolverTerm(x)], .greaterThanOrEqual, 10)
    try solver.solve()
    #expect(solver.value(of: x) == 30)
    solver.setConstant(wish, 20)
    try solver.solve()
    #expect(solver.value(of: x) == 20)
    solver.setConstant(wish, -7)
    try solver.solve()
    #expect(solver.value(of: x) == 10)
  }

  @Test func multipliersApply() throws {
    var solver = SimplexSolver()
    let (width, height) = (solver.makeVariable(), solver.makeVariable())
    try solver.add([SolverTerm(width), SolverTerm(height, -16.0 / 9)], .equal, 0)
    try solver.add([SolverTerm(height)], .equal, 9)
    try solver.solve()
    #expect(abs(solver.value(of: width) - 16) < 1e-12)
  }

  @Test func termsOfOneVariableAddUp() throws {
    var solver = SimplexSolver()
    let (x, y) = (solver.makeVariable(), solver.makeVariable())
    try solver.add([SolverTerm(x), SolverTerm(y), SolverTerm(x), SolverTerm(y, -1)], .equal, 6)
    try solver.solve()
    #expect(solver.value(of: x) == 3)
    solver.removeVariable(y)
    try solver.solve()
    #expect(solver.variableCount == 1)
  }

  @Test func aConstraintWithoutTermsIsJudgedByItsConstant() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    try solver.add([], .lessThanOrEqual, 1)
    try solver.solve()
    let impossible = try solver.add([SolverTerm(x), SolverTerm(x, -1)], .equal, 1)
    #expect(throws: SolverError(.unsatisfiable, constraints: [impossible])) { try solver.solve() }
    try solver.add([], .equal, 3, priority: 500)
    try solver.solve()
  }

  /// Kiwi's strengths are weights, and there a thousand and one weak wishes outvote a medium one.
  @Test func noNumberOfLowerPrioritiesOutweighsAHigherOne() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    for _ in 0..<1001 { try solver.add([SolverTerm(x)], .equal, 100, priority: 250) }
    try solver.add([SolverTerm(x)], .equal, 0, priority: 251)
    try solver.solve()
    #expect(solver.value(of: x) == 0)
  }

  @Test func everyPriorityIsALevelOfItsOwn() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    for priority in 1...999 { try solver.add([SolverTerm(x)], .equal, Double(priority), priority: priority) }
    try solver.solve()
    #expect(solver.value(of: x) == 999)
  }

  @Test func whatIsUnconstrainedStaysWhereItWas() throws {
    var solver = SimplexSolver()
    let (x, y) = (solver.makeVariable(), solver.makeVariable())
    let pin = try solver.add([SolverTerm(x)], .equal, 12)
    try solver.add([SolverTerm(y), SolverTerm(x, -1)], .equal, 3)
    try solver.solve()
    solver.remove(pin)
    try solver.solve()
    #expect(solver.value(of: x) == 12)
    #expect(solver.value(of: y) == 15)
    try solver.add([SolverTerm(y)], .equal, 4)
    try solver.solve()
    #expect(solver.value(of: x) == 1)
  }

  @Test func removingFreesWhatItHeldDown() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    try solver.add([SolverTerm(x)], .equal, 50, priority: 500)
    let cap = try solver.add([SolverTerm(x)], .lessThanOrEqual, 20)
    try solver.solve()
    #expect(solver.value(of: x) == 20)
    solver.remove(cap)
    try solver.solve()
    #expect(solver.value(of: x) == 50)
  }

  @Test func prioritiesChangeInPlace() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    let low = try solver.add([SolverTerm(x)], .equal, 10, priority: 250)
    let high = try solver.add([SolverTerm(x)], .equal, 90, priority: 750)
    try solver.solve()
    #expect(solver.value(of: x) == 90)
    try solver.setPriority(low, 999)
    try solver.solve()
    #expect(solver.value(of: x) == 10)
    try solver.setPriority(high, 1000)
    try solver.solve()
    #expect(solver.value(of: x) == 90)
    try solver.setPriority(high, 998)
    try solver.solve()
    #expect(solver.value(of: x) == 10)
  }

  @Test func placesAreUsedAgain() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    let first = try solver.add([SolverTerm(x)], .equal, 1)
    try solver.solve()
    for round in 0..<1000 {
      let y = solver.makeVariable()
      let link = try solver.add([SolverTerm(y), SolverTerm(x, -1)], .equal, Double(round))
      try solver.solve()
      #expect(solver.value(of: y) == Double(round + 1))
      solver.remove(link)
      solver.removeVariable(y)
      try solver.solve()
    }
    #expect(solver.tableau.symbols.count == 4)
    #expect(solver.variableCount == 1)
    #expect(solver.constraintCount == 1)
    _ = first
  }

  @Test func aConstraintAddedAndRemovedInOneBatchLeavesNothing() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    try solver.add([SolverTerm(x)], .equal, 1)
    try solver.solve()
    let other = try solver.add([SolverTerm(x)], .equal, 2)
    solver.remove(other)
    try solver.solve()
    #expect(solver.value(of: x) == 1)
    #expect(solver.constraintCount == 1)
  }

  /// A name kept after its constraint is gone does not quietly mean the next one in its place.
  @Test func aStaleNameIsCaught() async {
    await #expect(processExitsWith: .failure) {
      var solver = SimplexSolver()
      let x = solver.makeVariable()
      let old = try solver.add([SolverTerm(x)], .equal, 1)
      try solver.solve()
      solver.remove(old)
      try solver.solve()
      try solver.add([SolverTerm(x)], .equal, 2)
      solver.setConstant(old, 3)
    }
  }

  @Test func malformedNumbersAreRefused() throws {
    var solver = SimplexSolver()
    let x = solver.makeVariable()
    #expect(throws: SolverError(.notFinite)) { try solver.add([SolverTerm(x, .nan)], .equal, 0) }
    #expect(throws: SolverError(.notFinite)) { try solver.add([SolverTerm(x)], .equal, .infinity) }
    #expect(throws: SolverError(.priorityOutOfRange)) {
      try solver.add([SolverTerm(x)], .equal, 0, priority: 0)
    }
    let pin = try solver.add([SolverTerm(x)], .equal, 4)
    try solver.solve()
    #expect(throws: SolverError(.priorityOutOfRange)) { try solver.setPriority(pin, 1001) }
    solver.setConstant(pin, .nan)
    #expect(throws: SolverError(.notFinite, constraints: [pin])) { try solver.solve() }
    #expect(solver.value(of: x) == 4)
    solver.setConstant(pin, 5)
    try solver.solve()
    #expect(solver.value(of: x) == 5)
  }

  @Test func changedVariablesAreReported() throws {
    var solver = SimplexSolver()
    let variables = (0..<70).map { _ in solver.makeVariable() }
    let pins = try variables.enumerated().map { try solver.add([SolverTerm($1)], .equal, Double($0)) }
    try solver.solve()
    #expect(solver.changedVariableCount == 69, "the first was 0 already")
    solver.setConstant(pins[66], -1)
    solver.setConstant(pins[3], -2)
    solver.setConstant(pins[5], 5)
    try solver.solve()
    var seen: [SolverVariable] = []
    var values: [Double] = []
    solver.forEachChangedVariable {
      seen.append($0)
      values.append($1)
    }
    #expect(seen == [variables[3], variables[66]])
    #expect(values == [-2, -1])
    #expect(solver.changedVariableCount == 2)
    try solver.solve()
    #expect(solver.changedVariableCount == 0)
  }
}
