/// An area without looks: it takes part in the layout, draws nothing and cannot be hit. Use it to hold other views
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

  /// Whole cells on screen at the window's time.
  public var cellFrame: CellRect { layoutCells }
}
