import Glibc
import Measurement

/// Upper ends of the buckets that latencies are counted in, in µs.
struct LatencyBuckets: Sendable, Equatable {
  let bounds: [Int64]

  /// 1-2-5 from 100 µs to 1 h.
  static let standard: [Int64] = {
    var bounds: [Int64] = []
    var decade: Int64 = 100
    let hour = Duration.hours(1).microseconds
    while decade < hour {
      bounds += [decade, 2 * decade, 5 * decade].filter { $0 < hour }
      decade *= 10
    }
    return bounds + [hour]
  }()

  /// - Parameter limits: of objectives, µs; their shares are then known exactly.
  init(limits: [Int64] = []) { bounds = Set(Self.standard + limits).sorted() }

  /// The first bucket whose upper end is not below the value; the number of bounds for a value above all.
  func index(of value: Int64) -> Int {
    bounds.partitioningIndex { $0 >= value }
  }
}

/// Latencies counted since the collector started: in classic buckets, and in the exponential ones of Prometheus' native
/// histograms.
struct LatencyDistribution: Sendable {
  /// A notification that stands for a bucket.
  struct Exemplar: Sendable, Equatable {
    /// The name of the label with ``notification``.
    static let label = "notification_id"

    var notification: NotificationID
    /// µs.
    var value: Int64
    var at: WallTime
  }

  let buckets: LatencyBuckets
  /// One more than there are bounds; not cumulative.
  private(set) var counts: [UInt64]
  private(set) var exemplars: [Exemplar?]
  private(set) var count: UInt64 = 0
  /// µs.
  private(set) var sum: Int64 = 0
  /// Counts by index (``NativeHistogram``), not cumulative.
  private(set) var native: [Int: UInt64] = [:]
  /// Values of 0.
  private(set) var zeros: UInt64 = 0

  init(_ buckets: LatencyBuckets) {
    self.buckets = buckets
    counts = Array(repeating: 0, count: buckets.bounds.count + 1)
    exemplars = Array(repeating: nil, count: buckets.bounds.count + 1)
  }

  /// - Parameter value: µs; one below 0, which a clock of another resolution can give, counts as 0.
  mutating func record(_ value: Int64, exemplar: (NotificationID, WallTime)? = nil) {
    let value = max(0, value)
    let index = buckets.index(of: value)
    counts[index] += 1
    count += 1
    sum = sum.addingClamped(value)
    if value == 0 {
      zeros += 1
    } else {
      native[NativeHistogram.index(ofMicroseconds: value), default: 0] += 1
    }
    if let (notification, at) = exemplar {
      exemplars[index] = Exemplar(notification: notification, value: value, at: at)
    }
  }
}

/// Prometheus' native histograms of schema 5: 32 buckets for each doubling, each 2.2 % wide.
/// https://prometheus.io/docs/specs/native_histograms/
enum NativeHistogram {
  static let schema: Int32 = 5
  private static let perDoubling = 32
  /// Values up to this one are in the zero bucket, in seconds; the standard's 2^-128.
  static let zeroThreshold = 0x1p-128

  /// The upper ends of the buckets between one half (excluded) and one.
  private static let fractions = (1...perDoubling).map { exp2(Double($0) / Double(perDoubling) - 1) }

  /// The bucket with the value in seconds: the index i with 2^((i-1)/32) < value ≤ 2^(i/32).
  static func index(ofMicroseconds value: Int64) -> Int {
    let seconds = Double(value) / 1e6
    // A significand of at least 1 and below 2; one half of it is what the bounds divide.
    let exponent = Int(seconds.exponent)
    let fraction = seconds.significand / 2
    if fraction == 0.5 { return exponent * perDoubling }
    let place = (0..<perDoubling - 1).partitioningIndex { fractions[$0] >= fraction }
    return exponent * perDoubling + place + 1
  }

  /// A run of buckets without a gap.
  struct Span: Sendable, Equatable {
    /// The distance from the end of the span before; for the first span, the index of its first bucket.
    var offset: Int32
    var length: UInt32
  }

  /// The buckets as the exposition has them: spans, and differences of consecutive counts.
  static func spans(_ buckets: [Int: UInt64]) -> (spans: [Span], deltas: [Int64]) {
    var spans: [Span] = []
    var deltas: [Int64] = []
    var next: Int?
    var last: UInt64 = 0
    for (index, count) in buckets.sorted(by: { $0.key < $1.key }) {
      if let next, next == index {
        spans[spans.count - 1].length += 1
      } else {
        spans.append(Span(offset: Int32(index - (next ?? 0)), length: 1))
      }
      deltas.append(Int64(count) - Int64(last))
      last = count
      next = index + 1
    }
    return (spans, deltas)
  }
}
