import HTTPServer
import Measurement

/// A token bucket for each source of recent bad requests. Memory is bounded: sources beyond the maximum share one bucket.
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

  /// The number of sources with a bucket.
  var count: Int { buckets.count }

  /// How long the source must wait; `nil` for not at all.
  func pause(_ source: String, at now: MonotonicTime) -> Duration? {
    guard let bucket = buckets[SourceAddress.group(source)] ?? overflow, limit.regainedPerSecond > 0 else {
      return nil
    }
    let over = spent(bucket, at: now) + Double(limit.badCost) - Double(limit.budget)
    guard over > 0 else { return nil }
    return .nanoseconds(Int64((over / Double(limit.regainedPerSecond) * 1e9).rounded(.up)))
  }

  /// Charges a source for a bad request.
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

  /// The shared bucket, while every other one is taken.
  private var overflow: Bucket? { buckets.count >= limit.maximumSources ? shared : nil }

  private func charged(_ bucket: Bucket?, _ cost: Int, at now: MonotonicTime) -> Bucket {
    let before = bucket.map { spent($0, at: now) } ?? 0
    // After a flood a source waits at most as long as one budget takes to recover.
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

/// How many bad requests a source may send before it is answered 429.
///
/// Valid receipts cost nothing. A wrong MAC, an unknown id and a malformed request cost ``badCost`` each. A duplicate costs 1,
/// because anybody who has seen a receipt can repeat it; so do a clock request, and each clock exchange beyond the number of
/// valid receipts in its batch.
struct SourceLimit: Sendable {
  var budget = 5000
  var regainedPerSecond = 1000
  var badCost = 10
  /// Sources with a bucket of their own; IPv6 ones by their /64.
  var maximumSources = 10_000
}
