import ConstraintAnimation

/// The constraints a well-known terminal layout library sets up for `panes` panes of at least three rows each, stacked
/// with nothing between them: every pane also wants all of the space, wants to be as large as each other pane, and a
/// little more so as its neighbor. Solvers that break ties by hash order have been seen never to return on it.
func solveStack(panes: Int, rows: Int) throws {
  let scale = 100.0
  var solver = SimplexSolver()
  let edges = (0..<2 * panes + 2).map { _ in solver.makeVariable() }
  func length(_ first: SolverVariable, _ last: SolverVariable, _ factor: Double = 1) -> [SolverTerm] {
    [SolverTerm(last, factor), SolverTerm(first, -factor)]
  }
  let (start, end) = (edges[0], edges[edges.count - 1])
  let panesEdges = stride(from: 1, to: edges.count - 1, by: 2).map { (edges[$0], edges[$0 + 1]) }
  let spacers = stride(from: 0, to: edges.count, by: 2).map { (edges[$0], edges[$0 + 1]) }
  try solver.add([SolverTerm(start)], .equal, 0)
  try solver.add([SolverTerm(end)], .equal, Double(rows) * scale)
  for edge in edges {
    try solver.add([SolverTerm(edge), SolverTerm(start, -1)], .greaterThanOrEqual, 0)
    try solver.add([SolverTerm(edge), SolverTerm(end, -1)], .lessThanOrEqual, 0)
  }
  for (first, last) in panesEdges { try solver.add(length(last, first), .lessThanOrEqual, 0) }
  for (first, last) in spacers.dropFirst().dropLast() {
    try solver.add(length(first, last), .equal, 0, priority: 998)
  }
  try solver.add(length(spacers[0].0, spacers[0].1), .equal, 0, priority: 999)
  let final = spacers[spacers.count - 1]
  try solver.add(length(final.0, final.1) + length(start, end, -1), .equal, 0, priority: 400)
  for (first, last) in panesEdges {
    try solver.add(length(first, last), .greaterThanOrEqual, 3 * scale, priority: 900)
    try solver.add(length(first, last) + length(start, end, -1), .equal, 0, priority: 500)
  }
  for index in panesEdges.indices {
    for other in panesEdges[(index + 1)...] {
      try solver.add(
        length(panesEdges[index].0, panesEdges[index].1) + length(other.0, other.1, -1), .equal, 0,
        priority: 400)
    }
  }
  for (one, other) in zip(panesEdges, panesEdges.dropFirst()) {
    try solver.add(length(one.0, one.1) + length(other.0, other.1, -1), .equal, 0, priority: 100)
  }
  try solver.solve()
}
