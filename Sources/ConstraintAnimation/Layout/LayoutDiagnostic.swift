/// Something a programmer should hear about. The window keeps the last few and hands each to its handler.
public enum LayoutDiagnostic: Sendable, Equatable {
  /// A constraint was refused where nothing could be thrown.
  case layout(LayoutError)
  /// `frame` was set on a view that constraints place; the value was ignored.
  case frameOfConstrainedView(String)
  /// A constant or a priority was changed in an animation block that did not lay out: it will jump.
  case changeNotLaidOut
  /// A view's or guide's model came out with a negative width or height: constraints cross. It shows nothing. Not
  /// reported while the window is smaller than it was made, nor inside a view of no size.
  case negativeSize(String)
  /// A view was not added: it is a window's root, or contains the view it was to be added to.
  case misplacedView(String)
  /// An animation was begun although the program had been told to sleep and had not told the time since. It began at
  /// the window's time, this long before the present: call `advance(to:)` first.
  case timeNotAdvanced(Duration)
  /// An animator ended where the model cannot follow; the item named leapt.
  case modelNotRestored(String)
  /// The solver's answer misses a constraint by this much, more than the 1e-6 it promises: coefficients differ too
  /// widely.
  case inexactSolution(Double)
  /// `layoutSubviews` kept invalidating the layout.
  case layoutLoop(String)
  /// An animator was told something that makes no sense in its state; nothing happened.
  case animatorMisuse(String)
  /// A value was not a finite number and was ignored.
  case notFinite(String)
}
