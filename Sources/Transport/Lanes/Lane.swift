import Measurement
import Providers

/// One notification on its way: its request and what has come of it. Belongs to the timing thread.
final class OutgoingRequest {
  let notification: PlannedNotification
  let request: PushRequest
  let url: RequestURL
  /// How often it is on the wire once it was sent: 1, or 2 after a refusal.
  let attempt: Int
  /// What the first attempt came to.
  let firstFailure: RequestFailure?
  /// The epoch of ``CredentialCircuitBreaker`` that it leaves in.
  var credentialEpoch = 0
  /// Which of the target's receivers it goes to.
  var receiverEpoch = 0
  /// When a lane took it; its timeout counts from then.
  var taken = MonotonicTime.zero
  var sent: MonotonicTime?
  /// When the peer's TCP had acknowledged its last byte, where the kernel was asked and said so.
  var acknowledged: MonotonicTime?
  /// The earliest place of its first byte among all bytes of its HTTP/2 connection.
  var firstByte = 0
  /// The connection's use, known as soon as the request goes onto a connection.
  var use: ConnectionUse?
  /// When the headers of its answer were complete.
  var answered: (time: MonotonicTime, source: TimestampSource)?

  init(
    _ notification: PlannedNotification, _ request: PushRequest, url: RequestURL,
    after firstFailure: RequestFailure? = nil
  ) {
    self.notification = notification
    self.request = request
    self.url = url
    self.firstFailure = firstFailure
    attempt = firstFailure == nil ? 1 : 2
  }
}

extension OutgoingRequest {
  /// The time from its leaving until the peer's TCP had acknowledged it, µs; `nil` for a second attempt, which did
  /// not leave at ``sent``.
  var peerAck: Int64? {
    guard attempt == 1, let sent, let acknowledged, acknowledged >= sent else { return nil }
    return acknowledged.microseconds - sent.microseconds
  }
}

/// A complete answer.
struct LaneAnswer {
  var status: Int
  /// The form of ``ResponseHeaders``.
  var headerLines: [UInt8]
  var body: [UInt8]
  var version: HTTPVersion
  /// When its headers were complete, by `source`.
  var at: MonotonicTime
  var source: TimestampSource
  /// The round trip of the newest PING on the connection, µs (``PathProbe``).
  var path: Int64?
  /// The time from the request's leaving until the peer's TCP had acknowledged it, µs.
  var peerAck: Int64?
}

/// What a lane has to tell, in the order in which it came about.
enum LaneEvent {
  /// The connection stands and has this number.
  case connected(Int64)
  /// No connection came to stand. The request that it was opened for was not sent.
  case failedToConnect(OutgoingRequest, RequestFailure)
  /// The peer does not speak HTTP/2; the request that the connection was opened for is to go onto another kind of lane.
  case negotiatedHTTP1(OutgoingRequest, isByALPN: Bool)
  /// It left; `at` is the kernel's stamp or, where there is none, our clock just before.
  case sent(OutgoingRequest, at: MonotonicTime, isKernel: Bool)
  case answered(OutgoingRequest, LaneAnswer)
  case failed(OutgoingRequest, RequestFailure)
  /// A PING was answered; the round trip is in µs.
  case pinged(connection: Int64, roundTrip: Int64, at: MonotonicTime)
  /// The peer ended the connection because it had too much to do for us (ENHANCE_YOUR_CALM), PINGs among it.
  case refusedPings(connection: Int64)
  /// The peer's SETTINGS state how many streams it takes at once.
  case streamLimit(Int)
  case goaway(connection: Int64, detail: String)
  /// The connection is not worth having although it stood; told once, at the latest before ``disconnected(connection:detail:)``.
  case faulty(ConnectionFault)
  /// The connection that stood is over; what was under way was told before.
  case disconnected(connection: Int64, detail: String)
}

/// What lanes need of the timing thread. It outlives them and what else it owns, so they refer to it without counting: that is done
/// several times a request.
protocol LaneEnvironment: AnyObject {
  func now() -> MonotonicTime
  var offset: RealtimeOffset { get }
  func nextConnectionID() -> Int64
  /// - Returns: whether epoll watches the descriptor now.
  func watch(_ fd: Int32, target: Int, events: UInt32, isNew: Bool) -> Bool
  func unwatch(_ fd: Int32)
}

/// One connection, from the moment it is opened for a request until it is over. Requests go onto it, events come out.
///
/// A lane never opens a second connection and never sends a request twice. Not thread-safe; it calls nobody.
protocol Lane: AnyObject {
  var origin: Origin { get }
  /// The phase that opening has come to; `nil` once the connection stands or is over.
  var opening: ConnectionStage? { get }
  /// The connection stands, and new requests may go onto it.
  var isUsable: Bool { get }
  /// Nothing is under way and nothing will be: the lane can be dropped.
  var isOver: Bool { get }
  /// Requests that it takes now.
  var freePlaces: Int { get }
  /// Taken and unanswered.
  var inFlight: Int { get }

  /// Whether a request can be made ready before its instant and be held until ``flush()``.
  func canHold(_ request: OutgoingRequest) -> Bool
  /// Accepts a request; it leaves with ``flush()``. The first one opens the connection.
  func accept(_ request: OutgoingRequest)
  /// Does what can be done before the instant of what was taken, so that ``flush()`` only lets it go.
  func hold()
  /// Returns the request that the connection is being opened for, and ends the lane.
  func cancelOpening() -> OutgoingRequest?
  /// When the next PING is due; `nil` where none is.
  var nextProbe: MonotonicTime? { get }
  /// Accepts the PING that is due; it leaves with ``flush()``.
  func probePath(at now: MonotonicTime)
  /// Lets what was taken leave.
  func flush()
  func owns(_ fd: Int32) -> Bool
  func socketReady(_ event: Poller.Readiness, fd: Int32)
  /// Does what is due by the clock.
  func step(at now: MonotonicTime)
  var deadline: MonotonicTime? { get }
  /// Tells epoll what changed.
  func settleInterests()
  /// Gives what it has to tell for an empty list whose memory it can use.
  func exchangeEvents(with taken: inout [LaneEvent])
  /// Closes the connection and tells nothing more of requests.
  func close()
}

extension Lane {
  /// Only HTTP/2 has a PING.
  var nextProbe: MonotonicTime? { nil }

  func probePath(at now: MonotonicTime) {}
}
