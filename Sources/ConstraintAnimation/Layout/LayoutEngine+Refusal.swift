extension LayoutEngine {
  /// Why the solver refused a batch, in terms of constraints.
  struct Refusal {
    /// The constraints that contradict each other, in the solver's order.
    let constraints: [LayoutConstraint]
    /// Names of views placed by hand that are part of the contradiction.
    let pinnedViews: [String]
    let reachedLimit: Bool

    /// The error for a caller, with the constraint that is to give way named first.
    func error(blaming broken: LayoutConstraint?) -> LayoutError {
      if reachedLimit { return .pivotLimit }
      let culprit = broken ?? constraints.last
      let others = constraints.filter { $0 !== culprit }.map(\.description) + pinnedViews
      return .unsatisfiable(broken: culprit?.description ?? pinnedViews.first ?? "", conflictingWith: others)
    }
  }

  func refusal(for error: SolverError) -> Refusal {
    if error.code == .pivotLimit {
      return Refusal(constraints: [], pinnedViews: [], reachedLimit: true)
    }
    var constraints: [LayoutConstraint] = []
    var pinnedViews: [String] = []
    for handle in error.constraints {
      if let constraint = constraint(with: handle) {
        constraints.append(constraint)
      } else if let view = items.first(where: { $0.variables?.pins.contains(handle) ?? false }) {
        let name = "\(view.name).frame"
        if !pinnedViews.contains(name) { pinnedViews.append(name) }
      }
    }
    return Refusal(constraints: constraints, pinnedViews: pinnedViews, reachedLimit: false)
  }

  func translate(_ error: SolverError, blaming constraint: LayoutConstraint) -> LayoutError {
    switch error.code {
    case .notFinite, .priorityOutOfRange: .notFinite(constraint.description)
    case .pivotLimit: .pivotLimit
    case .unsatisfiable: refusal(for: error).error(blaming: constraint)
    }
  }

  private func constraint(with handle: SolverConstraint) -> LayoutConstraint? {
    for item in items {
      if let found = item.attachedConstraints.first(where: { $0.handle == handle }) { return found }
    }
    return nil
  }
}
