import Glibc
import Measurement

/// A causal scan of one series for changes: a function of its complete bins, each looked at once.
///
/// Windows of 1, 2, 4, … bins that end now are tested against a reference from the series' own past: the share above
/// (below) levels that lie an effect worth reporting away from the reference's p50, p90 and p99, against the reference's
/// shares above them. Counts are divided by design effects, so that dependence raises no alarms; the level of the alarm is
/// calibrated on the series' own maxima once two days are known. Memory is bounded (``memory``).
///
/// Measured on simulated days: ×2 for 10 minutes is always found, ×1.25 lasting in 96 % at 4 a minute; about one false
/// alarm in 100 target-days.
public struct ChangeDetector: Sendable {
  /// Everything but the bins: small, and with the bins of the last ``DetectorSettings/retainedBins`` all that a restart needs.
  public struct Checkpoint: Sendable, Hashable, Codable {
    public var metric: SeriesMetric
    public var settings: DetectorSettings
    fileprivate var firstBin = 0
    fileprivate var next = 0
    /// The bins kept, as stretches without a gap.
    fileprivate var recorded: [Stretch] = []
    fileprivate var normal: [Range<Int>] = []
    fileprivate var segmentStart = 0
    fileprivate var scanFrom = 0
    fileprivate var reference: Reference?
    fileprivate var refreshAt = 0
    fileprivate var referenceSize = 0
    fileprivate var effectsAt = Int.min
    fileprivate var calibration: [AlarmLevel]?
    fileprivate var calibratedDay = Int64.min
    fileprivate var maxima: [MaximaBlock] = []
    fileprivate var currentBlock: MaximaBlock?
    fileprivate var profile = DailyProfile.flat
    fileprivate var hourlyMedians: [Int: Double] = [:]
    fileprivate var open: OpenFinding?
    fileprivate var lasting: [OpenFinding] = []
    /// All findings that are open, and those closed since the last call of ``ChangeDetector/removeClosedFindings()``.
    public fileprivate(set) var findings: [Finding] = []

    fileprivate struct Stretch: Sendable, Hashable, Codable {
      var start: Int64
      var count: Int
    }

    /// µs since 1970: the beginning of the first bin that a restart needs; `nil` when it needs none.
    public var firstBinStart: Int64? { recorded.first?.start }
  }

  fileprivate struct AlarmLevel: Sendable, Hashable, Codable {
    var threshold: Double
    var scale: Double
  }

  fileprivate struct MaximaBlock: Sendable, Hashable, Codable {
    var index: Int64
    var bins = 0
    var isClean = true
    var values: [Double]
  }

  /// A finding whose end is looked for.
  fileprivate struct OpenFinding: Sendable, Hashable, Codable {
    var id: Finding.ID
    var reference: Reference
    var cells: [Double]
    var alarmBin: Int
    var startBin: Int
    var searchFrom: Int
    var quantileIndex: Int
    var scale: Int
    /// Cumulative counts per cell, up to and with each bin from `searchFrom` on; older ones are dropped.
    var firstCounts: Int
    var counts: [[Double]]
    var atStart: [Double]
  }

  private var state: Checkpoint
  private var history: BinHistory
  private let scales: [Int]
  private let bands: [Int]
  private let quantiles: Int
  private let directions: Int
  /// Cumulative counts, then above each upper and each lower level, by bin from `sumsFrom` on.
  private var sums: [[Int]] = []
  private var sumsFrom = 0

  public init(_ metric: SeriesMetric, settings: DetectorSettings) {
    self.init(Checkpoint(metric: metric, settings: settings))
  }

  private init(_ state: Checkpoint) {
    self.state = state
    let settings = state.settings
    scales = settings.scales
    bands = scales.map {
      let length = Int64($0) * settings.binWidth
      return length <= 240_000_000 ? 0 : length <= 1_920_000_000 ? 1 : 2
    }
    let isShare = state.metric.isShare
    quantiles = isShare ? 1 : Reference.quantiles.count
    directions = isShare ? 1 : 2
    history = BinHistory(width: settings.binWidth, isShare: isShare, startingAt: state.firstBin)
  }

