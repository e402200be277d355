import Findings
import Measurement
import Store

/// Makes the stored row of a finding: its start to the notification, intervals of what it says, and its cause.
struct FindingDescription {
  let reader: StoreReader
  /// All runs of all targets.
  let spans: [SeriesSpan]
  let watched: WatchedTarget
  let settings: DetectionSettings
  /// The width of the usual bins.
  let binWidth: Duration

  private var own: [SeriesSpan] { spans.filter { WatchedTarget($0) == watched } }

  /// - Parameter others: the other findings of the same target and variant.
  func describe(_ known: inout KnownFinding, others: [Finding]) throws {
    let raw = known.finding
    if let daily = raw.daily { return try describe(&known, daily, others) }
    let finding = try refined(raw, others)
    let stretch = self.stretch(of: finding)
    known.episodeEnd = stretch.upperBound
    fill(&known.record, finding)
    try fillEffect(&known.record, finding, stretch, try history(finding, stretch, others))
    try fillCause(&known, finding, stretch, others)
    known.record.events = try events(finding)
    known.record.evidence = evidence(of: known.record)
    known.encodeDetection()
  }

  /// The row of a daily pattern. Its cause is sought in the last stretch when it was told, once.
  private func describe(_ known: inout KnownFinding, _ daily: DailyPattern, _ others: [Finding]) throws {
    let finding = known.finding
    fill(&known.record, finding)
    known.record.before = Int64(finding.before.rounded())
    known.record.after = Int64(finding.after.rounded())
    known.record.afterLow = daily.low.map { Int64($0.rounded()) }
    known.record.afterHigh = daily.high.map { Int64($0.rounded()) }
    let last = Self.times(daily.lastStretch)
    let (start, end) = (last.lowerBound, last.upperBound)
    if known.episodeEnd != end || known.record.verdicts.isEmpty {
      known.episodeEnd = end
      var stretch = finding
      (stretch.startTime, stretch.endTime, stretch.seenTime, stretch.daily) = (start, end, end, nil)
      // Of a long one the beginning is looked at, as much as the hours between two of them suffice for.
      stretch.detectionTime = start
      let usual = ([finding] + others).filter { $0.metric == finding.metric }
        .flatMap { earlierStretches(of: $0, before: start) }
      try fillCause(&known, stretch, last, others + usual)
    }
    let verdict = known.record.verdicts.first?.evidence ?? ""
    known.record.evidence =
      "on \(daily.daysSeen) of \(daily.days) days" + (verdict.isEmpty ? "" : "; \(verdict)")
    known.encodeDetection()
  }

  /// The stretches of a daily pattern on the days before a moment, each as a finding that ended: with them a pattern
  /// would be compared with itself.
  private func earlierStretches(of pattern: Finding, before start: WallTime) -> [Finding] {
    guard let daily = pattern.daily else { return [] }
    let day = Duration.days(1)
    let last = Self.times(daily.lastStretch)
    let newest = (start - last.upperBound).microseconds.flooringDivision(by: day.microseconds)
    return (0..<settings.memory.microseconds / day.microseconds).map { back in
      var one = pattern
      let shift = Duration.days(newest - back)
      (one.startTime, one.endTime, one.daily) = (last.lowerBound + shift, last.upperBound + shift, nil)
      one.detectionTime = one.startTime
      return one
    }
  }

  private static func times(_ range: Range<Int64>) -> Range<WallTime> {
    WallTime(microseconds: range.lowerBound)..<WallTime(microseconds: range.upperBound)
  }

  /// The stretch that intervals and causes are taken from. That of an open finding grows by doubling, from what it was at the
  /// alarm, so that it does not depend on when it is looked at.
  private func stretch(of finding: Finding) -> Range<WallTime> {
    let start = finding.startTime
    var end = finding.endTime ?? finding.seenTime
    if finding.end == nil, !finding.isNewNormal {
      var length = max(.seconds(1), finding.detectionTime - start)
      while length * 2 <= finding.seenTime - start { length *= 2 }
      end = start + length
    }
    let longest = max(.seconds(1), settings.memory / 14)
    return start..<min(max(end, start + .seconds(1)), start + longest)
  }

  // MARK: - Start

