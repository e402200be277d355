import Measurement

/// The latencies of the last while, live: bounded memory, any order of arrival, corrections.
///
/// Values are kept in buckets of 0.1 % per 96th of the window, so that the interval is that of rollups with such bins.
/// Memory is about 3 bytes a value at low rates, and at most 97 bins of occupied buckets at high ones.
public struct SlidingLatencies: Sendable {
  private struct Bin {
    var packed = PackedLatencies(bytes: [])
    var added = LatencyAccumulator()
    var additions = 0

    mutating func pack() {
      guard additions > 0 else { return }
      added.add(packed)
      packed = added.packed
      added.removeAll()
      additions = 0
    }
  }

  private let length: Int64
  private let width: Int64
  private var bins: [Int64: Bin] = [:]

  /// - Parameter length: of the window.
  public init(length: Duration) {
    self.length = max(96, length.microseconds)
    width = (self.length + 95) / 96
  }

  /// Counts a latency in µs by the instant that its notification was planned for; with a negative count takes one out.
  public mutating func record(_ latency: Int64, plannedAt: WallTime, count: Int = 1) {
    let index = plannedAt.microseconds / width
    var bin = bins.removeValue(forKey: index) ?? Bin()
    bin.added.add(latency, count: count)
    bin.additions += 1
    if bin.additions >= 256 { bin.pack() }
    bins[index] = bin
  }

  /// Forgets what was planned before the window that ends at an instant.
  public mutating func removeValues(beforeWindowEndingAt end: WallTime) {
    let first = (end.microseconds - length) / width
    bins = bins.filter { $0.key >= first }
  }

  /// The window that ends at an instant; its beginning is rounded to whole bins.
  public func window(endingAt end: WallTime) -> WindowLatencies {
    let first = (end.microseconds - length) / width
    let start = WallTime(microseconds: first * width)
    return WindowLatencies(
      start..<max(start.advanced(byMicroseconds: 1), end),
      bins: bins.lazy.filter { $0.key >= first }.map { index, bin in
        var bin = bin
        bin.pack()
        return LatencyBin(start: WallTime(microseconds: index * width), latencies: bin.packed)
      })
  }
}