  /// Restores a detector.
  ///
  /// - Parameter bins: by their start in µs since 1970, those from ``Checkpoint/firstBinStart`` up to the checkpoint; bins
  ///   without values may be left out.
  public init(_ checkpoint: Checkpoint, bins: [Int64: SeriesValues]) {
    self.init(checkpoint)
    history.use(state.profile)
    let nothing: SeriesValues =
      isShare ? .share(events: 0, count: 0) : .latencies(PackedLatencies(bytes: []))
    for stretch in checkpoint.recorded {
      for index in 0..<stretch.count {
        let start = stretch.start + Int64(index) * state.settings.binWidth
        history.append(bins[start] ?? nothing, at: start)
      }
    }
    rebuildSums()
  }

  public var checkpoint: Checkpoint { state }
  public var findings: [Finding] { state.findings }
  public var settings: DetectorSettings { state.settings }
  /// Recorded time, µs.
  public var age: Int64 { Int64(state.next) * state.settings.binWidth }
  /// Whether alarm levels are calibrated.
  public var isCalibrated: Bool { state.calibration != nil }
  public var hasReference: Bool { state.reference != nil }
  /// Bytes held, without those of the findings.
  public var memory: Int {
    let open = ([state.open].compactMap { $0 } + state.lasting).reduce(0) { $0 + $1.counts.count * 64 }
    return history.memory + sums.reduce(0) { $0 + 8 * $1.capacity } + state.maxima.count * 200 + open
  }

  private var isShare: Bool { state.metric.isShare }

  /// From the next reference on, a change of a latency by less than this is not reported, µs.
  mutating func use(floor: Int64) { state.settings.floor = floor }

  /// Forgets the findings that ended before an instant, µs since 1970.
  mutating func removeFindings(endedBefore time: Int64) {
    state.findings.removeAll { $0.hasEnded(before: time) }
  }

  /// Forgets the findings that are closed; they are the store's.
  public mutating func removeClosedFindings() { state.findings.removeAll { !$0.isOpen } }

  // MARK: - Bins

  /// Looks at the next complete bin.
  ///
  /// - Parameter start: the bin's beginning; later than the end of the one before where nothing was recorded between.
  public mutating func append(_ values: SeriesValues, start: WallTime) {
    history.append(values, at: start.microseconds)
    let bin = state.next
    state.next += 1
    if let last = state.recorded.indices.last,
      state.recorded[last].start + Int64(state.recorded[last].count) * state.settings.binWidth
        == start.microseconds
    {
      state.recorded[last].count += 1
    } else {
      state.recorded.append(Checkpoint.Stretch(start: start.microseconds, count: 1))
    }
    extendSums()
    keepBounded()
    if !isShare, state.next % history.binsPerHour == 0, state.settings.calibratedAfter != nil {
      let hour = bin + 1 - history.binsPerHour..<bin + 1
      state.hourlyMedians[Int(history.start(hour.lowerBound) / 3_600_000_000)] = history.logMedian(hour)
      let oldest = Int(start.microseconds / 3_600_000_000) - 14 * 24
      state.hourlyMedians = state.hourlyMedians.filter { $0.key >= oldest }
    }
    followLasting()
    if state.open != nil {
      followOpen()
    } else {
      calibrateWhenDue()
      refreshReferenceWhenDue()
      scan()
    }
  }

  private mutating func keepBounded() {
    // Every hour: whole hours are dropped.
    guard state.next % history.binsPerHour == 0 else { return }
    var keep = state.next - state.settings.retainedBins
    if let open = state.open { keep = min(keep, open.searchFrom) }
    history.removeBins(before: keep)
    var dropped = history.first - state.firstBin
    state.firstBin = history.first
    while dropped > 0, let stretch = state.recorded.first {
      if stretch.count <= dropped {
        dropped -= stretch.count
        state.recorded.removeFirst()
      } else {
        state.recorded[0].count -= dropped
        state.recorded[0].start += Int64(dropped) * state.settings.binWidth
        dropped = 0
      }
    }
    let longest = (scales.last ?? 1) + history.binsPerHour
    let excess = (sums.first?.count ?? 0) - 2 * longest
    if excess > 0 {
      for index in sums.indices { sums[index].removeFirst(excess) }
      sumsFrom += excess
    }
  }

  // MARK: - Reference

  private func bins(_ time: Int64) -> Int { state.settings.bins(time) }

