import Glibc
import Measurement

/// The nats from which a cell of the scan raises an alarm, calibrated on the maxima of the series' own last week.
struct AlarmCalibration: Sendable, Hashable, Codable {
  struct Level: Sendable, Hashable, Codable {
    var threshold: Double
    /// The scale of the Gumbel distribution of the maxima.
    var scale: Double
  }

  /// The largest nats of each cell in a block of time.
  private struct Block: Sendable, Hashable, Codable {
    var index: Int64
    var bins = 0
    /// Whether the block has no findings.
    var isClean = true
    var values: [Double]
  }

  private var levels: [Level]?
  private var day = Int64.min
  private var maxima: [Block] = []
  private var current: Block?

  var isDone: Bool { levels != nil }

  /// Bytes of storage.
  var memory: Int { maxima.count * 200 }

  /// The level of a cell; before the calibration one for all.
  func level(_ cell: Int, _ settings: DetectorSettings) -> Level {
    levels?[cell] ?? Level(threshold: settings.provisionalAlarm, scale: 1)
  }

  /// Whether it is to be made, or made again: once a day.
  func isDue(on day: Int64) -> Bool { !isDone || day != self.day }

  // MARK: - Maxima

  /// The nats that matter of the windows that end with one bin, by cell: those that raise the block's maximum, and those that
  /// raise an alarm.
  ///
  /// - Parameter start: of the bin, µs since 1970.
  func floors(_ cells: Int, at start: Int64, _ settings: DetectorSettings) -> [WindowScan.Maximum] {
    let block = current.flatMap { $0.index == start / settings.maximaBlock ? $0 : nil }
    let collects = settings.calibratedAfter != nil
    return (0..<cells).map { cell in
      let threshold = level(cell, settings).threshold
      // An alarm is one from the threshold on.
      let seen = collects ? block?.values[cell] ?? 0 : .infinity
      return WindowScan.Maximum(nats: min(seen, threshold.nextDown))
    }
  }

  /// Collects the largest nats of the windows that end with one bin, by cell.
  ///
  /// - Parameter start: of the bin, µs since 1970.
  mutating func collect(_ maxima: [WindowScan.Maximum], at start: Int64, _ settings: DetectorSettings) {
    let index = start / settings.maximaBlock
    if current?.index != index {
      finishBlock(settings)
      current = Block(index: index, values: [Double](repeating: 0, count: maxima.count))
    }
    current?.bins += 1
    for cell in maxima.indices where maxima[cell].nats > current?.values[cell] ?? .infinity {
      current?.values[cell] = maxima[cell].nats
    }
  }

  /// There is a finding in the block of now: its maxima do not count.
  mutating func spoilBlock() { current?.isClean = false }

  private mutating func finishBlock(_ settings: DetectorSettings) {
    guard let block = current else { return }
    current = nil
    let whole = Int(settings.maximaBlock / settings.binWidth)
    // Before the first calibration the bins themselves are there.
    if block.isClean, isDone, block.bins * 10 >= whole * 9 { maxima.append(block) }
    let week = 7 * 86_400_000_000 / settings.maximaBlock
    maxima.removeAll { $0.index < block.index - week }
  }

  /// Measures the maxima of stretches against a reference and against the hours before each bin, block by whole block.
  mutating func measure(
    _ segments: [Range<Int>], of history: BinHistory, against reference: Reference, _ layout: ScanLayout,
    _ settings: DetectorSettings, recent: RecentScan?
  ) {
    let perBlock = max(1, Int(settings.maximaBlock / settings.binWidth))
    for segment in segments where segment.count >= 2 * perBlock {
      // One pass over the segment with its own cumulative counts.
      var scan = WindowScan(reference, layout, startingAt: segment.lowerBound)
      scan.append(segment, of: history)
      var recent = recent
      recent?.reset()
      var normal = NormalStretches()
      normal.restart(at: segment.lowerBound)
      var from = segment.lowerBound
      while from + perBlock <= segment.upperBound {
        var maxima = [WindowScan.Maximum](repeating: .init(nats: 0), count: layout.cells)
        var ofRecent = [WindowScan.Maximum](repeating: .init(nats: 0), count: recent?.layout.cells ?? 0)
        for end in from + 1...from + perBlock {
          scan.raise(&maxima, endingAt: end, notBefore: segment.lowerBound)
          recent?.advance(to: end, of: history, normal: normal, settings)
          recent?.raise(&ofRecent, endingAt: end, notBefore: segment.lowerBound)
        }
        add((maxima + ofRecent).map(\.nats), at: history.start(from), settings)
        from += perBlock
      }
    }
  }

  /// Adds the maxima of a whole block of the first days.
  private mutating func add(_ maxima: [Double], at start: Int64, _ settings: DetectorSettings) {
    self.maxima.append(Block(index: start / settings.maximaBlock, values: maxima))
  }

  // MARK: - Levels

  /// Makes the levels from the maxima.
  ///
  /// - Parameter layouts: whose cells follow one another.
  /// - Returns: whether there were enough.
  mutating func make(on day: Int64, _ layouts: [ScanLayout], _ settings: DetectorSettings) -> Bool {
    guard maxima.count >= 6 else { return false }
    self.day = day
    var levels: [Level] = []
    for layout in layouts {
      for test in 0..<layout.quantiles * layout.directions {
        let columns = (0..<ScanLayout.bandCount).map { band in
          maxima.map { $0.values[levels.count + band] }
        }
        let means = columns.map { $0.reduce(0, +) / Double($0.count) }
        // Gumbel's scale by moments, pooled over the bands.
        let squares = zip(columns, means).map { column, mean -> Double in
          let variance = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(column.count - 1)
          return variance * 6 / (Double.pi * Double.pi)
        }
        let used = layout.usedBands
        let pooled = (used.reduce(0) { $0 + squares[$1] } / Double(max(1, used.count))).squareRoot()
        // Dependence adds to chance; the hours just before are compared with only where it is small.
        let scale = 1 + (layout.isRecent ? 1 : 1.5) * max(0, pooled - 1)
        let isMedian = !layout.isShare && test < layout.directions
        let rate = log(
          12 * Double(settings.cells) / (isMedian ? settings.medianFalseAlarmRate : settings.falseAlarmRate))
        for (band, mean) in means.enumerated() {
          let location = mean - 0.5772 * scale
          let isLong = isMedian && !layout.isRecent && band == ScanLayout.bandCount - 1
          let lowest =
            layout.isShare
            ? settings.lowestShareAlarm
            : isLong
              ? settings.lowestLongAlarm : isMedian ? settings.lowestMedianAlarm : settings.lowestAlarm
          levels.append(
            Level(threshold: max(location + scale * rate, lowest), scale: scale))
        }
      }
    }
    self.levels = levels
    return true
  }
}
