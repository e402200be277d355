import Analysis
import Configuration
import Findings
import Measurement
import Store
import Threads

/// Judges the configuration's objectives, one round at a time, and remembers incidents. Confined to one thread.
///
/// Shares are read from the store, so that their windows hold what was recorded before a restart. The longer a window, the
/// less often it is read.
struct ObjectiveEvaluator {
  /// What a round came to.
  struct Step {
    /// All objectives as they are now.
    var records: [ObjectiveRecord] = []
    /// Objectives whose incident began or ended in this round.
    var changes: [(record: ObjectiveRecord, change: IncidentState.Change)] = []
  }

  private struct Entry {
    var configuration: ObjectiveConfiguration
    var record: ObjectiveRecord
    var incident: IncidentState
    var silence: SilenceDetector
    /// The state of each window, keyed by length: the share it held, and when it is read next.
    var windows: [Duration: (share: ObjectiveShare, due: MonotonicTime)] = [:]
  }

  private var entries: [Entry] = []
  private let rules: [BurnRateRule]

  /// - Parameter stored: what the last collector had of them.
  init(
    _ configurations: [ObjectiveConfiguration], stored: [ObjectiveRecord], at now: WallTime,
    rules: [BurnRateRule] = BurnRateRule.standard
  ) {
    self.rules = rules
    entries = configurations.enumerated().map { index, configuration in
      let record = ObjectiveRecord(configuration, position: index, at: now)
      guard let old = stored.first(where: { $0.isSame(as: record) }) else {
        return Entry(configuration: configuration, record: record, incident: .init(), silence: .init())
      }
      var kept = old
      (kept.position, kept.window) = (index, record.window)
      return Entry(
        configuration: configuration, record: kept,
        incident: IncidentState(
          startedAt: old.breachedAt, endedAt: old.endedAt, isOver: Self.isOver(old)),
        silence: SilenceDetector(quiet: .microseconds(old.quiet)))
    }
  }

  /// Whether an incident was closed before the last evaluation; any other is judged again.
  private static func isOver(_ record: ObjectiveRecord) -> Bool {
    guard let end = record.endedAt else { return record.breachedAt == nil }
    return record.evaluatedAt - end >= IncidentState.quietPeriod
  }

  /// - Parameters:
  ///   - heard: what was heard of the targets so far.
  ///   - progress: told the objective that is judged.
  /// - Throws: `StoreError`. The next round tries again.
  mutating func round(
    _ reader: StoreReader, _ heard: HeardTargets, wall: WallTime, now: MonotonicTime,
    progress: WorkProgress = .unreported
  ) throws -> Step {
    var step = Step()
    for index in entries.indices {
      progress.begin(entries[index].configuration.name)
      switch entries[index].configuration.promise {
      case .share(let share, let within, let metric, let window):
        let objective = ShareObjective(
          target: entries[index].configuration.target, metric: metric, limit: within.microseconds,
          share: share)
        try judge(&entries[index], objective, window: window, reader, wall: wall, now: now)
      case .silence(let limit): judge(&entries[index], silence: limit, heard, now: now)
      }
      entries[index].record.evaluatedAt = wall
      let isBreached = entries[index].record.verdict == .breached
      let change = entries[index].incident.advance(isBreached: isBreached, at: wall)
      if let start = entries[index].incident.startedAt {
        entries[index].record.breachedAt = start
        entries[index].record.endedAt = entries[index].incident.endedAt
      }
      step.records.append(entries[index].record)
      if let change { step.changes.append((entries[index].record, change)) }
    }
    return step
  }

