import ConstraintAnimation

/// A workload in the solver, with everything a step needs made beforehand.
struct Run: ~Copyable {
  let workload: Workload
  private let priorities: [Double: Int]
  private var solver = SimplexSolver()
  private var variables: [SolverVariable] = []
  private var terms: [[SolverTerm]] = []
  private var edits: [SolverConstraint] = []
  private var constraints: [SolverConstraint] = []
  private(set) var values: [Double]

  init(_ workload: Workload) throws {
    self.workload = workload
    priorities = workload.priorities()
    values = Array(repeating: 0, count: workload.variableCount)
    // Variables are numbered in the order they are made, so the terms can be made once for all solvers.
    var numbering = SimplexSolver()
    for _ in 0..<workload.variableCount { variables.append(numbering.makeVariable()) }
    for constraint in workload.constraints {
      terms.append(constraint.terms.map { SolverTerm(variables[$0.variable], $0.coefficient) })
    }
    edits.reserveCapacity(workload.edits.count)
    constraints.reserveCapacity(workload.constraints.count)
  }

  mutating func clear() {
    solver = SimplexSolver()
    edits.removeAll(keepingCapacity: true)
    constraints.removeAll(keepingCapacity: true)
  }

  /// A new solver with all edits, all constraints and the first values, solved and read.
  mutating func build() throws {
    for _ in 0..<workload.variableCount { _ = solver.makeVariable() }
    for edit in workload.edits {
      edits.append(
        try solver.add(
          [SolverTerm(variables[edit.variable])], .equal, edit.first,
          priority: priorities[edit.strength] ?? 1000))
    }
    for index in workload.constraints.indices { constraints.append(try add(index, shift: 0)) }
    try read()
  }

  mutating func add(_ index: Int, shift: Double) throws -> SolverConstraint {
    let constraint = workload.constraints[index]
    return try solver.add(
      terms[index], constraint.relation, -constraint.constant - shift,
      priority: priorities[constraint.strength] ?? 1000)
  }

  mutating func suggest(_ pair: (Int, Int), _ first: Double, _ second: Double) throws {
    solver.setConstant(edits[pair.0], first)
    solver.setConstant(edits[pair.1], second)
    try read()
  }

  /// Removes a constraint and adds it with its constant moved by `shift`.
  mutating func addAgain(_ index: Int, shift: Double) throws {
    solver.remove(constraints[index])
    constraints[index] = try add(index, shift: shift)
    try read()
  }

  /// Removes a constraint, lets the solution go where it will, and adds it again.
  mutating func removeAndAdd(_ index: Int) throws {
    solver.remove(constraints[index])
    try read()
    constraints[index] = try add(index, shift: 0)
    try read()
  }

  mutating func setConstant(_ index: Int, shift: Double) throws {
    solver.setConstant(constraints[index], -workload.constraints[index].constant - shift)
    try read()
  }

  private mutating func read() throws {
    try solver.solve()
    values.withUnsafeMutableBufferPointer { values in
      solver.forEachChangedVariable { variable, value in values[variable.place] = value }
    }
  }
}
