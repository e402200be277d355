import Measurement

/// Why a connection that stood is no longer worth having: the peer ended it before it gave one answer, or refuses what comes on
/// it. The next connection is opened after a pause.
struct ConnectionFault: Sendable, Equatable {
  var reason: FailureReason
  /// The detail of events and log lines, as text for people.
  var detail: String
}

/// What a connection has been good for since it stands, as a value.
///
/// A peer that refuses a stream has done nothing with its request and says nothing about the others (RFC 9113, section 8.7), so
/// the connection is kept. ``refusalsToGiveUp`` refusals without an answer between them say that it will go on like that.
struct ConnectionHealth: Sendable {
  static let refusalsToGiveUp = 20

  private(set) var hasAnswered = false
  /// The number of refusals since the last answer.
  private var refusals = 0
  private var isFaultTold = false

  /// A request was answered, whatever the status.
  mutating func recordAnswer() {
    hasAnswered = true
    refusals = 0
  }

  /// The peer refused a stream.
  /// - Returns: the fault, when this was one refusal too many.
  mutating func recordRefusal() -> ConnectionFault? {
    refusals += 1
    guard refusals >= Self.refusalsToGiveUp else { return nil }
    return makeFault(
      .refusedStream, "the peer refused \(refusals) requests in a row on one connection (REFUSED_STREAM)")
  }

  /// - Returns: the fault, when the peer sends an error before any answer. After NO_ERROR what is under way may be answered.
  mutating func record(_ goaway: HTTP2Goaway) -> ConnectionFault? {
    guard !hasAnswered, goaway.code != .noError else { return nil }
    return makeFault(.goaway, Self.words(of: goaway))
  }

  /// The peer ended the connection, or it was lost.
  /// - Parameters:
  ///   - goaway: what the peer sent before.
  ///   - failure: what became of the requests on it.
  /// - Returns: the fault, when it never gave an answer and no fault was told before.
  mutating func recordEnd(
    after goaway: HTTP2Goaway? = nil, by failure: RequestFailure? = nil
  ) -> ConnectionFault? {
    guard !hasAnswered else { return nil }
    if let goaway { return makeFault(.goaway, Self.words(of: goaway)) }
    let why = failure.map { ": \($0.detail)" } ?? ""
    return makeFault(
      failure?.reason == .tls ? .tls : .connect, "the connection was lost before it had given an answer\(why)"
    )
  }

  private static func words(of goaway: HTTP2Goaway) -> String {
    "the peer ended the connection before it had given an answer: GOAWAY (\(goaway.code))"
  }

  private mutating func makeFault(_ reason: FailureReason, _ detail: String) -> ConnectionFault? {
    guard !isFaultTold else { return nil }
    isFaultTold = true
    return ConnectionFault(reason: reason, detail: detail)
  }
}