  private func refined(_ finding: Finding, _ others: [Finding]) throws -> Finding {
    let width = finding.binWidth.map(Duration.microseconds) ?? min(binWidth, .microseconds(finding.window))
    // What was slow before another one's end is that one's.
    let ends = others.compactMap { other -> WallTime? in
      guard other.id != finding.id, other.metric == finding.metric, other.status != .withdrawn,
        let end = other.endTime, end <= finding.startTime
      else { return nil }
      return end
    }
    let low = max(finding.startTime - width * 2, ends.max() ?? .distantPast)
    let high = min(finding.startTime + width * 2, finding.endTime ?? finding.seenTime)
    guard low < high, !finding.isGettingWorse else { return finding }
    var latencies: [TimedLatency] = []
    var events: [(plannedAt: WallTime, hasProperty: Bool)] = []
    let variants = Dictionary(own.map { ($0.target, $0.variant) }, uniquingKeysWith: { first, _ in first })
    try reader.forEachSample(of: Set(variants.keys), plannedFrom: low, to: high) { row in
      guard row.variant == variants[row.id.target], row.state.isSettled else { return }
      let sample = EpisodeSample(row.sample)
      switch finding.metric {
      case .delivery:
        if let value = row.deliveryLatency {
          latencies.append(.init(plannedAt: row.plannedAt, latency: value))
        }
      case .accept:
        if let value = row.acceptLatency { latencies.append(.init(plannedAt: row.plannedAt, latency: value)) }
      case .lost:
        if row.acceptLatency != nil {
          events.append((row.plannedAt, row.state.isLost))
        }
      case .display:
        if let value = sample.displayTime {
          latencies.append(.init(plannedAt: row.plannedAt, latency: value))
        }
      case .unseen:
        if let display = row.display, display != .awaited {
          events.append((row.plannedAt, display != .shown))
        }
      case .failed: events.append((row.plannedAt, row.state == .failed))
      case .refused: events.append((row.plannedAt, sample.isRefused))
      }
    }
    if finding.quantile != nil { return latencies.isEmpty ? finding : finding.refined(bySamples: latencies) }
    return events.isEmpty ? finding : finding.refined(byEvents: events)
  }

  // MARK: - Effect

  /// What the series' past says about dependence in a stretch, without those of findings that ended before: as far as they
  /// are known from the rows, so that it does not depend on what is stored.
  private func history(
    _ finding: Finding, _ stretch: Range<WallTime>, _ others: [Finding]
  ) throws -> SeriesHistory {
    let closed = others.compactMap { other -> Range<WallTime>? in
      guard other.id != finding.id, other.status == .closed, let end = other.endTime,
        other.startTime < end, end <= finding.startTime
      else { return nil }
      return other.startTime..<end
    }
    let window = SeriesWindow(
      targets: own.map(\.target), variants: Set(own.map(\.variant)), time: stretch)
    let (metrics, shares): (Set<Metric>, Set<SeriesShare>) =
      switch finding.metric {
      case .delivery: ([.delivery], [])
      case .accept: ([.accept], [])
      case .lost: ([], [.lost])
      case .failed: ([], [.failed])
      case .refused: ([], [.refused])
      case .unseen: ([], [.unseen])
      // Of the display alone there is no history.
      case .display: ([], [])
      }
    return try SeriesReader(reader) { _ in closed }.history(of: window, metrics: metrics, shares: shares)
  }

  private func fill(_ record: inout FindingRecord, _ finding: Finding) {
    record.kind = Stored(finding.kind)
    record.status = Stored(finding.status)
    record.startedAt = finding.startTime
    record.startedLow = finding.startTimeRange?.lowerBound
    record.startedHigh = finding.startTimeRange?.upperBound
    record.endedAt = finding.endTime
    record.detectedAt = finding.detectionTime
    record.seenUntil = finding.seenTime
    record.quantile = finding.quantile
    record.samples = finding.count
    record.effectiveSamples = finding.effectiveCount
    record.window = finding.window
    record.statistic = finding.statistic
    record.threshold = finding.threshold
    record.isGradual = finding.isGettingWorse
    record.isNewNormal = finding.isNewNormal
  }

