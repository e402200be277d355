import Measurement

extension ViewState {
  /// The metrics on display, the one that quantiles are given of first.
  func metrics(in snapshot: Snapshot) -> [Metric] {
    let first = metric(in: snapshot)
    guard plot.arrangement != .single else { return [first] }
    let hasReceipts = shownTargets(in: snapshot).contains { snapshot.targets[$0].expectsReceipts }
    switch first {
    case .delivery: return [.delivery, .accept]
    case .accept: return [.accept, hasReceipts ? .delivery : .service]
    case .service: return [.service, .accept]
    }
  }
}
