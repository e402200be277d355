extension LayoutError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsatisfiable(let broken, let others):
      "\(broken) cannot hold together with \(others.joined(separator: "; "))"
    case .noCommonAncestor(let constraint):
      "the items of \(constraint) have no view above both: add them to a tree first"
    case .incompatibleAttributes(let constraint):
      "\(constraint) relates attributes that cannot be compared"
    case .notFinite(let constraint):
      "\(constraint) has a constant or a multiplier that is not a finite number"
    case .pivotLimit:
      "the solver reached its limit of steps; the last good layout stays"
    }
  }
}
