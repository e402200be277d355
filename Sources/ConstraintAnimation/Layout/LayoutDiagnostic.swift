/// Something a programmer should hear about. The window keeps the last few and hands each to its handler.
public enum LayoutDiagnostic: Sendable, Equatable {
  /// A constraint was refused where nothing could be thrown.
  case layout(LayoutError)
  /// `frame` was set on a view that constraints place; the value was ignored.
  case frameOfConstrainedView(String)
  /// A constant or a priority was changed in an animation block that did not lay out: it will jump.
  case changeNotLaidOut
  /// `layoutSubviews` kept invalidating the layout.
  case layoutLoop(String)
  /// An animator was told something that makes no sense in its state; nothing happened.
  case animatorMisuse(String)
  /// A value was not a finite number and was ignored.
  case notFinite(String)
}