  /// The stretches that the reference is taken from.
  private func referenceSegments() -> [Range<Int>] {
    var segments = state.normal
    if state.next > state.segmentStart { segments.append(state.segmentStart..<state.next) }
    guard let begin = segments.first?.lowerBound else { return [] }
    let warmUp = max(1, bins(state.settings.warmUp))
    let end = min(
      state.next,
      max(state.next - bins(state.settings.referenceLag), (begin + state.next) / 2, begin + warmUp))
    let start = max(end - bins(state.settings.referenceLength), history.first)
    return segments.compactMap {
      let low = max($0.lowerBound, start)
      let high = min($0.upperBound, end)
      return low < high ? low..<high : nil
    }
  }

  private mutating func refreshReferenceWhenDue() {
    guard state.next >= state.refreshAt else { return }
    let segments = referenceSegments()
    let size = segments.reduce(0) { $0 + $1.count }
    let warmUp = max(1, bins(state.settings.warmUp))
    // What replaces a reference must be as long as a first one.
    guard Double(size) >= Double(warmUp) * 0.8 else { return }
    guard var reference = makeReference(segments), reference.count >= 100 else { return }
    let step = max(1, bins(state.settings.refresh))
    state.refreshAt = state.next + (isProvisional ? min(step, max(bins(15_000_000), size / 32, 1)) : step)
    let isDifferentSize = size > state.referenceSize + state.referenceSize / 8 || size < state.referenceSize
    if let old = state.reference, !isDifferentSize, state.next < state.effectsAt + bins(6 * 3_600_000_000) {
      reference.effects = old.effects
    } else {
      measureEffects(&reference, segments)
      state.referenceSize = size
      state.effectsAt = state.next
    }
    use(reference)
  }

  /// Without design effects.
  private func makeReference(_ segments: [Range<Int>]) -> Reference? {
    if isShare {
      var (events, count) = (0, 0)
      for segment in segments {
        for bin in segment {
          events += history.above(0, bin)
          count += history.count(bin)
        }
      }
      return count > 0
        ? Reference(events: events, count: count, effect: state.settings.smallestShareEffect) : nil
    }
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    for segment in segments { history.add(segment, to: &histogram) }
    let effect = isProvisional ? state.settings.provisionalEffect : state.settings.smallestEffect
    let reference = Reference(histogram: histogram, effect: effect, floor: state.settings.floor)
    return reference.count > 0 ? reference : nil
  }

  private func measureEffects(_ reference: inout Reference, _ segments: [Range<Int>]) {
    var counts: [Int] = []
    for segment in segments { for bin in segment { counts.append(history.count(bin)) } }
    reference.effects = (0..<quantiles).map { index in
      var above: [Int] = []
      above.reserveCapacity(counts.count)
      for segment in segments {
        for bin in segment { above.append(history.above(reference.levels[index], bin)) }
      }
      let share =
        isShare ? Double(reference.events) / Double(max(1, reference.count)) : reference.shares[index]
      return Reference.designEffects(above: above, counts: counts, share: share, scales: scales)
    }
  }

  private mutating func use(_ reference: Reference) {
    let old = state.reference
    // What a reference was taken from is not tested against it.
    if old == nil { state.scanFrom = max(state.scanFrom, state.next - 1) }
    state.reference = reference
    if old?.upper != reference.upper || old?.lower != reference.lower || sums.isEmpty { rebuildSums() }
  }

  private mutating func rebuildSums() {
    guard let reference = state.reference else {
      sums = []
      return
    }
    let from = max(history.first, state.next - (scales.last ?? 1) - 1)
    sumsFrom = from
    sums = [[Int]](repeating: [0], count: 1 + quantiles * directions)
    for bin in from..<max(from, state.next) { appendSums(bin, reference) }
  }

  private mutating func extendSums() {
    guard let reference = state.reference, !sums.isEmpty else { return }
    appendSums(state.next - 1, reference)
  }

  private mutating func appendSums(_ bin: Int, _ reference: Reference) {
    sums[0].append((sums[0].last ?? 0) + history.count(bin))
    for index in 0..<quantiles {
      sums[1 + index].append((sums[1 + index].last ?? 0) + history.above(reference.upper[index], bin))
      guard directions == 2 else { continue }
      let down = 1 + quantiles + index
      sums[down].append((sums[down].last ?? 0) + history.above(reference.lower[index], bin))
    }
  }

