import Glibc
import Measurement

/// The daily cycle of a latency: for each hour of the day (UTC), ln of how its median compares with the day's.
///
/// Made from two or more days. Only a clear cycle counts: it is shrunk by how far the days disagree, to nothing when they
/// disagree as much as the hours do. Daily patterns that are known are added to it day by day: on days on which one comes, and to the
/// minute where it comes at once.
public struct DailyProfile: Sendable, Hashable, Codable {
  /// The offset at the middle of each hour; 0 for an hour without values.
  private var offsets: [Double]
  /// What daily patterns add; `nil` where none is known.
  private var rises: [DailyRise]?

  /// No cycle.
  public static let flat = DailyProfile(offsets: [Double](repeating: 0, count: 24))

  private init(offsets: [Double]) { self.offsets = offsets }

  public var isFlat: Bool { offsets.allSatisfy { $0 == 0 } && rises == nil }

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

  /// The profile with daily patterns on top of it.
  ///
  /// - Parameters:
  ///   - medians: as of ``init(hourlyMedians:)``, without what the patterns add.
  ///   - gaps: hours of the day of which nothing is known without the patterns: they lie between those around them.
  init(hourlyMedians medians: [Int: Double], with rises: [DailyRise], gaps: Set<Int>) {
    self.init(hourlyMedians: medians)
    for hour in gaps where gaps.count < 24 {
      func nearest(_ step: Int) -> Double {
        var other = hour
        while gaps.contains(other) { other = (other + step + 24) % 24 }
        return offsets[other]
      }
      offsets[hour] = (nearest(-1) + nearest(1)) / 2
    }
    self.rises = rises
  }

  /// The profile that one direction of a change is told by: where it is not known whether a pattern comes, or when it begins, a
  /// change upward is told from what is usual with it, and one downward from what is usual without.
  func resolved(isDown: Bool) -> DailyProfile {
    var result = self
    result.rises = rises?.map { $0.resolved(isDown: isDown) }
    return result
  }

  /// ln of the factor by which latencies at an instant differ from the day's, between the middles of hours linearly; the lower of the
  /// two where that is not known.
  ///
  /// - Parameter time: µs since 1970.
  func offset(at time: Int64) -> Double { offsets(at: time).lowerBound }

  /// The same; what lies between the two is usual.
  ///
  /// - Parameter time: µs since 1970.
  func offsets(at time: Int64) -> ClosedRange<Double> {
    let day: Int64 = 86_400_000_000
    let rest = (time % day + day) % day
    let place = Double(rest) / 3_600_000_000 - 0.5
    let offset = Self.between(offsets, at: place)
    var (low, high) = (offset, offset)
    for rise in rises ?? [] {
      let heights = rise.heights(at: time)
      low += heights.lowerBound
      high += heights.upperBound
    }
    return low...high
  }

  /// The value between the middles of hours, linearly.
  ///
  /// - Parameter place: in hours since the middle of the first, from -½.
  static func between(_ hours: [Double], at place: Double) -> Double {
    let hour = place.rounded(.down)
    let part = place - hour
    let index = Int(hour) + 24
    return hours[index % 24] * (1 - part) + hours[(index + 1) % 24] * part
  }

  /// The mean of ``offset(at:)`` over a stretch.
  func meanOffset(in stretch: Range<WallTime>) -> Double {
    guard !isFlat else { return 0 }
    let length = stretch.upperBound.microseconds - stretch.lowerBound.microseconds
    // It is linear between the middles of hours, and patterns have steps of ten minutes: a point in each says it all.
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
