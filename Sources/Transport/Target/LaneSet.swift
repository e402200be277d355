import Measurement

/// The lanes of one target: at most one that is being opened, one that new requests go onto, and those that only have answers
/// to give.
final class LaneSet {
  private let target: TransportTarget
  private let index: Int
  private unowned(unsafe) let environment: any LaneEnvironment
  private var lanes: [any Lane] = []
  /// Lanes to another origin than that of the newest request: what is under way on them may be answered.
  private var retired: [any Lane] = []
  /// Peers that were found not to speak HTTP/2, with what is to be said about that.
  private var http1: [Origin: String] = [:]

  init(target: TransportTarget, index: Int, environment: any LaneEnvironment) {
    self.target = target
    self.index = index
    self.environment = environment
  }

  private var all: [any Lane] { retired.isEmpty ? lanes : retired + lanes }

  /// The phase of the connection that is being opened.
  var opening: ConnectionStage? {
    for lane in lanes { if let stage = lane.opening { return stage } }
    return nil
  }

  /// The lane that new requests go onto, once there is one.
  var usable: (any Lane)? {
    if let newest = lanes.last, newest.isUsable { return newest }
    return lanes.last { $0.isUsable }
  }

  /// Taken and unanswered, over all lanes.
  var inFlight: Int {
    var sum = 0
    for lane in lanes { sum += lane.inFlight }
    for lane in retired { sum += lane.inFlight }
    return sum
  }

  var deadline: MonotonicTime? { all.compactMap(\.deadline).min() }

  /// Opens a connection for a request.
  /// - Returns: whether there was memory for it.
  func open(for request: OutgoingRequest) -> Bool {
    let origin = request.url.origin
    let remark = http1[origin]
    let lane: (any Lane)? =
      if origin.isEncrypted, remark == nil, CurlConnection.carriesBytes {
        HTTP2Lane(for: request, target: target, index: index, environment: environment)
      } else {
        CurlLane(
          for: request,
          version: !origin.isEncrypted || CurlConnection.carriesBytes ? .http1 : .negotiated,
          remark: remark ?? "", target: target, index: index, environment: environment)
      }
    guard let lane else { return false }
    lanes.append(lane)
    return true
  }

  /// Sends requests to this origin by HTTP/1.1 from now on.
  func recordHTTP1(_ origin: Origin, isByALPN: Bool) {
    http1[origin] = isByALPN ? "" : "; the peer took no part in ALPN, so it was spoken to in HTTP/1.1"
  }

  /// The peer could not be reached: it may be another one the next time.
  func forget(_ origin: Origin) { http1[origin] = nil }

  /// Keeps new requests off lanes to other origins.
  func retireLanes(except origin: Origin) {
    guard lanes.contains(where: { $0.origin != origin }) else { return }
    retired += lanes.filter { $0.origin != origin }
    lanes.removeAll { $0.origin != origin }
  }

  func socketReady(_ event: Poller.Readiness, fd: Int32) {
    all.first { $0.owns(fd) }?.socketReady(event, fd: fd)
  }

  func step(at now: MonotonicTime) { for lane in all { lane.step(at: now) } }

  /// When the lane that new requests go onto wants its next PING.
  var nextProbe: MonotonicTime? { usable?.nextProbe }

  /// Accepts the PING that is due; it leaves with ``flush()``.
  func probePath(at now: MonotonicTime) { usable?.probePath(at: now) }

  func flush() { for lane in all { lane.flush() } }

  func settleInterests() { for lane in all { lane.settleInterests() } }

  /// What all lanes have to tell. Lanes that are over, or retired and idle, are dropped.
  /// - Parameter events: empty before; its memory is used.
  func drainEvents(_ events: inout [LaneEvent]) {
    for lane in retired where lane.inFlight == 0 { lane.close() }
    if retired.isEmpty, lanes.count == 1 {
      lanes[0].exchangeEvents(with: &events)
    } else {
      for lane in all {
        var told: [LaneEvent] = []
        lane.exchangeEvents(with: &told)
        events += told
      }
    }
    if lanes.contains(where: { $0.isOver }) { lanes.removeAll { $0.isOver } }
    if !retired.isEmpty { retired.removeAll { $0.isOver } }
  }

  /// Returns the request that a connection is being opened for.
  func cancelOpening() -> OutgoingRequest? {
    for lane in lanes { if let request = lane.cancelOpening() { return request } }
    return nil
  }

  func close() { for lane in all { lane.close() } }
}