  // MARK: - Test

  private struct Cell {
    var quantile: Int
    var isDown: Bool
    var scale: Int
    var nats: Double
    var threshold: Double
    var excess: Double
  }

  private var isProvisional: Bool { state.calibration == nil }

  private func cellIndex(_ quantile: Int, _ isDown: Bool, _ band: Int) -> Int {
    (quantile * directions + (isDown ? 1 : 0)) * 3 + band
  }

  /// Calls `body` with each cell's nats (0 or more) for windows that end after a bin.
  private func forEachCell(
    endingAt end: Int, notBefore: Int, reference: Reference, sums: [[Int]], sumsFrom: Int,
    _ body: (_ quantile: Int, _ isDown: Bool, _ scale: Int, _ nats: Double) -> Void
  ) {
    let top = end - sumsFrom
    let total = Double(reference.count)
    for quantile in 0..<quantiles {
      let share = reference.shares[quantile]
      let effects = reference.effects[quantile]
      guard let longest = effects.last else { continue }
      let leastExpected = !isShare && quantile == 2 ? 1.5 : 0.4
      for direction in 0..<directions {
        let cumulative = sums[1 + direction * quantiles + quantile]
        let all = sums[0]
        let above = cumulative[top]
        let count = all[top]
        for (index, scale) in scales.enumerated() {
          let begin = end - scale
          guard begin >= notBefore, begin >= sumsFrom else { break }
          let n = Double(count - all[begin - sumsFrom])
          let k = Double(above - cumulative[begin - sumsFrom])
          let isDown = direction == 1
          // Nothing is to be computed where the shares differ the other way.
          guard isDown ? k < share * n : k > share * n else { continue }
          let effect = effects[index]
          guard n * share >= leastExpected * effect, isDown || k >= 3 else { continue }
          let nats = Likelihood.twoShares(
            k / effect, n / effect, share * total / longest, total / longest)
          body(quantile, isDown, index, nats)
        }
      }
    }
  }

  private mutating func scan() {
    guard let reference = state.reference, !sums.isEmpty else { return }
    let end = state.next
    var best: Cell?
    var maxima = [Double](repeating: 0, count: quantiles * directions * 3)
    forEachCell(
      endingAt: end, notBefore: state.scanFrom, reference: reference, sums: sums, sumsFrom: sumsFrom
    ) { quantile, isDown, scale, nats in
      let index = cellIndex(quantile, isDown, bands[scale])
      maxima[index] = max(maxima[index], nats)
      let level =
        state.calibration?[index]
        ?? AlarmLevel(threshold: state.settings.provisionalAlarm, scale: 1)
      let excess = (nats - level.threshold) / level.scale
      if excess >= 0, excess > best?.excess ?? -1 {
        best = Cell(
          quantile: quantile, isDown: isDown, scale: scale, nats: nats, threshold: level.threshold,
          excess: excess)
      }
    }
    collect(maxima)
    guard let best else { return }
    open(best, reference)
  }

  // MARK: - Calibration

  private mutating func collect(_ values: [Double]) {
    guard state.settings.calibratedAfter != nil else { return }
    let index = history.start(state.next - 1) / state.settings.maximaBlock
    if state.currentBlock?.index != index {
      finishBlock()
      state.currentBlock = MaximaBlock(index: index, values: values)
    }
    state.currentBlock?.bins += 1
    if var block = state.currentBlock {
      for cell in values.indices { block.values[cell] = max(block.values[cell], values[cell]) }
      state.currentBlock = block
    }
  }

  private mutating func finishBlock() {
    guard let block = state.currentBlock else { return }
    state.currentBlock = nil
    let whole = Int(state.settings.maximaBlock / state.settings.binWidth)
    // Before the first calibration the bins themselves are there.
    if block.isClean, !isProvisional, block.bins * 10 >= whole * 9 { state.maxima.append(block) }
    let week = 7 * 86_400_000_000 / state.settings.maximaBlock
    state.maxima.removeAll { $0.index < block.index - week }
  }

