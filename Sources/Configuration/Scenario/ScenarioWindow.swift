/// A stretch of scenario time, which starts with the first request; once, or again and again.
public struct ScenarioWindow: Sendable, Hashable {
  public var from: Duration
  public var length: Duration
  /// From the beginning of one to that of the next; longer than the length.
  public var every: Duration?

  public init(from: Duration, length: Duration, every: Duration? = nil) {
    self.from = from
    self.length = length
    self.every = every
  }

  /// The next beginning or end after `time`; `nil` when all is over.
  public func nextEdge(after time: Duration) -> Duration? {
    guard time >= from else { return from }
    var begin = from
    if let every { begin += every * Int((time - from) / every) }
    if time < begin + length { return begin + length }
    return every.map { begin + $0 }
  }

  /// When the stretch that `time` lies in is over; `nil` when it lies in none. The end belongs to what follows.
  public func end(at time: Duration) -> Duration? {
    guard time >= from else { return nil }
    var begin = from
    if let every { begin += every * Int((time - from) / every) }
    return time < begin + length ? begin + length : nil
  }
}
