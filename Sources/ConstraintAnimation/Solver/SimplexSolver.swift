/// An incremental solver for linear constraints with priorities, compared level by level.
public struct SimplexSolver: ~Copyable {
  struct Row {
    var terms: [SolverTerm]
    var relation: SolverRelation
    var constant: Double
    var priority: Int
    var alive = true
  }
  var rows: [Row] = []
  var committed: [Row] = []
  var values: [Double] = []
  var changed: [Int32] = []

  public init() {}

  /// The number of variables.
  public var variableCount: Int { values.count }
  /// The number of constraints.
  public var constraintCount: Int { rows.count { $0.alive } }

  /// A new variable, free to take any value; it is 0 until a constraint says otherwise.
  public mutating func makeVariable() -> SolverVariable {
    values.append(0)
    return SolverVariable(index: Int32(values.count - 1), generation: 0)
  }

  /// Gives a variable's place back. No constraint may mention it any more.
  public mutating func removeVariable(_ variable: SolverVariable) {}

  /// Adds `sum(terms) relation constant`. It takes part from the next ``solve()``.
  public mutating func add(
    _ terms: [SolverTerm], _ relation: SolverRelation, _ constant: Double, priority: Int = 1000
  ) throws(SolverError) -> SolverConstraint {
    try terms.withUnsafeBufferPointer { (buffer) throws(SolverError) in
      try add(buffer, relation, constant, priority: priority)
    }
  }

  /// Adds `sum(terms) relation constant` without an array in between.
  public mutating func add(
    _ terms: UnsafeBufferPointer<SolverTerm>, _ relation: SolverRelation, _ constant: Double,
    priority: Int = 1000
  ) throws(SolverError) -> SolverConstraint {
    guard (1...1000).contains(priority) else { throw SolverError(.priorityOutOfRange) }
    rows.append(Row(terms: Array(terms), relation: relation, constant: constant, priority: priority))
    return SolverConstraint(index: Int32(rows.count - 1), generation: 0)
  }

  /// Removes a constraint at the next ``solve()``.
  public mutating func remove(_ constraint: SolverConstraint) { rows[Int(constraint.index)].alive = false }

  /// Changes a constraint's constant at the next ``solve()``.
  public mutating func setConstant(_ constraint: SolverConstraint, _ constant: Double) {
    rows[Int(constraint.index)].constant = constant
  }

  /// Changes a constraint's priority, also to and from required, at the next ``solve()``.
  public mutating func setPriority(_ constraint: SolverConstraint, _ priority: Int) throws(SolverError) {
    guard (1...1000).contains(priority) else { throw SolverError(.priorityOutOfRange) }
    rows[Int(constraint.index)].priority = priority
  }

  /// Ends a batch of changes.
  public mutating func solve() throws(SolverError) {
    changed.removeAll()
    let order = rows.indices.filter { rows[$0].alive }.sorted {
      (-rows[$0].priority, rows[$0].relation == .equal ? 0 : 1, $0)
        < (-rows[$1].priority, rows[$1].relation == .equal ? 0 : 1, $1)
    }
    let width = values.count
    var echelon: [(pivot: Int, row: [Double])] = []
    func solution() -> [Double] {
      var x = [Double](repeating: 0, count: width)
      for e in echelon { x[e.pivot] = e.row[width] }
      return x
    }
    for index in order {
      let row = rows[index]
      var dense = [Double](repeating: 0, count: width + 1)
      for term in row.terms { dense[Int(term.variable.index)] += term.coefficient }
      dense[width] = row.constant
      if row.relation != .equal {
        let x = solution()
        let gap = (0..<width).reduce(-row.constant) { $0 + dense[$1] * x[$1] }
        if row.relation == .lessThanOrEqual ? gap <= 1e-8 : gap >= -1e-8 { continue }
      }
      for e in echelon where dense[e.pivot] != 0 {
        let factor = dense[e.pivot]
        for column in 0...width { dense[column] -= factor * e.row[column] }
      }
      guard let pivot = (0..<width).last(where: { abs(dense[$0]) > 1e-9 }) else {
        if row.priority == 1000, abs(dense[width]) > 1e-8 {
          let failed = rows
          rows = committed
          throw SolverError(
            .unsatisfiable,
            constraints: order.filter { failed[$0].priority == 1000 }.map {
              SolverConstraint(index: Int32($0), generation: 0)
            })
        }
        continue
      }
      let scale = 1 / dense[pivot]
      for column in 0...width { dense[column] *= scale }
      for i in echelon.indices where echelon[i].row[pivot] != 0 {
        let factor = echelon[i].row[pivot]
        for column in 0...width { echelon[i].row[column] -= factor * dense[column] }
      }
      echelon.append((pivot, dense))
    }
    let x = solution()
    for index in 0..<width where abs(x[index] - values[index]) > 1e-9 {
      values[index] = x[index]
      changed.append(Int32(index))
    }
    committed = rows
  }

  /// The variable's value as of the last successful ``solve()``.
  public func value(of variable: SolverVariable) -> Double { values[Int(variable.index)] }

  /// How many variables the last ``solve()`` moved.
  public var changedVariableCount: Int { changed.count }

  /// Calls `body` for each variable the last ``solve()`` moved, with its new value, in ascending order of place.
  public func forEachChangedVariable(_ body: (SolverVariable, Double) -> Void) {
    for index in changed { body(SolverVariable(index: index, generation: 0), values[Int(index)]) }
  }
}