  private mutating func calibrateWhenDue() {
    guard let after = state.settings.calibratedAfter, age >= after else { return }
    let day = history.start(state.next - 1) / 86_400_000_000
    guard isProvisional || day != state.calibratedDay else { return }
    if !isShare {
      let profile = DailyProfile(hourlyMedians: state.hourlyMedians)
      if profile != state.profile {
        state.profile = profile
        history.use(profile)
      }
    }
    if isProvisional { measureMaxima() }
    guard state.maxima.count >= 6 else { return }
    let wasProvisional = isProvisional
    state.calibratedDay = day
    let rate = log(12 * Double(state.settings.cells) / state.settings.falseAlarmRate)
    var levels: [AlarmLevel] = []
    for quantile in 0..<quantiles {
      for direction in 0..<directions {
        // Gumbel's scale by moments, pooled over the bands.
        let columns = (0..<3).map { band in
          state.maxima.map { $0.values[cellIndex(quantile, direction == 1, band)] }
        }
        let means = columns.map { $0.reduce(0, +) / Double($0.count) }
        let squares = zip(columns, means).map { column, mean -> Double in
          let variance = column.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(column.count - 1)
          return variance * 6 / (Double.pi * Double.pi)
        }
        let used = squares.indices.filter { band in bands.contains(band) }
        let pooled = (used.reduce(0) { $0 + squares[$1] } / Double(max(1, used.count))).squareRoot()
        let scale = 1 + 1.5 * max(0, pooled - 1)
        for mean in means {
          let location = mean - 0.5772 * scale
          levels.append(
            AlarmLevel(threshold: max(location + scale * rate, state.settings.lowestAlarm), scale: scale))
        }
      }
    }
    state.calibration = levels
    state.refreshAt = 0
    state.effectsAt = Int.min / 2
    if wasProvisional { state.scanFrom = max(state.scanFrom, state.next - 1) }
    sums = []
  }

  /// The maxima of the series' first days against a reference from all of them.
  private mutating func measureMaxima() {
    let segments = (state.normal + [state.segmentStart..<state.next]).compactMap { segment -> Range<Int>? in
      let low = max(segment.lowerBound, history.first)
      return low < segment.upperBound ? low..<segment.upperBound : nil
    }
    guard var reference = makeCalibrationReference(segments) else { return }
    measureEffects(&reference, segments)
    let perBlock = max(1, Int(state.settings.maximaBlock / state.settings.binWidth))
    for segment in segments {
      // One pass over the segment with its own cumulative counts.
      var sums = [[Int]](repeating: [0], count: 1 + quantiles * directions)
      for bin in segment {
        sums[0].append((sums[0].last ?? 0) + history.count(bin))
        for index in 0..<quantiles {
          sums[1 + index].append((sums[1 + index].last ?? 0) + history.above(reference.upper[index], bin))
          guard directions == 2 else { continue }
          let down = 1 + quantiles + index
          sums[down].append((sums[down].last ?? 0) + history.above(reference.lower[index], bin))
        }
      }
      guard segment.count >= 2 * perBlock else { continue }
      var from = segment.lowerBound
      while from + perBlock <= segment.upperBound {
        var block = MaximaBlock(
          index: history.start(from) / state.settings.maximaBlock,
          values: [Double](repeating: 0, count: quantiles * directions * 3))
        for end in from + 1...from + perBlock {
          forEachCell(
            endingAt: end, notBefore: segment.lowerBound, reference: reference, sums: sums,
            sumsFrom: segment.lowerBound
          ) { quantile, isDown, scale, nats in
            let index = cellIndex(quantile, isDown, bands[scale])
            block.values[index] = max(block.values[index], nats)
          }
        }
        state.maxima.append(block)
        from += perBlock
      }
    }
  }

  /// With the effect that findings have after the calibration.
  private func makeCalibrationReference(_ segments: [Range<Int>]) -> Reference? {
    if isShare { return makeReference(segments) }
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    for segment in segments { history.add(segment, to: &histogram) }
    let reference = Reference(
      histogram: histogram, effect: state.settings.smallestEffect, floor: state.settings.floor)
    return reference.count > 0 ? reference : nil
  }

  // MARK: - Findings

  private func effect(_ open: OpenFinding) -> Double {
    open.reference.effects[open.quantileIndex][open.scale]
  }

  /// Counts per cell of a bin.
  private func cellCounts(_ bin: Int, _ reference: Reference) -> [Double] {
    let count = Double(history.count(bin))
    if isShare {
      let events = Double(history.above(0, bin))
      return [count - events, events]
    }
    let above = [count] + reference.levels.map { Double(history.above($0, bin)) } + [0]
    return zip(above, above.dropFirst()).map { $0 - $1 }
  }

