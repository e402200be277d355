extension LayoutEngine {
  /// `first - multiplier × second`, everything in absolute edges. A multiplier on a place (not a length) counts from
  /// the holder's origin, which then is part of the row.
  func terms(of constraint: LayoutConstraint, holder: View) -> [SolverTerm] {
    guard let first = constraint.firstItem else { return [] }
    var terms: [SolverTerm] = []
    append(constraint.firstAttribute, of: variables(of: first), times: 1, to: &terms)
    if let second = constraint.secondItem, let attribute = constraint.secondAttribute {
      append(attribute, of: variables(of: second), times: -constraint.multiplier, to: &terms)
      if constraint.multiplier != 1, !attribute.isDimension {
        let origin = variables(of: holder)
        let symbol = attribute.isHorizontal ? origin.left : origin.top
        terms.append(SolverTerm(symbol, constraint.multiplier - 1))
      }
    }
    return terms
  }

  private func append(
    _ attribute: LayoutAttribute, of variables: EngineVariables, times factor: Double,
    to terms: inout [SolverTerm]
  ) {
    switch attribute {
    case .leading: terms.append(SolverTerm(variables.left, factor))
    case .trailing: terms.append(SolverTerm(variables.right, factor))
    case .top: terms.append(SolverTerm(variables.top, factor))
    case .bottom: terms.append(SolverTerm(variables.bottom, factor))
    case .width:
      terms.append(SolverTerm(variables.right, factor))
      terms.append(SolverTerm(variables.left, -factor))
    case .height:
      terms.append(SolverTerm(variables.bottom, factor))
      terms.append(SolverTerm(variables.top, -factor))
    case .centerX:
      terms.append(SolverTerm(variables.left, factor / 2))
      terms.append(SolverTerm(variables.right, factor / 2))
    case .centerY:
      terms.append(SolverTerm(variables.top, factor / 2))
      terms.append(SolverTerm(variables.bottom, factor / 2))
    }
  }
}

extension LayoutRelation {
  var solverRelation: SolverRelation {
    switch self {
    case .lessThanOrEqual: .lessThanOrEqual
    case .equal: .equal
    case .greaterThanOrEqual: .greaterThanOrEqual
    }
  }
}

extension LayoutConstraint {
  /// What the solver is told: the model's constant and what animations add to it.
  var effectiveConstant: Double { constant + constantOffset }
}
