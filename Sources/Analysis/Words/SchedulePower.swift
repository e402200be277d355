import Findings
import Glibc
public import Measurement

/// What a detector that has learned for some days finds at a rate: asked of the detector itself, which is given days in which
/// nothing happens.
public struct SchedulePower: Sendable {
  /// The power for a latency that varies as those of push services usually do; `nil` where nothing would be found.
  public let delivery: DetectionPower?
  /// The power for losses where nothing is lost as a rule.
  public let losses: DetectionPower?

  /// The share by which the detector is asked about outages.
  static let outage = 0.9
  /// The usual questions about a latency.
  private static let rises = [1.25, 1.5, 2, 4]
  /// The time that the detector learns from.
  private static let learned = Duration.days(3)
  /// The spread of the logarithms of latencies, and their median, µs.
  private static let spread = 0.25
  private static let median = 150_000.0

  /// Whether a rate is so slow that it has to be asked what is seen at it; it takes less than a second to answer.
  public static func isSlow(_ rate: Double) -> Bool { rate < 1.0 / 30 }

  /// The mean time between notifications at a rate.
  static func interval(of rate: Double) -> Duration { .microseconds(Int64(min(1e15, 1e6 / max(rate, 1e-9)))) }

  /// - Parameter rate: notifications a second, above 0.
  public init(rate: Double) {
    var random = SeededGenerator(seed: 1)
    var latencies = SeriesDetector(.delivery, rate: rate)
    var losses = SeriesDetector(.lost, rate: rate)
    // No detector needs more than one in ten seconds to be asked.
    let interval = max(.seconds(10), Self.interval(of: rate))
    var at = WallTime(seconds: 0)
    let end = at + Self.learned
    while at < end {
      let start = at.floored(to: .seconds(1))
      // Box and Muller.
      let normal = (-2 * log(1 - random.unit())).squareRoot() * cos(2 * .pi * random.unit())
      latencies.append(
        .latencies(PackedLatencies([Int64(Self.median * exp(Self.spread * normal))])), start: start)
      losses.append(.share(events: 0, count: 1), start: start)
      at = at + interval
    }
    latencies.complete(through: end)
    losses.complete(through: end)
    delivery = latencies.power
    self.losses = losses.power
  }

  /// The shortest outage that is found.
  public var shortestOutage: DetectionPower.Step? { losses?.shortest(Self.outage) }

  /// `one notification in 6 min: arriving ×1.5 slower is found after 3 h, an outage of less than 40 min is not`; `nil` where an outage is seen
  /// soon enough.
  public static func warning(rate: Double) -> String? {
    guard rate > 0, isSlow(rate) else { return nil }
    let power = SchedulePower(rate: rate)
    guard power.shortestOutage.map({ .microseconds($0.length) > TargetStatus.usualOutage }) ?? true else {
      return nil
    }
    return "\(OutageText.interval(rate)): \(power.found)"
  }

  /// What is found and what is not.
  private var found: String {
    let most = LengthText.text(DetectionPower.lengths.last ?? 0)
    let rise = Self.rises.lazy.compactMap { size in self.delivery?.shortest(size).map { (size, $0) } }.first
    let slower = rise.map { size, step in
      "arriving \(PowerSentence.size(size, isShare: false)) slower is found after \(LengthText.text(step.delay))"
    }
    let outage = shortestOutage.map { "an outage of less than \(LengthText.text($0.length))" }
    return switch (slower, outage) {
    case (let slower?, let outage?): "\(slower), \(outage) is not"
    case (let slower?, nil): "\(slower), an outage of up to \(most) is not"
    case (nil, let outage?): "neither a slowdown of up to \(most) is found nor \(outage)"
    case (nil, nil): "neither a slowdown nor an outage of up to \(most) is found"
    }
  }
}
