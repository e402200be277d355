import Measurement

/// The notifications with the highest scores of those seen so far, in memory that does not grow with their number.
struct RankedSamples {
  private let count: Int
  private var ranked: [(sample: Sample, score: Int64)] = []

  /// - Parameter count: how many are kept.
  init(count: Int) { self.count = count }

  /// The highest score first; of equal ones the notification that was planned first.
  var samples: [Sample] { ranked.map(\.sample) }

  /// Whether one of this score may be among them.
  func admits(_ score: Int64) -> Bool {
    ranked.count < count || ranked.last.map { score >= $0.score } ?? false
  }

  mutating func insert(_ sample: Sample, score: Int64) {
    func precedes(_ other: (sample: Sample, score: Int64)) -> Bool {
      (other.score, sample.plannedAt, sample.id) > (score, other.sample.plannedAt, other.sample.id)
    }
    ranked.insert((sample, score), at: ranked.partitioningIndex { !precedes($0) })
    if ranked.count > count { ranked.removeLast() }
  }
}
