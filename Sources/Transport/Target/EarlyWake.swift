import Measurement

/// How long before its planned instant a request is given to a lane. It is made, encrypted and held in the kernel, and leaves at
/// the instant itself, so neither waking up nor that work (30 µs, cold 150) makes it late.
///
/// How much it takes depends on the machine and on what else keeps it busy, so it is learnt: a request that was not ready
/// in time makes the head start longer by as much as a hundred that were make it shorter, and so about one in a hundred is
/// not ready. The thread is awake meanwhile: for a fifth of its time at most, and at high rates, where there is always
/// something to do, not at all.
struct EarlyWake: Sendable, Equatable {
  static let longest = Duration.microseconds(250)
  static let shortest = Duration.microseconds(40)
  private static let first = Duration.microseconds(100)
  private static let longer = Duration.microseconds(10)
  private static let shorter = Duration.nanoseconds(100)
  /// What is later than that waited for something else: a place on the connection, a stalled host.
  private static let curable = Duration.microseconds(500)

  /// 0 for never.
  private(set) var current: Duration
  private let limit: Duration

  /// - Parameter rate: the target's asked rate.
  init(perSecond rate: Double) {
    let microseconds = min(Double(Self.longest.microseconds), 200_000 / rate)
    limit = microseconds < Double(Self.shortest.microseconds) ? .zero : .microseconds(Int64(microseconds))
    current = min(limit, Self.first)
  }

  /// Learns from a request.
  /// - Parameter spare: how long before its instant it was ready; below 0 when it was late.
  mutating func record(spare: Duration) {
    guard limit > .zero else { return }
    if spare >= .zero {
      current = max(Self.shortest, current - Self.shorter)
    } else if spare > .zero - Self.curable {
      current = min(limit, current + Self.longer)
    }
  }
}
