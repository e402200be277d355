/// An unknown of the linear system, named by the place the solver keeps it in.
///
/// Places are used again after ``SimplexSolver/removeVariable(_:)``; the generation tells the old owner from the new
/// one, so that a name kept too long is caught instead of silently meaning another variable.
public struct SolverVariable: Hashable, Sendable, BitwiseCopyable {
  let index: Int32
  let generation: UInt32

  /// The place, a small number no two living variables and constraints of one solver share: tables about
  /// variables can be arrays with this as the index.
  public var place: Int { Int(index) }
}
