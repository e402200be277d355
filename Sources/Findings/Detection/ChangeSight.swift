import Measurement

/// What a detector would find, asked of its scans and alarm levels.
///
/// A change of a size and a length is found as often as one of the windows in it raises an alarm: as many values of it as that
/// takes are beyond the level. `FindingsBenchmark promise` measures how often that is.
struct ChangeSight {
  var reference: Reference
  var scan: WindowScan
  var layout: ScanLayout
  /// The scan against the hours just before, where there is one.
  var recent: RecentScan?
  var calibration: AlarmCalibration
  var settings: DetectorSettings

  /// The smallest change of each length that is found in nine of ten cases.
  ///
  /// - Parameters:
  ///   - longest: longer changes are not asked about, µs.
  ///   - isSilent: whether nothing is promised.
  func power(of metric: SeriesMetric, upTo longest: Int64, isSilent: Bool) -> DetectionPower {
    let width = settings.binWidth
    let leastCounts = scan.leastCounts { alarm($0) }
    let leastOfRecent = recent?.leastCounts { alarm(layout.cells + $0) } ?? []
    func delay(_ length: Int64, _ size: Double) -> Double? {
      let change = WindowScan.Change(bins: Double(length) / Double(width), size: size)
      var sight = scan.sight(of: change, leastCounts: leastCounts)
      if sight.probability < WindowScan.confidence, let recent {
        sight = recent.sight(of: change, leastCounts: leastOfRecent)
      }
      return sight.probability >= WindowScan.confidence ? sight.delay : nil
    }
    var steps: [DetectionPower.Step] = []
    let sizes = DetectionPower.sizes(isShare: metric.isShare)
    var most = sizes.count - 1
    for length in DetectionPower.lengths where length >= 2 * width && length <= longest && !isSilent {
      guard var bins = delay(length, sizes[most]) else { continue }
      // What lasts longer is found no later.
      while most > 0, let smaller = delay(length, sizes[most - 1]) { (most, bins) = (most - 1, smaller) }
      steps.append(
        DetectionPower.Step(
          length: length, size: sizes[most], delay: Int64((bins * Double(width)).rounded())))
    }
    return DetectionPower(metric: Stored(metric), rate: reference.rate(binWidth: width), steps: steps)
  }

  private func alarm(_ cell: Int) -> Double { calibration.level(cell, settings).threshold }

  // MARK: - Wander

  /// The largest design effect of a young series' median of which something is promised, to that among windows an eighth as long. Values
  /// that depend on no more than the few before them have 1, whatever their design effect.
  private static let largestWander = 2.0

  /// Whether the median of a reference varies much more among eighths of what is recorded than among windows an eighth as long.
  ///
  /// - Parameter bins: what is recorded, also since the reference.
  static func wanders(_ reference: Reference, in bins: [Int], of history: BinHistory) -> Bool {
    let length = bins.count / 8
    guard length >= 2, let level = reference.levels.first else { return true }
    let share = reference.shares[0]
    func effect(_ length: Int) -> Double {
      var (sum, values, windows) = (0.0, 0, 0)
      for start in stride(from: bins.count % length, to: bins.count, by: length) {
        var (count, above) = (0, 0)
        for bin in bins[start..<start + length] {
          count += history.count(bin)
          above += history.above(level, bin)
        }
        let surplus = Double(above) - Double(count) * share
        sum += surplus * surplus
        values += count
        windows += 1
      }
      return sum / (Double(max(1, values)) * max(1e-9, share * (1 - share)))
    }
    return max(1, effect(length)) / max(1, effect(max(1, length / 8))) > largestWander
  }
}