  private func fillEffect(
    _ record: inout FindingRecord, _ finding: Finding, _ stretch: Range<WallTime>, _ history: SeriesHistory
  ) throws {
    let variants = Dictionary(own.map { ($0.target, $0.variant) }, uniquingKeysWith: { first, _ in first })
    var latencies: [LatencyBin] = []
    var shares: [ShareBin] = []
    var sent = SentTimeAccumulator()
    var from = stretch.lowerBound.floored(to: .seconds(1))
    while from < stretch.upperBound {
      let page = try reader.seriesSeconds(of: Set(variants.keys), from: from, to: stretch.upperBound)
      for second in page.seconds where variants[second.target] == second.variant {
        let planned = second.counts.planned - second.counts[.interrupted]
        // The first second begins before the stretch.
        let start = max(second.start, stretch.lowerBound)
        sent.insert(second.start..<second.start, count: second.counts.planned)
        switch finding.metric {
        case .delivery: latencies.append(LatencyBin(start: start, latencies: second.delivery))
        case .accept: latencies.append(LatencyBin(start: start, latencies: second.accept))
        case .display: latencies.append(LatencyBin(start: start, latencies: second.display))
        case .unseen:
          shares.append(
            ShareBin(start: start, events: second.counts.unseen, count: second.counts.displaySettled))
        case .lost:
          shares.append(
            ShareBin(
              start: start, events: second.counts.lost,
              count: second.counts.acceptedByProvider))
        case .failed:
          shares.append(ShareBin(start: start, events: second.counts[.failed], count: planned))
        case .refused:
          shares.append(
            ShareBin(start: start, events: second.counts[.rejected] + second.heldByProvider, count: planned))
        }
      }
      guard page.coveredTo > from else { break }
      from = page.coveredTo
    }
    if let fraction = finding.quantile,
      let quantile = Quantile(fraction: fraction, label: Quantile.label(of: fraction))
    {
      let interval = WindowLatencies(sent.time(in: stretch), bins: latencies).interval(
        of: quantile, history: history.latencies.first?.value ?? .none)
      record.before = Int64(finding.latency(finding.before, over: stretch).rounded())
      record.after = interval?.value ?? Int64(finding.latency(finding.after, over: stretch).rounded())
      record.afterLow = interval?.low
      record.afterHigh = interval?.high
      record.effectiveSamples = interval?.effectiveCount ?? finding.effectiveCount
      record.samples = interval?.count ?? finding.count
    } else {
      let interval = WindowShares(sent.time(in: stretch), bins: shares).interval(
        history: history.shares.first?.value)
      record.shareBefore = finding.before
      record.shareAfter = interval.share ?? finding.after
      record.shareLow = interval.low
      record.shareHigh = interval.high
      record.effectiveSamples = interval.effectiveCount
      record.samples = interval.count
    }
  }

  // MARK: - Cause

  private func fillCause(
    _ known: inout KnownFinding, _ finding: Finding, _ stretch: Range<WallTime>, _ others: [Finding]
  ) throws {
    known.record.legs = []
    var verdicts: [Verdict] = []
    let effect = FindingWords.effect(known.record)
    if !finding.isUpward {
      verdicts = [undecided(.notSought, evidence: effect, nil)]
    } else if let (window, baseline) = stretches(finding, stretch, others) {
      let reading = EpisodeReading(reader: reader, spans: spans, watched: watched, settings: settings)
      let episode = try reading.episode(window, baseline: baseline)
      let diagnosis = Diagnosis(
        episode, of: .init(finding.metric, of: watched.target, quantile: finding.quantile))
      verdicts = diagnosis.verdicts
      // What was found of other targets or metrics is no cause of this one.
      if !diagnosis.isExplained {
        verdicts.insert(
          undecided(.noPartStandsOut, evidence: effect, "a longer or a clearer episode"),
          at: 0)
      }
      explain(&verdicts, by: circumstance(of: finding, known.record, in: episode))
      known.record.device = try reading.device(of: known.record.target, stretch)
      for target in episode.targets {
        guard let quantile = finding.quantile,
          var legs = LegContributions(target, episode, explaining: finding.metric, quantile)
        else { continue }
        if target.name == watched.target {
          legs = legs.withIntervals(
            reading.thinned(target, from: episode), episode,
            seed: KnownFinding.seed(of: known.record.id))
        }
        known.record.legs.append(LegsRecord(legs, target: target.name))
      }
    } else {
      verdicts = [undecided(.tooLittleBefore, evidence: effect, "more time recorded before it")]
    }
    known.record.verdicts = verdicts
    // The first speaks of what has changed, also where it is undecided.
    let first = verdicts.first
    known.record.cause = first?.cause
    known.record.scope = first?.scope
    known.record.evidence = first?.evidence ?? ""
    known.record.causes = verdicts.map(\.cause)
  }

