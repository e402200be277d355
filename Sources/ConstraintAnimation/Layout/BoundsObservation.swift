/// Keeps a closure registered that is called when a view's size has changed in a layout pass, before anything is
/// animated or drawn. Release it to stop.
public final class BoundsObservation {
  fileprivate init() {}
}

/// The state of a view's ``View/layoutSubviews()``.
struct SubviewLayout {
  private struct Observer {
    weak var token: BoundsObservation?
    let body: (View) -> Void
  }

  var isNeeded = true
  /// The last pass that laid out the subviews.
  var lastPass = 0
  private var observers: [Observer] = []

  /// Calls `body` from now on while the token lives.
  mutating func observe(_ body: @escaping (View) -> Void) -> BoundsObservation {
    let token = BoundsObservation()
    observers.removeAll { $0.token == nil }
    observers.append(Observer(token: token, body: body))
    return token
  }

  func callObservers(of view: View) {
    for observer in observers where observer.token != nil { observer.body(view) }
  }
}
