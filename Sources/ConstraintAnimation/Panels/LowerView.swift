/// A page and the button that shows it. Neither is kept alive by this.
///
/// The page is held by four constraints to its host, in whichever order their items were written; their constants
/// move it in and out.
public struct LowerView {
  public enum Failure: Error, Sendable, Hashable {
    /// No active constraint ties this edge of the page to its superview.
    case missingConstraint(LayoutAttribute)
    /// The page is in no view.
    case noSuperview
    /// The page's tag is none of the kinds.
    case invalidTag(Int)
    /// The page of this kind is not there (any more).
    case missingPage(Int)
    /// The page is not in the same host as the others.
    case differentHost
  }

  public private(set) weak var view: View?
  public private(set) weak var button: View?
  private let pins: WeakPins

  /// - Throws: `noSuperview`, or `missingConstraint` for the first edge that is not pinned.
  public init(view: View, button: View) throws(Failure) {
    guard let host = view.superview else { throw .noSuperview }
    do throws(MissingEdge) {
      pins = WeakPins(try host.edgeConstraints(of: view))
    } catch {
      throw .missingConstraint(error.attribute)
    }
    self.view = view
    self.button = button
  }

  /// Whether the page is still in its host, held by all four constraints.
  var isIntact: Bool { view?.superview != nil && pins.areActive }

  /// Puts the page a number of hosts away from its place. The host's size in whole cells counts: the page then moves
  /// by whole cells and keeps its size wherever it is.
  func place(at slot: Slot, offset: Vector) {
    guard let host = view?.superview else { return }
    let cells = host.snapped.cells
    displace(
      x: Double(slot.x * cells.width) + offset.dx, y: Double(slot.y * cells.height) + offset.dy)
  }

  func displace(x: Double, y: Double) { pins.displace(x: x, y: y) }
}