  /// What on the device sets the affected notifications apart. What was lost or never sent has no circumstances.
  private func circumstance(of finding: Finding, _ record: FindingRecord, in episode: Episode)
    -> Circumstance?
  {
    guard let target = episode.targets.first(where: { $0.name == watched.target }) else { return nil }
    // Halfway between what is usual and what it is now, by factors.
    let limit = record.before.flatMap { before in
      record.after.map { (Double(max(1, before)) * Double(max(1, $0))).squareRoot() }
    }
    func isSlow(_ value: Int64?) -> Bool {
      value.flatMap { value in limit.map { Double(value) > $0 } } ?? false
    }
    return CircumstanceSearch.best(of: target.samples) { sample in
      guard episode.window.contains(sample.plannedAt) else { return false }
      return switch finding.metric {
      case .delivery: isSlow(sample.delivery)
      case .display: isSlow(sample.displayTime)
      case .unseen: sample.display.map { $0 == .unseen || $0 == .shownLate } ?? false
      case .accept, .lost, .failed, .refused: false
      }
    }
  }

  private func explain(_ verdicts: inout [Verdict], by circumstance: Circumstance?) {
    guard let circumstance, !verdicts.isEmpty else { return }
    verdicts[0].facts = verdicts[0].facts ?? CauseDetails()
    verdicts[0].facts?.circumstance = circumstance
    verdicts[0].evidence +=
      "; \(circumstance.words) \(PercentText.fine(circumstance.affected)), of the others \(PercentText.fine(circumstance.others))"
  }

  private func undecided(_ reason: UndecidedReason, evidence: String, _ wouldDecide: String?) -> Verdict {
    Verdict(
      cause: .undecided(reason), scope: nil, evidence: evidence, wouldDecide: wouldDecide,
      targets: [watched.target])
  }

  private func stretches(
    _ finding: Finding, _ stretch: Range<WallTime>, _ others: [Finding]
  ) -> (window: Range<WallTime>, baseline: Range<WallTime>)? {
    var begin = own.map(\.earliest).min() ?? stretch.lowerBound
    var undisturbed: [Range<WallTime>] = []
    for other in others.sorted(by: { $0.start < $1.start }) {
      // The days of a daily pattern that ended were as usual but for its hours.
      guard other.id != finding.id, other.status != .withdrawn, other.daily == nil,
        let end = other.endTime, end <= finding.startTime
      else { continue }
      if begin < other.startTime { undisturbed.append(begin..<other.startTime) }
      begin = max(begin, end)
    }
    if begin < stretch.lowerBound { undisturbed.append(begin..<stretch.lowerBound) }
    return Episode.stretches(
      of: stretch, shortest: finding.detectionTime - finding.startTime,
      isProvisional: finding.status == .provisional, undisturbed: undisturbed)
  }

  /// What speaks for the cause, and what happened while it can have begun, which never is the cause.
  private func evidence(of record: FindingRecord) -> String {
    guard !record.events.isEmpty else { return record.evidence }
    let events = "at its start " + record.events.prefix(3).joined(separator: ", ")
    return record.evidence.isEmpty ? events : record.evidence + "; " + events
  }

  /// Annotations and connection events while it can have begun.
  private func events(_ finding: Finding) throws -> [String] {
    guard let times = finding.startTimeRange else { return [] }
    var events: [(at: WallTime, text: String)] = []
    let selection = RowSelection(since: times.lowerBound, until: times.upperBound + .microseconds(1))
    try reader.forEachEvent(selection) { record in
      guard record.targetName == nil || record.targetName == watched.target else { return }
      let event = record.event
      switch event.kind {
      case .disconnected, .goaway, .connected, .tokenRefreshed, .clockStep, .suspended, .configReloaded,
        .annotation:
        let detail = event.detail.isEmpty ? "" : ": \(event.detail)"
        events.append((event.at, "\(event.kind.rawValue)\(detail)"))
      default: break
      }
    }
    return Array(finding.events(events).prefix(8))
  }
}

extension LegsRecord {
  init(_ legs: LegContributions, target: String) {
    self.init(
      target: target, metric: legs.metric, quantile: legs.quantile, before: legs.before,
      total: legs.total,
      totalLow: legs.totalInterval?.lowerBound, totalHigh: legs.totalInterval?.upperBound,
      parts: legs.parts.map {
        Part(
          leg: $0.leg, change: $0.change, low: $0.interval?.lowerBound, high: $0.interval?.upperBound
        )
      })
  }
}
