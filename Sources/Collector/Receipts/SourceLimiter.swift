import HTTPServer
import Measurement

/// A token bucket for each source that has sent nonsense lately. Memory is bounded: when too many sources misbehave
/// at once, those beyond share one bucket.
struct SourceLimiter {
  private struct Bucket {
    var spent: Double
    var at: MonotonicTime
  }

  private let limit: SourceLimit
  private var buckets: [String: Bucket] = [:]
  private var shared: Bucket?

  init(limit: SourceLimit) {
    self.limit = limit
  }

  /// How many sources are remembered.
  var count: Int { buckets.count }

  /// How long the source is to wait; `nil` when it may go on.
  func pause(_ source: String, at now: MonotonicTime) -> Duration? {
    guard let bucket = buckets[SourceAddress.group(source)] ?? overflow, limit.regainedPerSecond > 0 else {
      return nil
    }
    let over = spent(bucket, at: now) + Double(limit.badCost) - Double(limit.budget)
    guard over > 0 else { return nil }
    return .nanoseconds(Int64((over / Double(limit.regainedPerSecond) * 1e9).rounded(.up)))
  }

  /// Notes nonsense from a source.
  mutating func charge(_ source: String, _ cost: Int, at now: MonotonicTime) {
    guard cost > 0 else { return }
    let key = SourceAddress.group(source)
    if buckets[key] == nil, buckets.count >= limit.maximumSources { forgetRecovered(at: now) }
    if buckets[key] == nil, buckets.count >= limit.maximumSources {
      shared = charged(shared, cost, at: now)
    } else {
      buckets[key] = charged(buckets[key], cost, at: now)
    }
  }

  /// The shared bucket, while it stands for sources that found no room.
  private var overflow: Bucket? { buckets.count >= limit.maximumSources ? shared : nil }

  private func charged(_ bucket: Bucket?, _ cost: Int, at now: MonotonicTime) -> Bucket {
    let before = bucket.map { spent($0, at: now) } ?? 0
    // A flood is not held against its source for longer than one budget takes to come back.
    return Bucket(spent: min(before + Double(cost), Double(limit.budget) * 2), at: now)
  }

  private func spent(_ bucket: Bucket, at now: MonotonicTime) -> Double {
    let passed = Double(max(0, (now - bucket.at).nanoseconds)) * 1e-9
    return max(0, bucket.spent - passed * Double(limit.regainedPerSecond))
  }

  private mutating func forgetRecovered(at now: MonotonicTime) {
    buckets = buckets.filter { spent($0.value, at: now) > 0 }
  }
}
