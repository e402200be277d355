/// An item's place in the solver: its four absolute edges, and where it stands in the engine's list.
struct EngineVariables {
  let left: SolverVariable
  let top: SolverVariable
  let right: SolverVariable
  let bottom: SolverVariable
  var index: Int
  /// Required equalities that hold a view placed by hand where it is; empty for views that constraints place.
  var pins: [SolverConstraint] = []
  /// The pins have not been part of a successful solution yet.
  var pinsAreNew = false

  var all: [SolverVariable] { [left, top, right, bottom] }
}
