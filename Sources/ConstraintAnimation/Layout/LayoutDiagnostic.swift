/// A programming error that the window reports. It keeps the last 16 and passes each to its handler.
public enum LayoutDiagnostic: Sendable, Equatable {
  /// A constraint was refused in a call that cannot throw.
  case layout(LayoutError)
  /// `frame` was set on a view that constraints place; the value was ignored.
  case frameOfConstrainedView(String)
  /// A constant or a priority was changed in an animation block that did not lay out: the change takes effect without
  /// animation.
  case changeNotLaidOut
  /// A view's or guide's model came out with a negative width or height: constraints cross. It is drawn as empty. Not
  /// reported while the window is smaller than it was made, nor inside a view of no size.
  case negativeSize(String)
  /// A view was not added: it is a window's root, or contains the view it was to be added to.
  case misplacedView(String)
  /// An animation began although ``Window/nextDeadline`` was not soon and `advance(to:)` has not been called
  /// since. It began at the window's time, this long before the present: call `advance(to:)` first.
  case timeNotAdvanced(Duration)
  /// An animator ended at a position that the model cannot represent; the named item jumped.
  case modelNotRestored(String)
  /// The solver's answer misses a constraint by this much, more than the 1e-6 it promises: coefficients differ too
  /// widely.
  case inexactSolution(Double)
  /// `layoutSubviews` kept invalidating the layout.
  case layoutLoop(String)
  /// An animator was called in a state in which the call has no meaning; it was ignored.
  case animatorMisuse(String)
  /// A value was not a finite number and was ignored.
  case notFinite(String)
}

extension LayoutDiagnostic: CustomStringConvertible {
  public var description: String {
    switch self {
    case .layout(let error): error.description
    case .frameOfConstrainedView(let name):
      "\(name) is placed by constraints: change their constants, do not set its frame"
    case .changeNotLaidOut:
      "an animation block changed constraints but did not call layoutIfNeeded(): the change will not be animated"
    case .negativeSize(let name):
      "\(name) has a negative width or height: add a required minimum, or let one of its edges give way"
    case .misplacedView(let name):
      "\(name) was not added: it is a window's root or contains the view it was to be added to"
    case .timeNotAdvanced(let late):
      "an animation began \(late) ago: after sleeping, call advance(to:) with the present before animating"
    case .modelNotRestored(let name):
      """
      \(name) jumped when its property animator ended: the model has no values for that position (a priority or an \
      activation has none between its ends)
      """
    case .inexactSolution(let error):
      error.isFinite
        ? "the layout misses a constraint by \(error): bring multipliers nearer to one"
        : "the layout may not be the best one: bring multipliers nearer to one"
    case .layoutLoop(let name): "\(name) changes the layout each time it is laid out"
    case .animatorMisuse(let call): "a property animator was misused: \(call)"
    case .notFinite(let name): "\(name) was given a value that is not a finite number"
    }
  }
}

/// Why a constraint was refused. The layout is unchanged.
public enum LayoutError: Error, Sendable, Equatable {
  /// `broken` cannot hold together with the required constraints named.
  case unsatisfiable(broken: String, conflictingWith: [String])
  /// The items have no view above both, or one of them is gone.
  case noCommonAncestor(String)
  /// A position related to a length, or a horizontal edge to a vertical one.
  case incompatibleAttributes(String)
  /// A constant or a multiplier is not a finite number.
  case notFinite(String)
  /// The solver reached its limit of steps.
  case pivotLimit
}

extension LayoutError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsatisfiable(let broken, let others):
      "\(broken) cannot hold together with \(others.joined(separator: "; "))"
    case .noCommonAncestor(let constraint):
      "the items of \(constraint) have no common ancestor: add them to one view tree first"
    case .incompatibleAttributes(let constraint):
      "\(constraint) relates attributes that cannot be compared"
    case .notFinite(let constraint):
      "\(constraint) has a constant or a multiplier that is not a finite number"
    case .pivotLimit:
      "the solver reached its limit of steps; the last good layout stays"
    }
  }
}
