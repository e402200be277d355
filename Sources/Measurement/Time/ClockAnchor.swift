/// One instant read on both clocks, so that monotonic stamps can be shown as times of day. A run stores one at its
/// start and a new one whenever the wall clock was stepped or the host slept.
public struct ClockAnchor: Sendable, Hashable {
  public var monotonic: MonotonicTime
  public var wall: WallTime

  public init(monotonic: MonotonicTime, wall: WallTime) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Reads both clocks, the wall's between two readings of the monotonic one, and keeps the tightest of a few tries.
  public init(reading clock: any HostClock, tries: Int = 5) {
    var best: (anchor: ClockAnchor, width: Int64)?
    for _ in 0..<max(1, tries) {
      let before = clock.monotonicNow()
      let wall = clock.wallNow()
      let after = clock.monotonicNow()
      let width = after.nanoseconds - before.nanoseconds
      if best.map({ width < $0.width }) ?? true {
        let middle = MonotonicTime(nanoseconds: before.nanoseconds + width / 2)
        best = (ClockAnchor(monotonic: middle, wall: wall), width)
      }
    }
    self = best?.anchor ?? ClockAnchor(monotonic: clock.monotonicNow(), wall: clock.wallNow())
  }

  /// The time of day at a monotonic instant, as this anchor has it.
  public func wall(at instant: MonotonicTime) -> WallTime {
    wall.advanced(byMicroseconds: instant.microseconds - monotonic.microseconds)
  }

  /// How far the wall clock has moved against this anchor since, µs; about 0 while nobody steps it.
  public func step(to later: ClockAnchor) -> Int64 {
    later.wall.microseconds - wall(at: later.monotonic).microseconds
  }
}
