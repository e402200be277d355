/// A rectangle in the tree: laid out by constraints (or by hand, or by a group), drawn through a ``CellCanvas``,
/// hit by the pointer.
///
/// Views are plain classes without isolation: a tree lives in whichever domain made it. A view that is in no
/// ``Window`` only stores what it is told.
open class View: LayoutItem {
  public internal(set) final weak var superview: View?
  public internal(set) final weak var window: Window?

  /// A number that is unique in the window, 0 outside one.
  public internal(set) final var id: UInt32 = 0

  /// Back to front.
  public internal(set) final var subviews: [View] = []
  public internal(set) final var layoutGuides: [LayoutGuide] = []

  /// The constraints it holds as the nearest common ancestor of their items.
  final var heldConstraints = ConstraintList()
  public final var constraints: [LayoutConstraint] { Array(heldConstraints) }

  /// A number of the owner's choice, 0 until it is set.
  public final var tag = 0

  /// Takes neither part in drawing nor in hit testing, nor do its subviews; its place in the layout it keeps.
  public final var isHidden = false {
    didSet { if isHidden != oldValue { window?.invalidateDisplay(of: self) } }
  }

  /// Whether its subviews are cut off at its edges.
  public final var clipsToBounds = false {
    didSet { if clipsToBounds != oldValue, isShown { window?.invalidateSurroundings(of: self) } }
  }

  /// 0…1, animatable: how much of it and its subviews is left over what is behind.
  public final var alpha = 1.0 {
    didSet {
      guard alpha.isFinite else {
        alpha = oldValue
        report(.notFinite("\(name).alpha"))
        return
      }
      if alpha != oldValue { window?.alphaChanged(self, from: oldValue) }
    }
  }

  /// Animatable; nil takes the superview's.
  public final var tintColor: Color? {
    didSet { if tintColor != oldValue { window?.colorChanged(self, .tint, from: oldValue, to: tintColor) } }
  }

  /// Animatable; nil leaves what is behind.
  public final var backgroundColor: Color? {
    didSet {
      if backgroundColor != oldValue {
        window?.colorChanged(self, .background, from: oldValue, to: backgroundColor)
      }
    }
  }

  /// Animatable; moves drawing and hit testing, never the layout.
  public final var transform = Transform.identity {
    didSet {
      guard transform.isFinite else {
        transform = oldValue
        report(.notFinite("\(name).transform"))
        return
      }
      if transform != oldValue { window?.transformChanged(self, from: oldValue) }
    }
  }

  /// How a turned view is drawn.
  public final var rotationStyle = RotationStyle.sampled {
    didSet { if rotationStyle != oldValue { setNeedsDisplay() } }
  }

  /// Whether its background ends on whole cells or on eighths of one.
  public final var edgeStyle = EdgeStyle.wholeCells {
    didSet { if edgeStyle != oldValue { setNeedsDisplay() } }
  }

  /// For controls: its recognizers get nothing while it is false.
  public final var isEnabled = true {
    didSet { if isEnabled != oldValue { setNeedsDisplay() } }
  }

  /// When false, neither it nor its subviews can be hit.
  public final var isUserInteractionEnabled = true

  /// Its size along the axis of a ``StackGroup`` it is in, in cells.
  public final var explicitSize: Double? {
    didSet {
      guard explicitSize?.isFinite ?? true else {
        explicitSize = oldValue
        report(.notFinite("\(name).explicitSize"))
        return
      }
      if explicitSize != oldValue { superview?.childSizeChanged() }
    }
  }

  /// Its part of what explicit sizes leave in a ``StackGroup``, in hundredths; wins over an explicit size.
  public final var percentageSize: Double? {
    didSet {
      guard percentageSize?.isFinite ?? true else {
        percentageSize = oldValue
        report(.notFinite("\(name).percentageSize"))
        return
      }
      if percentageSize != oldValue { superview?.childSizeChanged() }
    }
  }

  public internal(set) final var gestureRecognizers: [GestureRecognizer] = []

  /// Position by hand, relative to the superview; nil while constraints place the view.
  final var manualFrame: Rect?
  final var needsLayoutSubviews = true
  /// The last layout pass that laid out its subviews.
  final var lastLayoutPass = 0
  /// What it had to say while it was in no window.
  final var unheardDiagnostics: [LayoutDiagnostic] = []
  final var intrinsic = IntrinsicSize()
  /// What animations add to colors, alpha and transform; nil while none ever did.
  final var appearance: AppearanceOffsets?
  final var boundsObservers: [BoundsObservation.Entry] = []

  public override init() { super.init() }

  public convenience init(identifier: String) {
    self.init()
    self.identifier = identifier
  }

  final override var hostView: View? { self }

  override var defaultName: String { tag == 0 ? "\(type(of: self))" : "\(type(of: self))#\(tag)" }

  /// Says in an intrinsic size that the content has no opinion about that axis.
  public static let noIntrinsicMetric = -1.0

  /// The size its content would like, or nil. Call ``invalidateIntrinsicContentSize()`` when it changes.
  open var intrinsicContentSize: Size? { nil }

  /// Places subviews that have no constraints. Called after the view's own size is known and has changed, or after
  /// ``setNeedsLayout()``.
  open func layoutSubviews() {}

  /// Draws the view. `rect` is where it is on screen, in window coordinates; it may lie partly or wholly outside the
  /// canvas's clip. The background is there already; subviews follow.
  open func draw(in rect: CellRect, on canvas: any CellCanvas) {}

  /// An event that no recognizer took, first to the view that was hit or has the focus, then to its superviews.
  /// - Returns: whether it was used.
  open func handle(_ event: InputEvent) -> Bool { false }

  /// Called when a subview has come, and when one is about to go.
  open func didAddSubview(_ subview: View) {}
  open func willRemoveSubview(_ subview: View) {}

  /// Called after the view or one above it has been put into a window or taken out of one.
  open func didMoveToWindow() {}

  /// Whether the point belongs to the view; window coordinates with the view's transforms undone.
  open func contains(_ point: Point) -> Bool {
    let edges = snapped.values + Edges.snap(offset)
    let x = point.x.rounded(.down)
    let y = point.y.rounded(.down)
    return x >= edges.x && x < edges.z && y >= edges.y && y < edges.w
  }
}
