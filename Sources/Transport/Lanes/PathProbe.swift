import Measurement

/// When an HTTP/2 connection is to be asked for its round trip by PING (RFC 9113, section 6.7), and what came of it.
///
/// At most one PING is unanswered: a peer that does not answer is not asked again on this connection.
struct PathProbe: Sendable {
  /// How long an answered PING speaks for what is answered after it.
  static let lifetime = Duration.seconds(30)

  private struct Unanswered {
    var token: UInt64
    /// Where its last byte is among all bytes of the connection; `nil` until it is written.
    var offset: Int?
    var sent: MonotonicTime?
  }

  private let interval: Duration
  private var tokens: SeededGenerator
  private var due: MonotonicTime?
  private var unanswered: Unanswered?
  private var newest: (roundTrip: Int64, at: MonotonicTime)?
  /// PINGs so far.
  private(set) var count = 0

  /// - Parameter seed: of the bytes that the PINGs carry, so that a peer cannot answer one before it has it.
  init(every interval: Duration, seed: UInt64) {
    self.interval = interval
    tokens = SeededGenerator(seed: seed)
  }

  /// When the next PING is due; `nil` before the connection has given an answer and while one is unanswered.
  var nextDue: MonotonicTime? { unanswered == nil ? due : nil }

  /// The connection has given an answer: the first PING is due.
  mutating func recordReady(at now: MonotonicTime) { if due == nil { due = now } }

  /// Begins the PING that is due.
  /// - Returns: its 8 bytes; `nil` where none is due.
  mutating func beginPing(at now: MonotonicTime) -> UInt64? {
    guard let next = nextDue, now >= next else { return nil }
    let token = tokens.next()
    due = now + interval
    unanswered = Unanswered(token: token)
    count += 1
    return token
  }

  /// The PING became bytes, of which the last one has this offset.
  mutating func recordWritten(_ token: UInt64, offset: Int) {
    if unanswered?.token == token { unanswered?.offset = offset }
  }

  /// The connection took all bytes up to an offset.
  mutating func recordSent(through offset: Int, at instant: MonotonicTime) {
    guard let end = unanswered?.offset, end <= offset, unanswered?.sent == nil else { return }
    unanswered?.sent = instant
  }

  /// An answer arrived.
  /// - Parameters:
  ///   - arrived: the kernel's stamp of it.
  ///   - now: our clock, for an answer without a usable stamp.
  /// - Returns: the round trip in µs and when it ended; `nil` where the answer is not one to a PING that was sent.
  mutating func recordAnswer(
    _ token: UInt64, arrived: MonotonicTime?, now: MonotonicTime
  ) -> (roundTrip: Int64, at: MonotonicTime)? {
    guard let asked = unanswered, asked.token == token, let sent = asked.sent else { return nil }
    unanswered = nil
    let at = arrived.flatMap { sent <= $0 && $0 <= now ? $0 : nil } ?? now
    let answer = (roundTrip: max(0, at.microseconds - sent.microseconds), at: at)
    newest = answer
    return answer
  }

  /// The round trip, µs, that speaks for an answer of this instant: the newest, unless it is older than ``lifetime``.
  func roundTrip(at instant: MonotonicTime) -> Int64? {
    newest.flatMap { instant - $0.at <= Self.lifetime ? $0.roundTrip : nil }
  }
}
