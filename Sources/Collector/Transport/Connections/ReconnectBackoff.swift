import Measurement

/// How long to leave a peer in peace after a connection failed: doubling from 0.1 s to 5 s, each wait drawn between half
/// and all of it, so that many collectors do not come back at once.
///
/// Meanwhile due notifications wait in our queue until `max_lag` has passed (``ConnectionAvailability``). The first one
/// waiting at the end of a step opens the connection, and if that fails, it has failed with it. An attempt ends after
/// ``longestAttempt`` at the latest, so that while notifications come due another one begins within 15 s.
struct ReconnectBackoff: Sendable {
  static let shortest = Duration.milliseconds(100)
  static let longest = Duration.seconds(5)
  /// Looking up the name, connecting and the TLS handshake together.
  static let longestAttempt = Duration.seconds(10)

  private(set) var failures = 0
  /// No connection is opened before this.
  private(set) var earliest: MonotonicTime?
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A connection could not be opened, or was lost before it had given one answer.
  mutating func noteFailure(at now: MonotonicTime) {
    failures += 1
    let doubled = Self.shortest.nanoseconds << Int64(min(failures - 1, 20))
    let full = min(doubled, Self.longest.nanoseconds)
    earliest = now + .nanoseconds(full / 2 + Int64(Double(full / 2) * generator.unit()))
  }

  /// The peer asked for more time than the wait gives it.
  mutating func hold(until instant: MonotonicTime) { earliest = max(earliest ?? instant, instant) }

  /// A connection gave an answer.
  mutating func noteSuccess() {
    failures = 0
    earliest = nil
  }

  func permits(at now: MonotonicTime) -> Bool { earliest.map { now >= $0 } ?? true }
}