  /// The bin from which on the evidence against the reference is strongest, and those that are nearly as likely.
  private func mostLikelyStart(
    _ open: OpenFinding, in range: Range<Int>, until end: Int
  ) -> (start: Int, nearly: ClosedRange<Int>) {
    let effect = effect(open)
    let last = open.counts[end - open.firstCounts]
    var best = -Double.infinity
    var start = range.lowerBound
    var scores: [Double] = []
    for bin in range {
      let before = open.counts[bin - open.firstCounts]
      var score = 0.0
      var sum = 0.0
      for cell in last.indices {
        let k = last[cell] - before[cell]
        sum += k
        score += Likelihood.xlogx(k) - k * log(open.cells[cell])
      }
      score = (score - Likelihood.xlogx(sum)) / effect
      scores.append(score)
      if score > best { (best, start) = (score, bin) }
    }
    let near = scores.indices.filter { scores[$0] >= best - 4 }
    return (start, range.lowerBound + (near.first ?? 0)...range.lowerBound + (near.last ?? 0))
  }

  private mutating func open(_ cell: Cell, _ reference: Reference) {
    let end = state.next
    let lasted = scales[cell.scale]
    let from = max(state.scanFrom, end - max(4 * lasted, 8), history.first)
    var finding = OpenFinding(
      id: Finding.ID(
        metric: state.metric, detectedAt: history.start(end - 1) + state.settings.binWidth),
      reference: reference, cells: reference.cells(isShare: isShare), alarmBin: end, startBin: from,
      searchFrom: from, quantileIndex: cell.quantile, scale: cell.scale, firstCounts: from, counts: [],
      atStart: [])
    var running = [Double](repeating: 0, count: finding.cells.count)
    finding.counts.append(running)
    for bin in from..<end {
      for (index, count) in cellCounts(bin, reference).enumerated() { running[index] += count }
      finding.counts.append(running)
    }
    if isReturn(of: finding, isDown: cell.isDown) { return }
    finding.startBin = mostLikelyStart(finding, in: from..<end, until: end).start
    finding.atStart = finding.counts[finding.startBin - from]
    let quantile = isShare ? nil : Reference.quantiles[cell.quantile]
    var result = Finding(
      id: finding.id, kind: state.metric.kind(isUpward: !cell.isDown),
      status: isProvisional ? .provisional : .open, start: 0, startInterval: nil, end: nil, seenUntil: 0,
      quantile: quantile, before: 0, after: 0, count: 0, effectiveCount: 0,
      window: Int64(lasted) * state.settings.binWidth, statistic: cell.nats, threshold: cell.threshold,
      evidence: Finding.Evidence(
        edges: isShare ? [] : reference.levels.map { LogScale.edge($0 + 1) }, weights: [],
        profile: state.profile))
    describe(&result, finding, until: end)
    state.findings.append(result)
    state.open = finding
    state.currentBlock?.isClean = false
  }

  /// Whether an alarm is the end of a lasting finding: it is the other way, and the finding's own reference explains what
  /// the alarm saw better than the finding does. Closes it then.
  private mutating func isReturn(of alarm: OpenFinding, isDown: Bool) -> Bool {
    for (index, lasting) in state.lasting.enumerated().reversed() {
      guard let place = state.findings.firstIndex(where: { $0.id == lasting.id }),
        state.findings[place].isUpward == (isDown || isShare)
      else { continue }
      let window = max(1, scales[alarm.scale])
      guard let end = returned(lasting, windows: [window], atLeast: 0) else { continue }
      close(index, at: end)
      return true
    }
    return false
  }

