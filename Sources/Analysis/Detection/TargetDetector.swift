import Findings
import FoundationEssentials
import Measurement
import Store

/// What makes notifications of several runs one series but for the metric: the same target and variant, sent to the same provider at
/// the same endpoint. Runs that share it continue one another.
struct WatchedTarget: Hashable, Codable, Sendable, Comparable {
  var target: String
  var variant: String
  var provider: String
  var endpoint: String

  init(target: String, variant: String, provider: String, endpoint: String) {
    self.target = target
    self.variant = variant
    self.provider = provider
    self.endpoint = endpoint
  }

  init(_ span: SeriesSpan) {
    self.init(
      target: span.name, variant: span.variantName, provider: span.provider, endpoint: span.endpoint)
  }

  init(_ record: DetectorRecord) {
    self.init(
      target: record.target, variant: record.variant, provider: record.provider, endpoint: record.endpoint)
  }

  init(_ record: FindingRecord) {
    self.init(
      target: record.target, variant: record.variant, provider: record.provider, endpoint: record.endpoint)
  }

  var series: String { SeriesName.text(target, variant) }

  static func < (a: Self, b: Self) -> Bool {
    (a.target, a.variant, a.provider, a.endpoint) < (b.target, b.variant, b.provider, b.endpoint)
  }
}

/// A run's part in the series of a watched target.
struct WatchedSpan: Sendable, Hashable {
  var span: SeriesSpan
  /// What begins before belongs to bins that were closed with the run before.
  var start: WallTime
  /// A whole second; `nil` while it is recorded.
  var end: WallTime?

  /// - Parameter before: the run that was recorded before it. One that ended later had a clock that was ahead: the times of both
  ///   overlap, and both count.
  init(_ span: SeriesSpan, after before: WatchedSpan?, binWidths: [Duration]) {
    self.span = span
    let second = span.earliest.floored(to: .seconds(1))
    start = second
    if let closed = before?.end, closed <= span.startedAt.floored(to: .seconds(1)) + .seconds(1) {
      start = max(second, binWidths.map(closed.ceiled(to:)).max() ?? closed)
    }
    end = span.endedAt?.ceiled(to: .seconds(1))
  }

  var expectsReceipts: Bool { span.receiptDeadline != nil }

  func accepts(_ second: SeriesSecond) -> Bool {
    second.variant == span.variant && second.start >= start
  }

  /// Whether everything planned in a second has its final state, or should have.
  func isComplete(_ second: SeriesSecond, now: WallTime, longestOpen: Duration) -> Bool {
    guard end == nil else { return true }
    return second.counts.open + second.counts.displayAwaited == 0 || isOverdue(second.start, now, longestOpen)
  }

  /// Whether everything planned in a second should have its final state.
  func isOverdue(_ second: WallTime, _ now: WallTime, _ longestOpen: Duration) -> Bool {
    now - second - .seconds(1) > .microseconds(span.receiptDeadline ?? 0) + longestOpen
  }
}

/// What pushscope itself takes on its host, by the calibration that a run refers to (medians, µs): a change by less can be
/// the instrument's. 0 where `calibrate` did not run.
struct InstrumentFloor: Sendable, Hashable {
  var delivery: Int64 = 0
  var accept: Int64 = 0

  init() {}

  init(_ calibration: Calibration) {
    func median(_ interval: Calibration.Interval) -> Int64 {
      guard let figure = calibration[interval]?.figures.first(where: { $0.quantile == .p50 }),
        case .known(let value, _, _) = figure.estimate
      else { return 0 }
      return max(0, value)
    }
    delivery = median(.delivery)
    accept = median(.accept)
  }
}

/// The detectors of one target and variant, fed with the same seconds. A value: a copy is a place to go back to.
struct TargetDetector: Sendable {
  /// Times are µs since 1970, and `longestGap` is µs.
  private struct State: Codable {
    var series: [SeriesMetric: SeriesDetector.Checkpoint]
    var through: Int64
    var forgottenBefore: Int64
    var target: Int64?
    var cursor: Int64
    var recordedTo: Int64?
    var longestGap: Int64?
    var version: Int
    var ownSince: Int64?
  }

  /// What every version writes.
  private struct AnyState: Codable {
    var version: Int?
  }

