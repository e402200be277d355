import Glibc
import Measurement

/// The daily cycle of a latency: for each hour of the day (UTC), ln of how its median compares with the day's.
///
/// Made from two or more days. Only a clear cycle counts: it is shrunk by how far the days disagree, to nothing when they
/// disagree as much as the hours do.
public struct DailyProfile: Sendable, Hashable, Codable {
  /// The offset at the middle of each hour; 0 for an hour without values.
  private var offsets: [Double]

  /// No cycle.
  public static let flat = DailyProfile(offsets: [Double](repeating: 0, count: 24))

  private init(offsets: [Double]) { self.offsets = offsets }

  public var isFlat: Bool { offsets.allSatisfy { $0 == 0 } }

  /// - Parameter medians: by hour since 1970 (UTC), ln of the median of that hour's values in µs.
  public init(hourlyMedians medians: [Int: Double]) {
    var days: [Int: [Int: Double]] = [:]
    for (hour, median) in medians {
      let day = Int((Double(hour) / 24).rounded(.down))
      days[day, default: [:]][hour - day * 24] = median
    }
    // A day speaks when it has most of its hours: otherwise its mean is not the day's.
    let whole = days.sorted { $0.key < $1.key }.map(\.value).filter { $0.count >= 18 }
    self = .flat
    guard whole.count >= 2 else { return }
    var byHour = [[Double]](repeating: [], count: 24)
    for day in whole {
      // Hour by hour, so that it does not depend on the order of a dictionary.
      let mean = (0..<24).reduce(0.0) { $0 + (day[$1] ?? 0) } / Double(day.count)
      for hour in 0..<24 { if let median = day[hour] { byHour[hour].append(median - mean) } }
    }
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
    func variance(_ values: [Double]) -> Double {
      let center = mean(values)
      return values.reduce(0) { $0 + ($1 - center) * ($1 - center) } / Double(values.count - 1)
    }
    let repeated = byHour.filter { $0.count >= 2 }
    let known = byHour.filter { !$0.isEmpty }.map(mean)
    guard repeated.count >= 12 else { return }
    let noise = mean(repeated.map(variance)) / Double(whole.count)
    // Twice the noise: what is taken off must be more than chance.
    let weight = max(0, 1 - 2 * noise / max(variance(known), 1e-12))
    offsets = byHour.map { $0.isEmpty ? 0 : mean($0) * weight }
  }

  /// ln of the factor by which latencies at an instant differ from the day's, between the middles of hours linearly.
  ///
  /// - Parameter time: µs since 1970.
  func offset(at time: Int64) -> Double {
    let day: Int64 = 86_400_000_000
    let rest = (time % day + day) % day
    let place = Double(rest) / 3_600_000_000 - 0.5
    let hour = place.rounded(.down)
    let part = place - hour
    let index = Int(hour) + 24
    return offsets[index % 24] * (1 - part) + offsets[(index + 1) % 24] * part
  }

  /// The mean of ``offset(at:)`` over a stretch.
  func meanOffset(in stretch: Range<WallTime>) -> Double {
    guard !isFlat else { return 0 }
    let length = stretch.upperBound.microseconds - stretch.lowerBound.microseconds
    // It is linear between the middles of hours: a point every ten minutes says it all.
    let points = Int(min(max(1, length / 600_000_000), 1440))
    let sum = (0..<points).reduce(0.0) { sum, point in
      sum
        + offset(
          at: stretch.lowerBound.microseconds + Int64((Double(point) + 0.5) / Double(points) * Double(length))
        )
    }
    return sum / Double(points)
  }
}
