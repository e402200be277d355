import Measurement

/// The times and limits of a ``ChangeDetector``. Tests hand in shorter ones.
public struct DetectorSettings: Sendable, Hashable, Codable {
  /// Width of a bin, µs.
  public var binWidth: Int64
  /// The longest window, µs.
  public var longestWindow: Int64
  /// The age from which there is a reference, µs.
  public var warmUp: Int64
  /// What is younger than this does not belong to the reference, µs; of a young series its younger half.
  public var referenceLag: Int64 = 8 * 3_600_000_000
  /// The length of the reference, µs.
  public var referenceLength: Int64 = 24 * 3_600_000_000
  /// The length of the reference that is taken from the hours just before, µs; 0: there is none. It helps where probes are
  /// few; many have enough in a day's reference.
  public var recentLength: Int64 = 0
  /// The longest window that is tested against it, µs.
  public var longestRecentWindow: Int64 = 3_840_000_000
  /// How often it is taken again, µs.
  public var recentRefresh: Int64 = 900_000_000
  /// How often the reference is taken again, µs.
  public var refresh: Int64 = 3_600_000_000
  /// How long a finding is open before it is lasting and the reference becomes the new behavior, µs.
  public var lastingAfter: Int64 = 3_600_000_000
  /// How long a lasting finding is open before it is the new normal, µs.
  public var normalAfter: Int64 = 7 * 86_400_000_000
  /// The age from which alarm levels are calibrated, µs; until then findings are provisional. `nil`: never.
  public var calibratedAfter: Int64? = 2 * 86_400_000_000
  /// The smallest effect on a latency that is reported: 0.1 is 10 %.
  public var smallestEffect = 0.1
  /// The same while findings are provisional.
  public var provisionalEffect = 0.5
  /// The smallest effect on a share.
  public var smallestShareEffect = 0.01
  /// The instrument's floor: a change of a latency by less is not reported, µs.
  public var floor: Int64 = 0
  /// The alarm level of provisional findings, nats.
  public var provisionalAlarm = 24.5
  /// The same of shares: where one is usual is known sooner than how far a latency wanders. Of independent losses it is reached
  /// by chance in fewer than one of 100 series.
  public var provisionalShareAlarm = 18.0
  /// The lowest alarm level of others, nats.
  public var lowestAlarm = 10.125
  /// The same at the median.
  public var lowestMedianAlarm = 10.125
  /// The same at the median in windows of more than 32 min, in which a series wanders, and a daily cycle that is not known well
  /// enough shows.
  public var lowestLongAlarm = 13.0
  /// The same of shares.
  public var lowestShareAlarm = 12.0
  /// False alarms per target and day.
  public var falseAlarmRate = 0.01
  /// The same at the median of latencies.
  public var medianFalseAlarmRate = 0.005
  /// Cells that the false alarms are shared among: 18 for each latency of the target and 3 for each share.
  public var cells = 21
  /// Length of the blocks whose maxima calibrate the alarm levels, µs.
  public var maximaBlock: Int64 = 7_200_000_000

  /// Settings of established series: bins of 60 s, or 10 s from one notification a second up.
  ///
  /// - Parameter rate: notifications a second.
  public init(rate: Double) {
    binWidth = rate >= 1 ? 10_000_000 : 60_000_000
    longestWindow = rate >= 1 ? 20_480_000_000 : 30_720_000_000
    warmUp = 3_600_000_000
    if rate < 1 { recentLength = 3 * 3_600_000_000 }
    // There are six times as many windows. What lies beyond a level that is far from usual is all that counts, so that the maxima
    // of quiet hours do not say how many there are.
    if rate >= 1 {
      lowestMedianAlarm = 13.5
      lowestLongAlarm = 14.5
      lowestShareAlarm = 13.5
    }
  }

  /// Settings of the first hour: bins of four values' time, at least 1 s, and a reference from 15 s and 100 values
  /// on.
  ///
  /// - Parameter rate: notifications a second.
  public static func firstHour(rate: Double) -> DetectorSettings {
    var settings = DetectorSettings(rate: rate)
    let width = max(1, (4 / max(rate, 1e-6)).rounded(.up))
    settings.binWidth = Int64(min(60, width) * 1e6)
    settings.warmUp = Int64(max(15, 100 / max(rate, 1e-6), 2 * width) * 1e6)
    settings.longestWindow = 1_800_000_000
    settings.refresh = 15_000_000
    settings.calibratedAfter = nil
    return settings
  }

  /// The settings with the alarm level of a metric.
  func applied(to metric: SeriesMetric) -> DetectorSettings {
    var settings = self
    if metric.isShare { settings.provisionalAlarm = provisionalShareAlarm }
    return settings
  }

  /// A reference has so many values at least.
  static let leastValues = 30

  /// Window lengths in bins: powers of two.
  var scales: [Int] {
    var scales = [1]
    while let last = scales.last, Int64(last) * 2 * binWidth <= longestWindow { scales.append(last * 2) }
    return scales
  }

  func bins(_ microseconds: Int64) -> Int { Int(microseconds / binWidth) }

  /// Bins that the detector looks back on.
  var retainedBins: Int {
    let calibration = calibratedAfter ?? 0
    return bins(max(referenceLag + referenceLength, calibration)) + max(1, Int(3_600_000_000 / binWidth)) * 2
  }
}
