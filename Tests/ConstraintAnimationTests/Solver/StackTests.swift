import Testing

@testable import ConstraintAnimation

/// A stack as a well-known terminal library sets it up: all panes want all the space and to be as large as each other,
/// at priorities that tie many times over. Solvers that pick pivots by hash order may never return on it.
@Suite struct StackTests {
  @Test(arguments: 2...40)
  func aStackIsAlwaysSolved(panes: Int) throws {
    for rows in [panes * 3, panes * 3 - 1, panes * 3 + 1] {
      var solver = SimplexSolver()
      let edges = (0..<2 * panes + 2).map { _ in solver.makeVariable() }
      try addStack(to: &solver, edges: edges, rows: rows)
      try solver.solve()
      #expect(
        solver.tableau.verification.totalPivots < 12 * solver.variableCount,
        "\(rows) rows took too many pivots")

      let positions = edges.map { solver.value(of: $0) }
      #expect(abs(positions[0]) < 1e-6)
      #expect(abs((positions.last ?? 0) - Double(rows) * 100) < 1e-6)
      for (above, below) in zip(positions, positions.dropFirst()) { #expect(below - above > -1e-6) }
      let heights = stride(from: 1, to: positions.count - 1, by: 2).map { positions[$0 + 1] - positions[$0] }
      let short = heights.reduce(0) { $0 + max(0, 300 - $1) }
      #expect(abs(short - Double(max(0, panes * 3 - rows)) * 100) < 1e-6, "no more is missing than must be")
    }
  }

  private func addStack(to solver: inout SimplexSolver, edges: [SolverVariable], rows: Int) throws {
    func length(_ first: SolverVariable, _ last: SolverVariable, _ factor: Double = 1) -> [SolverTerm] {
      [SolverTerm(last, factor), SolverTerm(first, -factor)]
    }
    let (start, end) = (edges[0], edges[edges.count - 1])
    let panes = stride(from: 1, to: edges.count - 1, by: 2).map { (edges[$0], edges[$0 + 1]) }
    let spacers = stride(from: 0, to: edges.count, by: 2).map { (edges[$0], edges[$0 + 1]) }
    try solver.add([SolverTerm(start)], .equal, 0)
    try solver.add([SolverTerm(end)], .equal, Double(rows) * 100)
    for edge in edges {
      try solver.add(length(start, edge), .greaterThanOrEqual, 0)
      try solver.add(length(end, edge), .lessThanOrEqual, 0)
    }
    for pane in panes { try solver.add(length(pane.1, pane.0), .lessThanOrEqual, 0) }
    for spacer in spacers.dropFirst().dropLast() {
      try solver.add(length(spacer.0, spacer.1), .equal, 0, priority: 998)
    }
    try solver.add(length(spacers[0].0, spacers[0].1), .equal, 0, priority: 999)
    let last = spacers[spacers.count - 1]
    try solver.add(length(last.0, last.1) + length(start, end, -1), .equal, 0, priority: 400)
    for pane in panes {
      try solver.add(length(pane.0, pane.1), .greaterThanOrEqual, 300, priority: 900)
      try solver.add(length(pane.0, pane.1) + length(start, end, -1), .equal, 0, priority: 500)
    }
    for (index, pane) in panes.enumerated() {
      for other in panes[(index + 1)...] {
        try solver.add(length(pane.0, pane.1) + length(other.0, other.1, -1), .equal, 0, priority: 400)
      }
    }
    for (pane, next) in zip(panes, panes.dropFirst()) {
      try solver.add(length(pane.0, pane.1) + length(next.0, next.1, -1), .equal, 0, priority: 100)
    }
  }
}