  /// The stretches since the alarm that speak for the reference: the bin at which it most likely came back.
  private func returned(_ open: OpenFinding, windows: [Int], atLeast nats: Double) -> Int? {
    let now = state.next
    var best = nats
    var found: (window: Int, shares: [Double])?
    let top = open.counts[now - open.firstCounts]
    for window in windows where window <= now - open.alarmBin && now - window >= open.firstCounts {
      let middle = open.counts[now - window - open.firstCounts]
      let own = zip(middle, open.atStart).map { $0 - $1 }
      let total = own.reduce(0, +)
      let weight = 2 + 0.25 * total
      let index = scales.firstIndex { $0 >= window } ?? scales.count - 1
      let effect = open.reference.effects.map { $0[index] }.max() ?? 1
      var score = 0.0
      var shares: [Double] = []
      for cell in top.indices {
        let share = (own[cell] + weight * open.cells[cell]) / (total + weight)
        shares.append(share)
        score += (top[cell] - middle[cell]) * log(open.cells[cell] / share)
      }
      if score / effect > best {
        best = score / effect
        found = (window, shares)
      }
    }
    guard let found else { return nil }
    // The most likely end, before the alarm too.
    var end = now
    var most = -Double.infinity
    for bin in max(open.startBin + 1, open.firstCounts)..<max(open.startBin + 2, now) {
      let before = open.counts[bin - open.firstCounts]
      var score = 0.0
      for cell in top.indices {
        score += (top[cell] - before[cell]) * log(open.cells[cell] / found.shares[cell])
      }
      if score > most { (most, end) = (score, bin) }
    }
    return end
  }

  private static func follow(_ open: inout OpenFinding, _ counts: [Double], keeping limit: Int) {
    let last = open.counts.last ?? counts
    open.counts.append(zip(last, counts).map { $0 + $1 })
    if open.counts.count > 2 * limit {
      open.firstCounts += open.counts.count - limit
      open.counts.removeFirst(open.counts.count - limit)
    }
  }

  private mutating func followOpen() {
    guard var open = state.open, let place = state.findings.firstIndex(where: { $0.id == open.id }) else {
      state.open = nil
      return
    }
    let now = state.next
    Self.follow(&open, cellCounts(now - 1, open.reference), keeping: Int.max / 4)
    if let end = returned(open, windows: scales, atLeast: 10) {
      state.open = nil
      finish(open, place, end: end)
      if open.startBin > state.segmentStart { state.normal.append(state.segmentStart..<open.startBin) }
      trimNormal()
      state.segmentStart = end
      state.scanFrom = end
      return
    }
    let limit = bins(state.settings.lastingAfter)
    // Told anew each time its length doubles.
    let length = now - open.alarmBin
    if length > 0, length & (length - 1) == 0 {
      let likely = mostLikelyStart(open, in: open.searchFrom..<now, until: now)
      open.startBin = min(likely.start, open.alarmBin)
      open.atStart = open.counts[open.startBin - open.firstCounts]
      describe(&state.findings[place], open, until: now)
    }
    guard now - open.startBin >= limit else {
      state.open = open
      return
    }
    // The new behavior becomes the reference.
    let likely = mostLikelyStart(open, in: open.searchFrom..<max(now, open.searchFrom + 1), until: now)
    open.startBin = likely.start
    open.atStart = open.counts[open.startBin - open.firstCounts]
    describe(&state.findings[place], open, until: now)
    if state.findings[place].status == .open { state.findings[place].status = .lasting }
    state.open = nil
    state.lasting.append(open)
    state.normal = []
    state.segmentStart = open.startBin
    state.scanFrom = now
    state.reference = nil
    sums = []
    state.refreshAt = 0
    state.effectsAt = Int.min / 2
  }

  private mutating func trimNormal() {
    let oldest = state.next - state.settings.retainedBins
    state.normal.removeAll { $0.upperBound <= oldest }
  }

  private mutating func followLasting() {
    let keep = (scales.last ?? 1) + 1
    for index in state.lasting.indices.reversed() {
      let bin = state.next - 1
      Self.follow(
        &state.lasting[index], cellCounts(bin, state.lasting[index].reference), keeping: 2 * keep)
      let lasting = state.lasting[index]
      guard let place = state.findings.firstIndex(where: { $0.id == lasting.id }) else {
        state.lasting.remove(at: index)
        continue
      }
      state.findings[place].seenUntil = history.start(bin) + state.settings.binWidth
      if let end = returned(lasting, windows: scales, atLeast: 10) {
        close(index, at: end)
      } else if state.findings[place].seenUntil - state.findings[place].start >= state.settings.normalAfter {
        state.findings[place].status = .closed
        state.findings[place].isNewNormal = true
        state.lasting.remove(at: index)
      }
    }
  }