  private var series: [SeriesMetric: SeriesDetector]
  /// Makes the detector of a metric that has a value for the first time.
  private let new: @Sendable (SeriesMetric) -> SeriesDetector
  /// What was planned before was looked at.
  private(set) var through: WallTime
  /// The target of the run that it is in; `nil` between runs.
  private(set) var target: TargetID?
  /// What was detected before is another version's to say.
  var ownSince = WallTime.distantPast
  /// Whether it only learns from what another version has looked at.
  var isLearningAnew: Bool { through < ownSince }
  /// Findings that ended before are the store's.
  private(set) var forgottenBefore = WallTime.distantPast
  private var removed: [Finding] = []
  private var floor = InstrumentFloor()
  /// The end of the last second that has notifications.
  private var recordedTo: WallTime?
  /// The longest time without a planned notification that counts as recorded. A longer one means that the host
  /// was suspended, or its wall clock set forward.
  private let longestGap: Duration
  /// The stretch of ``FindingEngine``'s copies that it is in.
  var stretch = WallTime.distantPast..<WallTime.distantPast

  /// - Parameters:
  ///   - rate: notifications a second.
  ///   - start: a whole second.
  init(rate: Double, start: WallTime, settings: DetectionSettings) {
    new = Self.maker(rate: rate, settings)
    series = Dictionary(uniqueKeysWithValues: Self.usual.map { [new] in ($0, new($0)) })
    through = start
    longestGap = max(.minutes(1), .microseconds(Int64(200 / max(rate, 1e-6) * 1e6)))
  }

  /// The metrics that are watched from the beginning. Others begin with their first value: most devices do not report it.
  private static let usual: [SeriesMetric] = [.delivery, .accept, .lost, .failed, .refused]

  private static func maker(
    rate: Double, _ settings: DetectionSettings
  ) -> @Sendable (SeriesMetric) -> SeriesDetector {
    {
      SeriesDetector($0, settings: settings.usual(rate), firstHour: settings.firstHour(rate))
    }
  }

  var findings: [Finding] {
    SeriesMetric.allCases.flatMap { series[$0]?.findings ?? [] }
  }

  /// The longest learning of its series.
  var learning: (age: Duration, of: Duration?) {
    let states = series.values.map(\.learning)
    let open = states.compactMap { $0 }
    guard let first = open.max(by: { $0.age < $1.age }) else { return (.zero, nil) }
    return (first.age, first.of)
  }

  /// What it would find now, of the metrics that have values.
  var power: [DetectionPower] {
    SeriesMetric.allCases.compactMap { metric in series[metric]?.power.flatMap { $0.rate > 0 ? $0 : nil } }
  }

  /// The series whose change goes on.
  var followed: Set<SeriesMetric> { Set(series.filter(\.value.isFollowing).keys) }

  var memory: Int { series.values.reduce(0) { $0 + $1.memory } }

  // MARK: - Seconds

  /// Appends a complete second.
  ///
  /// - Parameter floor: the instrument's, of the second's run.
  mutating func append(_ second: SeriesSecond, expectsReceipts: Bool, floor: InstrumentFloor) {
    if let recordedTo, second.start - recordedTo > longestGap {
      complete(through: second.start)
      for metric in series.keys { series[metric]?.pause() }
    }
    let end = second.start + .seconds(1)
    through = max(through, end)
    recordedTo = max(recordedTo ?? end, end)
    target = second.target
    if floor != self.floor {
      self.floor = floor
      series[.delivery]?.use(floor: floor.delivery)
      series[.accept]?.use(floor: floor.accept)
    }
    for (metric, values) in Self.values(second, expectsReceipts) {
      series[metric, default: new(metric)].append(values, start: second.start)
    }
  }

  /// Everything planned before an instant is complete.
  mutating func complete(through end: WallTime) {
    if target != nil {
      let recorded = min(end, (recordedTo ?? through) + longestGap)
      for metric in series.keys { series[metric]?.complete(through: recorded) }
    }
    through = max(through, end)
  }

  /// Ends the run that it is in: no time passes until the next one.
  mutating func endRun(at end: WallTime) {
    complete(through: end)
    guard target != nil else { return }
    target = nil
    recordedTo = nil
    for metric in series.keys { series[metric]?.pause(isRunOver: true) }
  }

  /// Forgets findings that ended before an instant, but for ``drainRemoved()``.
  mutating func removeFindings(endedBefore time: WallTime) {
    forgottenBefore = max(forgottenBefore, time)
    removed += findings.filter { $0.hasEnded(before: time.microseconds) }
    for metric in series.keys { series[metric]?.removeFindings(endedBefore: time) }
  }

  /// The findings forgotten since the last call.
  mutating func drainRemoved() -> [Finding] {
    defer { removed = [] }
    return removed
  }

