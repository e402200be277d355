/// An object that constraints place: a ``View`` or a ``LayoutGuide``.
///
/// It has two geometries. The *model* is what the layout says now; the *presentation* is what is on screen at the
/// window's time: the model's whole-cell edges plus what running animations have left to go.
open class LayoutItem: AnimatedObject {
  /// A name for error messages and tests.
  public var identifier: String?

  init() {}

  /// Model edges in window coordinates, fractions of cells.
  final var model = Edges.zero
  /// The model edges on whole cells.
  final var snapped = Edges.zero
  /// What running animations add to `snapped` at this instant.
  final var offset = SIMD4<Double>.zero
  /// What the window last drew of it.
  final var shown = ShownFrame()
  final var layoutProgress = LayoutProgress()
  /// Where running blocks keep tracks of it.
  final var trackPlaces: [TrackPlace] = []
  /// The item's variables in the solver, made when the first constraint mentions it.
  final var variables: EngineVariables?
  /// Active constraints that mention the item.
  final var attachedConstraints = ConstraintList()
  /// The solver has moved it since its model was last read.
  final var isUnread = false

  /// The view whose coordinates and window the item shares: itself or the guide's owner.
  var hostView: View? { nil }

  final var name: String { identifier ?? defaultName }

  var defaultName: String { "item" }

  public final var leadingAnchor: LayoutAnchor<XAxis> { LayoutAnchor(self, .leading) }
  public final var trailingAnchor: LayoutAnchor<XAxis> { LayoutAnchor(self, .trailing) }
  public final var centerXAnchor: LayoutAnchor<XAxis> { LayoutAnchor(self, .centerX) }
  public final var topAnchor: LayoutAnchor<YAxis> { LayoutAnchor(self, .top) }
  public final var bottomAnchor: LayoutAnchor<YAxis> { LayoutAnchor(self, .bottom) }
  public final var centerYAnchor: LayoutAnchor<YAxis> { LayoutAnchor(self, .centerY) }
  /// Text runs from left to right here: the same edge as ``leadingAnchor``.
  public final var leftAnchor: LayoutAnchor<XAxis> { leadingAnchor }
  /// The same edge as ``trailingAnchor``.
  public final var rightAnchor: LayoutAnchor<XAxis> { trailingAnchor }
  public final var widthAnchor: LayoutAnchor<DimensionKind> { LayoutAnchor(self, .width) }
  public final var heightAnchor: LayoutAnchor<DimensionKind> { LayoutAnchor(self, .height) }

  /// The model in window coordinates.
  public final var windowFrame: Rect { model.rect }

  /// What is on screen at the window's time, in window coordinates and without transforms: the whole-cell edges of the
  /// model plus what animations have left to go. At rest these are whole cells (``windowFrame`` has the fractions);
  /// while something moves they are fractions, which drawing rounds.
  public final var presentationFrame: Rect { Edges(snapped.values + offset).rect }

  /// Resets what depends on a window.
  final func forgetWindow() {
    shown = ShownFrame()
    layoutProgress = LayoutProgress()
    isUnread = false
    trackPlaces = []
    offset = .zero
  }

  /// The presentation on whole cells, without transforms.
  final var layoutCells: CellRect {
    CellRect(whole: snapped.values + Edges.snap(offset))
  }
}

/// An invisible area: it takes part in the layout, draws nothing and cannot be hit. Use it to position other views
/// in place.
public final class LayoutGuide: LayoutItem {
  public internal(set) weak var owningView: View?

  public override init() { super.init() }

  public convenience init(identifier: String) {
    self.init()
    self.identifier = identifier
  }

  override var hostView: View? { owningView }

  override var defaultName: String { "guide" }

  /// The guide's frame in whole cells on screen at the window's time.
  public var cellFrame: CellRect { layoutCells }
}
