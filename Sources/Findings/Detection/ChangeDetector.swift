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
    fileprivate var recorded = RecordedBins()
    fileprivate var normal = NormalStretches()
    fileprivate var scanFrom = 0
    fileprivate var reference: Reference?
    fileprivate var refreshAt = 0
    fileprivate var referenceSize = 0
    fileprivate var effectsAt = Int.min
    fileprivate var recent = RecentScan.State()
    fileprivate var calibration = AlarmCalibration()
    fileprivate var calibrateAt = 0
    fileprivate var profile = DailyProfile.flat
    fileprivate var hourlyMedians: [Int: Double] = [:]
    fileprivate var daily = DailyPatternWatch()
    fileprivate var open: OpenFinding?
    fileprivate var lasting: [OpenFinding] = []
    /// Open and closed, but for those that ended so long ago that they were forgotten
    /// (``ChangeDetector/removeFindings(endedBefore:)``).
    public fileprivate(set) var findings: [Finding] = []

    /// µs since 1970: the beginning of the first bin that a restart needs; `nil` when it needs none.
    public var firstBinStart: Int64? { recorded.firstStart }
  }

  private var state: Checkpoint
  private var history: BinHistory
  private let layout: ScanLayout
  /// `nil` without a reference.
  private var scan: WindowScan?
  private var references: ReferenceBuilder
  /// The scan against the hours just before, once latencies are calibrated.
  private var recent: RecentScan?

  public init(_ metric: SeriesMetric, settings: DetectorSettings) {
    self.init(Checkpoint(metric: metric, settings: settings.applied(to: metric)))
  }

  private init(_ state: Checkpoint) {
    self.state = state
    let settings = state.settings
    let isShare = state.metric.isShare
    layout = ScanLayout(settings, isShare: isShare)
    references = ReferenceBuilder(layout, isShare: isShare)
    history = BinHistory(width: settings.binWidth, isShare: isShare, startingAt: state.firstBin)
    if !isShare, settings.recentLength > 0, settings.calibratedAfter != nil { recent = RecentScan(settings) }
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
    for start in checkpoint.recorded.starts(width: state.settings.binWidth) {
      history.append(bins[start] ?? nothing, at: start)
    }
    rebuildScan()
    if recent != nil { recent = RecentScan(state.recent, state.settings, of: history) }
  }

  public var checkpoint: Checkpoint {
    var state = state
    if let recent { state.recent = recent.state }
    return state
  }
  public var findings: [Finding] { state.findings }
  /// Stretches of the day in which the latency is higher on most days: their status is `daily`.
  public var dailyPatterns: [Finding] { state.daily.findings(binWidth: state.settings.binWidth) }
  public var settings: DetectorSettings { state.settings }
  /// Recorded time, µs.
  public var age: Int64 { Int64(state.next) * state.settings.binWidth }
  /// Whether alarm levels are calibrated.
  public var isCalibrated: Bool { state.calibration.isDone }
  public var hasReference: Bool { state.reference != nil }
  /// Whether a change goes on, until whose end no other one is looked for.
  public var isFollowing: Bool { state.open != nil }
  /// Bytes held, without those of the findings.
  public var memory: Int {
    let open = ([state.open].compactMap { $0 } + state.lasting).reduce(0) { $0 + $1.memory }
    return history.memory + (scan?.memory ?? 0) + (recent?.memory ?? 0) + state.calibration.memory + open
      + state.daily.memory
  }

  private var isShare: Bool { state.metric.isShare }
  private var isProvisional: Bool { !isCalibrated }
  private func bins(_ time: Int64) -> Int { state.settings.bins(time) }

  /// Sets the smallest change of a latency that is reported from the next reference on, µs.
  mutating func use(floor: Int64) { state.settings.floor = floor }

  /// Forgets the findings that ended before an instant, µs since 1970.
  mutating func removeFindings(endedBefore time: Int64) {
    state.findings.removeAll { $0.hasEnded(before: time) }
    state.daily.removeFindings(endedBefore: time)
  }

  // MARK: - Bins

  /// Looks at the next complete bin.
  ///
  /// - Parameter start: the bin's beginning; later than the end of the one before where nothing was recorded between.
  public mutating func append(_ values: SeriesValues, start: WallTime) {
    history.append(values, at: start.microseconds)
    let bin = state.next
    state.next += 1
    state.recorded.append(start.microseconds, width: state.settings.binWidth)
    scan?.append(bin, of: history)
    keepBounded()
    if !isShare, state.settings.calibratedAfter != nil {
      state.daily.advance(to: bin, of: history, state.metric, state.settings)
    }
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
      if isCalibrated {
        recent?.advance(to: state.next, of: history, normal: state.normal, state.settings)
      }
      test()
    }
  }

  private mutating func keepBounded() {
    // Every hour: whole hours are dropped.
    guard state.next % history.binsPerHour == 0 else { return }
    var keep = state.next - state.settings.retainedBins
    if let open = state.open { keep = min(keep, open.searchFrom) }
    history.removeBins(before: keep)
    state.recorded.removeFirst(history.first - state.firstBin, width: state.settings.binWidth)
    state.firstBin = history.first
    scan?.trim(keeping: layout.longest + history.binsPerHour)
  }

  // MARK: - Reference

  private mutating func refreshReferenceWhenDue() {
    guard state.next >= state.refreshAt else { return }
    let segments = state.normal.reference(before: state.next, from: history.first, state.settings)
    let size = segments.reduce(0) { $0 + $1.count }
    let warmUp = max(1, bins(state.settings.warmUp))
    // What replaces a reference must be as long as a first one.
    guard Double(size) >= Double(warmUp) * 0.8 else { return }
    let effect = isProvisional ? state.settings.provisionalEffect : state.settings.smallestEffect
    guard
      var reference = references.reference(from: segments, of: history, effect: effect, state.settings),
      reference.count >= (isProvisional ? 100 : DetectorSettings.leastValues)
    else { return }
    reference.isYoung = isProvisional
    let step = max(1, bins(state.settings.refresh))
    state.refreshAt = state.next + (isProvisional ? min(step, max(bins(15_000_000), size / 32, 1)) : step)
    let isDifferentSize = size > state.referenceSize + state.referenceSize / 8 || size < state.referenceSize
    if let old = state.reference, !isDifferentSize, state.next < state.effectsAt + bins(6 * 3_600_000_000) {
      reference.adoptEffects(of: old)
    } else {
      references.measureEffects(of: &reference, segments, history)
      state.referenceSize = size
      state.effectsAt = state.next
    }
    // What a reference was taken from is not tested against it.
    if state.reference == nil { state.scanFrom = max(state.scanFrom, segments.last?.upperBound ?? 0) }
    state.reference = reference
    if let scan, scan.counts(for: reference) {
      self.scan = scan.tested(against: reference)
    } else {
      rebuildScan()
    }
  }

  private mutating func rebuildScan() {
    guard let reference = state.reference else {
      scan = nil
      return
    }
    let from = max(history.first, min(state.scanFrom, state.next), state.next - layout.longest - 1)
    var scan = WindowScan(reference, layout, startingAt: from)
    scan.append(from..<max(from, state.next), of: history)
    self.scan = scan
  }

  // MARK: - Test

  private mutating func test() {
    guard scan != nil || recent?.state.reference != nil else { return }
    let start = history.start(state.next - 1)
    let cells = layout.cells
    var maxima = state.calibration.floors(
      cells + (recent?.layout.cells ?? 0), at: start, state.settings)
    scan?.raise(&maxima, endingAt: state.next, notBefore: state.scanFrom)
    recent?.raise(&maxima, after: cells, endingAt: state.next, notBefore: state.scanFrom)
    if state.settings.calibratedAfter != nil {
      state.calibration.collect(maxima, at: start, state.settings)
    }
    // Mostly there is none.
    guard maxima.contains(where: { $0.scale != nil }) else { return }
    let alarms = [
      Alarm(maxima[..<cells], layout, state.reference, state.calibration, state.settings),
      recent.flatMap {
        Alarm(maxima[cells...], $0.layout, $0.state.reference, state.calibration, state.settings)
      },
    ]
    if let alarm = alarms.compactMap({ $0 }).max(by: { $0.excess < $1.excess }) { open(alarm) }
  }

  // MARK: - Power

  /// The smallest changes for the worse that would be found now, none while one is followed; `nil` while there is no reference.
  public var power: DetectionPower? {
    guard let reference = state.reference, let scan else { return nil }
    guard !isFollowing else {
      return DetectionPower(
        metric: Stored(state.metric), rate: reference.rate(binWidth: state.settings.binWidth), steps: [],
        isFollowed: true)
    }
    let sight = ChangeSight(
      reference: reference, scan: scan, layout: layout, recent: recent, calibration: state.calibration,
      settings: state.settings)
    // Where a young one goes next, and what it will be compared with then, is not known.
    let wanders =
      reference.isYoung && !isShare
      && ChangeSight.wanders(
        reference, in: Array(state.normal.all(upTo: state.next, from: history.first).joined()), of: history)
    return sight.power(of: state.metric, upTo: isCalibrated ? .max : age, isSilent: wanders)
  }

  // MARK: - Calibration

  private mutating func calibrateWhenDue() {
    guard let after = state.settings.calibratedAfter, age >= after else { return }
    let day = history.start(state.next - 1) / 86_400_000_000
    guard state.calibration.isDue(on: day), state.next >= state.calibrateAt else { return }
    // Where too little is undisturbed, it is tried again.
    state.calibrateAt = state.next + max(1, bins(state.settings.maximaBlock / 2))
    if !isShare {
      let profile = state.daily.profile(state.hourlyMedians, before: Int(day), state.settings)
      if profile != state.profile {
        state.profile = profile
        history.use(profile)
        references.reset()
        recent?.reset()
      }
    }
    let isFirst = isProvisional
    if isFirst { measureMaxima() }
    guard state.calibration.make(on: day, [layout] + [recent?.layout].compactMap { $0 }, state.settings)
    else { return }
    state.calibrateAt = 0
    state.refreshAt = 0
    state.effectsAt = Int.min / 2
    if isFirst { state.scanFrom = max(state.scanFrom, state.next - 1) }
    scan = nil
  }

  /// The maxima of the series' first days against a reference from all of them, with the effect that findings have after the
  /// calibration.
  private mutating func measureMaxima() {
    let segments = state.normal.all(upTo: state.next, from: history.first)
    guard
      var reference = references.separateReference(
        from: segments, of: history, effect: state.settings.smallestEffect, state.settings)
    else { return }
    references.measureEffects(of: &reference, segments, history)
    state.calibration.measure(
      segments, of: history, against: reference, layout, state.settings, recent: recent)
  }

  // MARK: - Findings

  private mutating func open(_ alarm: Alarm) {
    let end = state.next
    let lasted = alarm.length
    let from = max(state.scanFrom, end - max(4 * lasted, 8), history.first)
    if isReturn(alarm) { return }
    var open = OpenFinding(
      id: Finding.ID(
        metric: state.metric, detectedAt: history.start(end - 1) + state.settings.binWidth),
      reference: alarm.reference, quantileIndex: alarm.quantile, isDown: alarm.isDown, scale: alarm.scale,
      in: from..<end, of: history)
    open.updateStart(until: end, atMost: end)
    var finding = Finding(
      id: open.id, kind: state.metric.kind(isUpward: !alarm.isDown),
      status: isProvisional ? .provisional : .open, start: 0, startInterval: nil, end: nil, seenUntil: 0,
      quantile: isShare ? nil : Reference.quantiles[alarm.quantile], before: 0, after: 0, count: 0,
      effectiveCount: 0, window: Int64(lasted) * state.settings.binWidth,
      binWidth: state.settings.binWidth, statistic: alarm.nats, threshold: alarm.threshold,
      evidence: Finding.Evidence(
        edges: open.cells.levels.map { LogScale.edge($0 + 1) }, weights: [],
        profile: state.profile.resolved(isDown: alarm.isDown)))
    open.describe(&finding, until: end, in: history)
    state.findings.append(finding)
    state.open = open
    state.calibration.spoilBlock()
  }

  /// Whether an alarm is the end of a lasting finding: it is the other way, and the finding's own reference explains what
  /// the alarm saw better than the finding does. Closes it then.
  private mutating func isReturn(_ alarm: Alarm) -> Bool {
    for (index, lasting) in state.lasting.enumerated().reversed() {
      guard let place = place(of: lasting),
        state.findings[place].isUpward == (alarm.isDown || isShare),
        let end = lasting.returned(
          now: state.next, windows: [alarm.length], scales: layout.scales, atLeast: 0)
      else { continue }
      close(index, at: end)
      return true
    }
    return false
  }

  private func place(of open: OpenFinding) -> Int? { place(of: open.id) }
  private func place(of id: Finding.ID) -> Int? {
    // In place: copies count references.
    state.findings.withUnsafeBufferPointer { findings in
      for place in findings.indices where findings[place].id == id { return place }
      return nil
    }
  }

  private mutating func followOpen() {
    guard var open = state.open, let place = place(of: open) else {
      state.open = nil
      return
    }
    let now = state.next
    open.follow(now - 1, of: history, keeping: Int.max / 4)
    if let end = open.returned(now: now, windows: layout.scales, scales: layout.scales, atLeast: 10) {
      self.end(open, place, at: end)
      return
    }
    // Told anew each time its length doubles.
    let length = now - open.alarmBin
    if length > 0, length & (length - 1) == 0 {
      open.updateStart(until: now, atMost: open.alarmBin)
      guard open.hasEffect(until: now) else {
        self.end(open, place, at: open.shrunk(now: now))
        return
      }
      open.describe(&state.findings[place], until: now, in: history)
    }
    guard now - open.startBin >= bins(state.settings.lastingAfter) else {
      state.open = open
      return
    }
    // The new behavior becomes the reference.
    open.updateStart(until: now, atMost: now)
    open.describe(&state.findings[place], until: now, in: history)
    if state.findings[place].status == .open { state.findings[place].status = .lasting }
    state.open = nil
    open.normalBefore = state.normal
    state.lasting.append(open)
    state.normal.restart(at: open.startBin)
    recent?.reset()
    state.scanFrom = now
    state.reference = nil
    scan = nil
    state.refreshAt = 0
    state.effectsAt = Int.min / 2
  }

  private mutating func end(_ open: OpenFinding, _ place: Int, at end: Int) {
    state.open = nil
    finish(open, place, end: end)
    // From the start as it was known before the end.
    state.normal.leaveOut(
      min(open.startBin, end)..<end, forgettingBefore: state.next - state.settings.retainedBins)
    state.scanFrom = end
  }

  private mutating func followLasting() {
    let keep = layout.longest + 1
    for index in state.lasting.indices.reversed() {
      let bin = state.next - 1
      let (id, end) = state.lasting[index].follow(bin, of: history, keeping: 2 * keep, layout.scales)
      guard let place = place(of: id) else {
        state.lasting.remove(at: index)
        continue
      }
      let seenUntil = history.start(bin) + state.settings.binWidth
      state.findings[place].seenUntil = seenUntil
      if let end {
        close(index, at: end)
      } else if state.findings.withUnsafeBufferPointer({ seenUntil - $0[place].start })
        >= state.settings.normalAfter
      {
        settle(place)
        state.lasting.remove(at: index)
      }
    }
  }

  private mutating func settle(_ place: Int) {
    if state.findings[place].status != .provisional { state.findings[place].status = .closed }
    state.findings[place].isNewNormal = true
  }

  /// Ends what is provisional and open: a run is over. What a later run shows is compared with the same reference, and found
  /// anew; whether it went on between the two is not known.
  mutating func endProvisional() {
    guard isProvisional else { return }
    if !state.lasting.isEmpty {
      close(0, at: state.next)
    } else if let open = state.open, let place = place(of: open) {
      end(open, place, at: state.next)
    }
  }

  /// Leaves open findings as they are: nobody looks for their ends any more.
  mutating func settleOpen() {
    for open in state.lasting + [state.open].compactMap({ $0 }) {
      if let place = place(of: open) { settle(place) }
    }
    state.lasting = []
    state.open = nil
  }

  /// A lasting finding's end: its own reference is in force again. A finding opened meanwhile and later ones end with it.
  private mutating func close(_ index: Int, at end: Int) {
    let lasting = state.lasting[index]
    for other in state.lasting[index...] {
      if let place = place(of: other) { finish(other, place, end: end) }
    }
    if let open = state.open, let place = place(of: open) {
      finish(open, place, end: max(end, open.startBin + 1))
    }
    state.open = nil
    state.lasting.removeSubrange(index...)
    // What was usual before it is usual again.
    state.normal = lasting.normalBefore ?? NormalStretches()
    state.normal.leaveOut(
      min(lasting.startBin, end)..<end, forgettingBefore: state.next - state.settings.retainedBins)
    recent?.reset()
    state.scanFrom = end
    state.refreshAt = state.next
    state.effectsAt = Int.min / 2
    state.reference = lasting.reference.isWhole ? lasting.reference : nil
    rebuildScan()
  }

  private mutating func finish(_ open: OpenFinding, _ place: Int, end: Int) {
    var open = open
    if open.isWhole, open.searchFrom < end { open.updateStart(until: end, atMost: end - 1) }
    open.describe(&state.findings[place], until: end, in: history)
    state.findings[place].end = history.start(end)
    if state.findings[place].status != .provisional { state.findings[place].status = .closed }
    state.calibration.spoilBlock()
  }
}