  private static func values(
    _ second: SeriesSecond, _ expectsReceipts: Bool
  ) -> [(SeriesMetric, SeriesValues)] {
    let counts = second.counts
    let planned = counts.planned - counts[.interrupted]
    let ofReceipts: [(SeriesMetric, SeriesValues)] = [
      (.delivery, .latencies(second.delivery)),
      (.lost, .share(events: counts.lost, count: counts.acceptedByProvider)),
    ]
    let ofDisplay: [(SeriesMetric, SeriesValues)] = [
      (.display, .latencies(second.display)),
      (.unseen, .share(events: counts.unseen, count: counts.displaySettled)),
    ]
    return (expectsReceipts ? ofReceipts : []) + (counts.displayExpected > 0 ? ofDisplay : []) + [
      (.accept, .latencies(second.accept)),
      (.failed, .share(events: counts[.failed], count: planned)),
      (.refused, .share(events: counts[.rejected] + second.heldByProvider, count: planned)),
    ]
  }

  // MARK: - Checkpoints

  /// - Parameter cursor: of the store's changes that it has seen.
  func checkpoint(cursor: Int64) throws -> [UInt8] {
    let state = State(
      series: series.mapValues(\.checkpoint), through: through.microseconds,
      forgottenBefore: forgottenBefore.microseconds, target: target?.rawValue, cursor: cursor,
      recordedTo: recordedTo?.microseconds, longestGap: longestGap.microseconds,
      version: SeriesDetector.version, ownSince: ownSince == .distantPast ? nil : ownSince.microseconds)
    return [UInt8](try JSONEncoder().encode(state))
  }

  /// Restores a detector, reading from the store the seconds that it looks back on.
  /// - Parameter rate: notifications a second, of metrics that begin later.
  /// - Returns: `nil` for a state of another version.
  static func restored(
    _ bytes: [UInt8], reader: StoreReader, spans: [WatchedSpan], rate: Double, _ settings: DetectionSettings
  ) throws -> (detector: TargetDetector, cursor: Int64)? {
    guard (try? JSONDecoder().decode(AnyState.self, from: Data(bytes)))?.version == SeriesDetector.version,
      let state = try? JSONDecoder().decode(State.self, from: Data(bytes))
    else { return nil }
    let start = state.series.values.map(\.firstBinStart).min() ?? state.through
    let byTarget = Dictionary(spans.map { ($0.span.target, $0) }, uniquingKeysWith: { first, _ in first })
    var pieces: [SeriesMetric: [(start: WallTime, values: SeriesValues)]] = [:]
    var from = WallTime(microseconds: start).floored(to: .seconds(1))
    let end = WallTime(microseconds: state.through)
    while from < end {
      let page = try reader.seriesSeconds(of: Set(byTarget.keys), from: from, to: end)
      for second in page.seconds {
        guard let span = byTarget[second.target], span.accepts(second) else { continue }
        for (metric, values) in values(second, span.expectsReceipts) {
          pieces[metric, default: []].append((second.start, values))
        }
      }
      guard page.coveredTo > from else { break }
      from = page.coveredTo
    }
    let detector = TargetDetector(
      series: Dictionary(
        uniqueKeysWithValues: state.series.map { metric, checkpoint in
          (metric, SeriesDetector(checkpoint, pieces: pieces[metric] ?? []))
        }
      ), state, new: maker(rate: rate, settings))
    return (detector, state.cursor)
  }

  private init(
    series: [SeriesMetric: SeriesDetector], _ state: State,
    new: @escaping @Sendable (SeriesMetric) -> SeriesDetector
  ) {
    (self.series, self.new) = (series, new)
    through = WallTime(microseconds: state.through)
    forgottenBefore = WallTime(microseconds: state.forgottenBefore)
    target = state.target.map(TargetID.init(rawValue:))
    recordedTo = state.recordedTo.map(WallTime.init(microseconds:)) ?? (target == nil ? nil : through)
    longestGap = state.longestGap.map(Duration.microseconds) ?? .hours(1)
    ownSince = state.ownSince.map(WallTime.init(microseconds:)) ?? .distantPast
  }
}

extension [WatchedSpan] {
  /// Whether a second is complete by its age alone, or may be because its run ended.
  func isOverdue(_ second: WallTime, _ now: WallTime, _ longestOpen: Duration) -> Bool {
    guard let span = last(where: { second >= $0.start }) else { return true }
    return span.end != nil || span.isOverdue(second, now, longestOpen)
  }
}