  /// A lasting finding's end: its own reference is in force again. A finding opened meanwhile and later ones end with it.
  private mutating func close(_ index: Int, at end: Int) {
    let lasting = state.lasting[index]
    for other in state.lasting[index...] {
      guard let place = state.findings.firstIndex(where: { $0.id == other.id }) else { continue }
      finish(other, place, end: end)
    }
    if let open = state.open, let place = state.findings.firstIndex(where: { $0.id == open.id }) {
      finish(open, place, end: max(end, open.startBin + 1))
    }
    state.open = nil
    state.lasting.removeSubrange(index...)
    state.normal = []
    state.segmentStart = end
    state.scanFrom = end
    state.refreshAt = state.next
    state.effectsAt = Int.min / 2
    state.reference = lasting.reference
    rebuildSums()
  }

  private mutating func finish(_ open: OpenFinding, _ place: Int, end: Int) {
    var open = open
    let from = max(open.searchFrom, open.firstCounts)
    if from < end, end >= open.firstCounts {
      let likely = mostLikelyStart(open, in: from..<max(end, from + 1), until: end)
      if open.firstCounts == open.searchFrom {
        open.startBin = min(likely.start, end - 1)
        open.atStart = open.counts[open.startBin - open.firstCounts]
      }
    }
    describe(&state.findings[place], open, until: end)
    state.findings[place].end = history.start(end)
    if state.findings[place].status != .provisional { state.findings[place].status = .closed }
    state.currentBlock?.isClean = false
  }

  /// Start, effect and evidence as the bins up to `end` show them.
  private func describe(_ finding: inout Finding, _ open: OpenFinding, until end: Int) {
    let width = state.settings.binWidth
    finding.start = history.start(open.startBin)
    finding.seenUntil = history.start(end - 1) + width
    guard end >= open.firstCounts else { return }
    if open.firstCounts == open.searchFrom, open.searchFrom < end {
      let likely = mostLikelyStart(open, in: open.searchFrom..<end, until: end)
      finding.startInterval =
        history.start(likely.nearly.lowerBound) - width...history.start(likely.nearly.upperBound) + width
    }
    let own = zip(open.counts[end - open.firstCounts], open.atStart).map { max(0, $0 - $1) }
    let total = own.reduce(0, +)
    finding.count = Int(total)
    finding.effectiveCount = total / effect(open)
    let smoothing = zip(own, open.cells).map { ($0 + $1) / (total + 1) }
    finding.evidence.weights = zip(smoothing, open.cells).map { log($0 / $1) }
    if isShare {
      finding.before = Double(open.reference.events) / Double(max(1, open.reference.count))
      finding.after = total > 0 ? own[1] / total : 0
      return
    }
    finding.before = LogScale.edge(open.reference.levels[open.quantileIndex] + 1)
    let stretch = max(open.startBin, history.first)..<max(end, open.startBin + 1)
    guard let after = quantile(Reference.quantiles[open.quantileIndex], of: stretch) else { return }
    finding.after = after
    finding.isGettingWorse = isRising(stretch)
    if finding.isGettingWorse { finding.startInterval = nil }
  }

  private func quantile(_ quantile: Double, of bins: Range<Int>) -> Double? {
    var histogram = [Int](repeating: 0, count: LogScale.levels)
    history.add(bins.clamped(to: history.first..<history.end), to: &histogram)
    let total = histogram.reduce(0, +)
    guard total > 0 else { return nil }
    var seen = 0
    for (level, count) in histogram.enumerated() {
      seen += count
      if Double(seen) >= quantile * Double(total) { return LogScale.edge(level + 1) }
    }
    return nil
  }

  /// Whether the median rises by 10 % or more from each third to the next; a third with fewer than 100 values does not say.
  private func isRising(_ bins: Range<Int>) -> Bool {
    let third = bins.count / 3
    guard third >= 1 else { return false }
    let thirds = (0..<3).map { bins.lowerBound + $0 * third..<bins.lowerBound + ($0 + 1) * third }
    guard thirds.allSatisfy({ $0.reduce(0) { $0 + history.count($1) } >= 100 }) else { return false }
    let medians = thirds.compactMap { quantile(0.5, of: $0) }
    return medians.count == 3 && medians[1] >= 1.1 * medians[0] && medians[2] >= 1.1 * medians[1]
  }
}
