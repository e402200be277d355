import Foundation

/// How long something took, by the clock on the wall and by the CPU of this process.
struct Span {
  var wall: Double
  var cpu: Double

  static func measure(_ body: () throws -> Void) rethrows -> Span {
    let start = now()
    try body()
    let end = now()
    return Span(wall: end.wall - start.wall, cpu: end.cpu - start.cpu)
  }

  static func now() -> Span { Span(wall: read(CLOCK_MONOTONIC), cpu: read(CLOCK_PROCESS_CPUTIME_ID)) }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
