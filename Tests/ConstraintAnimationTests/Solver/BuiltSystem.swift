@testable import ConstraintAnimation

/// A written-down system in a solver, edited on both sides alike.
struct BuiltSystem: ~Copyable {
  var solver = SimplexSolver()
  var system: LinearSystem
  var variables: [SolverVariable] = []
  /// The solver's names, in the order of `system.constraints`.
  var names: [SolverConstraint] = []

  /// Puts everything in; solving is left to the test.
  init(_ system: LinearSystem) throws {
    self.system = system
    for _ in 0..<system.variableCount { variables.append(solver.makeVariable()) }
    for constraint in system.constraints { names.append(try solver.addSystem(constraint, variables)) }
  }

  /// A solved twin made from nothing but the system as it is now.
  borrowing func rebuilt() throws -> [Double] {
    var fresh = try BuiltSystem(system)
    try fresh.solver.solve()
    return fresh.values
  }

  var values: [Double] { variables.map { solver.value(of: $0) } }

  mutating func add(_ constraint: LinearSystem.Constraint) throws {
    system.constraints.append(constraint)
    names.append(try solver.addSystem(constraint, variables))
  }

  mutating func remove(at index: Int) {
    solver.remove(names.remove(at: index))
    system.constraints.remove(at: index)
  }

  mutating func setConstant(at index: Int, _ constant: Double) {
    solver.setConstant(names[index], constant)
    system.constraints[index].constant = constant
  }

  mutating func setPriority(at index: Int, _ priority: Int) throws {
    try solver.setPriority(names[index], priority)
    system.constraints[index].priority = priority
  }

  /// Solves; if that is refused, the written-down side goes back to `before` too.
  mutating func solve(orReturnTo before: (system: LinearSystem, names: [SolverConstraint]))
    throws(SolverError)
  {
    do {
      try solver.solve()
    } catch {
      (system, names) = before
      throw error
    }
  }
}

extension SimplexSolver {
  mutating func addSystem(
    _ constraint: LinearSystem.Constraint, _ variables: [SolverVariable]
  ) throws(SolverError) -> SolverConstraint {
    try add(
      constraint.terms.map { SolverTerm(variables[$0.variable], $0.coefficient) }, constraint.relation,
      constraint.constant, priority: constraint.priority)
  }
}
