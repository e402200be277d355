/// Why a constraint was refused. The layout is as it was before.
public enum LayoutError: Error, Sendable, Equatable {
  /// `broken` cannot hold together with the required constraints named.
  case unsatisfiable(broken: String, conflictingWith: [String])
  /// The items have no view above both, or one of them is gone.
  case noCommonAncestor(String)
  /// A place tied to a length, or a horizontal edge to a vertical one.
  case incompatibleAttributes(String)
  /// A constant or a multiplier is not a finite number.
  case notFinite(String)
  /// The solver gave up after its limit of steps.
  case pivotLimit
}