  private func judge(
    _ entry: inout Entry, _ objective: ShareObjective, window: Duration, _ reader: StoreReader,
    wall: WallTime, now: MonotonicTime
  ) throws {
    let counts = ObjectiveReader(reader)
    func share(over length: Duration) throws -> ObjectiveShare {
      if let known = entry.windows[length], now < known.due { return known.share }
      let share = try counts.share(of: objective, over: length, at: wall)
      // A window without notifications is read each second, so that the first ones are seen at once.
      entry.windows[length] = (share, now + (share.valid == 0 ? .seconds(1) : Self.interval(of: length)))
      return share
    }
    let whole = try share(over: window)
    entry.record.good = whole.good
    entry.record.valid = whole.valid
    entry.record.shareLow = whole.valid > 0 ? whole.low : nil
    entry.record.shareHigh = whole.valid > 0 ? whole.high : nil
    var decisions: [GateDecision] = []
    var burns: [ObjectiveRecord.Burn] = []
    for rule in rules {
      let long = try share(over: rule.long)
      let short = try share(over: rule.short)
      let decision = rule.decide(objective.share, long: long, short: short)
      decisions.append(decision)
      burns.append(
        ObjectiveRecord.Burn(
          factor: rule.factor, windows: [rule.long.microseconds, rule.short.microseconds],
          rates: [long.burnRate(of: objective.share), short.burnRate(of: objective.share)],
          verdict: decision))
    }
    entry.record.burns = burns
    let isBreached = decisions.contains(.breached)
    entry.record.verdict =
      isBreached ? .breached : decisions.contains(.undecided) ? .undecided : .met
  }

  /// A hundredth of the window, between a second and ten minutes.
  private static func interval(of window: Duration) -> Duration {
    min(.seconds(600), max(.seconds(1), window / 100))
  }

  private func judge(
    _ entry: inout Entry, silence limit: Duration, _ heard: HeardTargets, now: MonotonicTime
  ) {
    let target = heard.targets[entry.configuration.target]
    let rate = target?.askedRate ?? 0
    let least =
      rate > 0 ? Duration.bounded(seconds: Double(ObjectiveConfiguration.fewestIntervals) / rate) : .zero
    let count = target?.count ?? 0
    let isInRun = target?.isInRun ?? false
    let quiet = entry.silence.advance(count: count, isInRun: isInRun, at: now)
    entry.record.quiet = quiet.microseconds
    // --rate may ask for less than the configuration did.
    let isSilent = quiet >= max(limit, least)
    // Nothing is known of a target that no run sends to; what was breached stays so until something is heard.
    if isSilent, isInRun || entry.record.verdict == .breached {
      entry.record.verdict = .breached
    } else {
      entry.record.verdict = count > 0 ? .met : .undecided
    }
  }
}

extension ObjectiveRecord {
  fileprivate init(_ configuration: ObjectiveConfiguration, position: Int, at now: WallTime) {
    self.init(name: configuration.name, position: position, target: configuration.target, evaluatedAt: now)
    switch configuration.promise {
    case .share(let share, let within, let metric, let window):
      self.share = share
      limit = within.microseconds
      self.metric = metric
      self.window = window.microseconds
    case .silence(let silence): self.silence = silence.microseconds
    }
  }

  /// Whether it promises the same; then its incident goes on.
  fileprivate func isSame(as other: ObjectiveRecord) -> Bool {
    name == other.name && target == other.target && metric == other.metric && limit == other.limit
      && share == other.share && silence == other.silence
  }

  /// What it says, for events, the log and alerts.
  var sentence: String {
    if let silence {
      let what = "nothing heard of \(target) for \(LengthText.text(quiet))"
      return "\(what), allowed are \(LengthText.given(silence))"
    }
    let required =
      "\(PercentText.given(share ?? 0)) \(metric?.rawValue ?? "") within \(LengthText.given(limit ?? 0))"
    let fastest = burns.filter { $0.verdict.word == .breached }.max { $0.factor < $1.factor }
    guard let burn = fastest ?? burns.first, burn.rates.count == 2, burn.windows.count == 2,
      let long = burn.rates[0],
      let short = burn.rates[1]
    else { return "\(required) of \(target)" }
    func times(_ rate: Double) -> String { FixedPoint.text(rate, decimals: 1) }
    return "\(required) of \(target): the budget is used up \(times(long)) times too fast over "
      + "\(LengthText.given(burn.windows[0])) and \(times(short)) over "
      + "\(LengthText.given(burn.windows[1])), allowed are \(times(burn.factor))"
  }
}
