/// A constraint of the linear system: a stable name until the constraint is removed.
///
/// Like ``SolverVariable`` it carries the generation of its place, so that using a removed constraint is caught.
public struct SolverConstraint: Hashable, Sendable, BitwiseCopyable {
  let index: Int32
  let generation: UInt32

  /// The place, a small number no two living variables and constraints of one solver share: tables about
  /// constraints can be arrays with this as the index.
  public var place: Int { Int(index) }
}
