/// A constraint of the linear system: a stable name until the constraint is removed.
///
/// Like ``SolverVariable`` it carries the generation of its place, so that using a removed constraint is caught.
public struct SolverConstraint: Hashable, Sendable {
  let index: Int32
  let generation: UInt32
}
