/// Keeps a closure alive that is called when a view's size has changed in a layout pass, before anything is
/// animated or drawn. Let go of it to stop.
public final class BoundsObservation {
  final class Entry {
    weak var token: BoundsObservation?
    let body: (View) -> Void

    init(token: BoundsObservation, body: @escaping (View) -> Void) {
      self.token = token
      self.body = body
    }
  }

  fileprivate init() {}
}

extension View {
  /// Calls `body` in each layout pass that changed this view's size: the place to change constants that depend on
  /// it. The pass goes on until nothing changes any more.
  public final func observeBounds(_ body: @escaping (View) -> Void) -> BoundsObservation {
    let token = BoundsObservation()
    boundsObservers.removeAll { $0.token == nil }
    boundsObservers.append(BoundsObservation.Entry(token: token, body: body))
    return token
  }
}
