import Findings
import Measurement
import Store
import Testing

@testable import Analysis

/// What `pushscope status` says of a target.
@Suite struct TargetStatusTests {
  /// 2026-03-01 14:02:10 UTC.
  static let now = WallTime(microseconds: 1_772_373_730_000_000)
  private static let clock = SentenceClock(today: now, isNamed: true)
  private static let run: RunID = {
    var random = SeededGenerator(seed: 1)
    return RunID(at: WallTime(microseconds: 0), using: &random)
  }()

  static func after(_ seconds: Int64) -> WallTime { now.advanced(byMicroseconds: seconds * 1_000_000) }

  /// An hour of a target in which all went well, but for what is handed in.
  static func window(
    _ count: Int = 14_400, good: Int? = nil, lost: Int = 0, failed: Int = 0, refused: Int = 0,
    missed: Int = 0,
    median: Int64? = 210_000, p99: Int64? = 1_900_000, from: Int64 = -3_600, to: Int64 = 0
  ) -> StatusWindow {
    func quantile(_ value: Int64) -> QuantileInterval {
      QuantileInterval(
        independent: .known(value: value, low: value * 95 / 100, high: value * 105 / 100), value: value,
        count: count)
    }
    var counts = StateCounts()
    counts[.lost] = lost
    counts[.failed] = failed
    counts[.rejected] = refused
    counts[.missed] = missed
    counts[.delivered] = max(0, count - lost - failed - refused - missed)
    var window = StatusWindow(time: after(from)..<after(to), counts: counts)
    window.inTime = ShareInterval(independent: good ?? counts[.delivered], of: count)
    window.lost = ShareInterval(independent: lost, of: count - failed - refused - missed)
    window.failed = ShareInterval(independent: failed, of: count)
    window.refused = ShareInterval(independent: refused, of: count)
    (window.median, window.p99) = (median.map(quantile), p99.map(quantile))
    return window
  }

  static func target(
    _ name: String = "ios", _ last: StatusWindow? = window(), before: StatusWindow? = nil,
    phase: TargetActivity.Phase = .recorded, rate: Double = 4
  ) -> TargetActivity {
    var target = TargetActivity(
      name: name, provider: "apns", phase: phase, askedRate: rate, metric: .delivery, limit: 5_000_000)
    (target.last, target.before, target.shortestOutage) = (last, before, .zero)
    target.receiptDeadline = .seconds(5)
    return target
  }

  static func finding(_ metric: SeriesMetric, id: String = "95xeu33a", variant: String = "") -> FindingRecord
  {
    var record = FindingRecord(
      id: id, incident: id, run: run, target: "ios", variant: variant, provider: "apns", endpoint: "",
      device: "phone", metric: metric, kind: metric.kind(isUpward: true), status: .open,
      startedAt: after(-600),
      detectedAt: after(-570), seenUntil: after(0))
    if metric.isShare {
      (record.shareBefore, record.shareAfter) = (0.001, 0.123)
    } else {
      (record.quantile, record.before, record.after) = (0.5, 170_000, 900_000)
    }
    record.cause = .host
    return record
  }

  private static func objective(_ name: String) -> ObjectiveRecord {
    var record = ObjectiveRecord(name: name, position: 0, target: "ios", evaluatedAt: now)
    record.verdict = .breached
    record.breachedAt = after(-300)
    return record
  }

  private static func detector(_ power: [DetectionPower]?, age: Int64) -> DetectorRecord {
    DetectorRecord(
      target: "ios", variant: "", provider: "apns", endpoint: "", through: now, cursor: 0, age: age,
      learning: 172_800_000_000, power: power)
  }

  private func expect(
    _ target: TargetActivity, _ word: StatusWord, _ sentence: String,
    location: SourceLocation = #_sourceLocation
  ) {
    let status = TargetStatus(target, clock: Self.clock)
    #expect(status.word == word, sourceLocation: location)
    #expect(status.sentence == sentence, sourceLocation: location)
  }

  @Test func whatIsWellIsToldInFigures() {
    expect(
      Self.target("ios", Self.window(good: 14_396)), .ok,
      "99.972 % arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s")
    expect(
      Self.target("ios", Self.window(40, p99: nil)), .ok, "all 40 arrived within 5 s; half within 210 ms")
    expect(
      Self.target("ios", Self.window(40, good: 39, median: nil, p99: nil)), .ok, "39 of 40 arrived within 5 s"
    )
    var window = Self.window()
    window.unseen = ShareInterval(independent: 72, of: 14_400)
    expect(
      Self.target("ios", window), .ok,
      "all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s; 0.50 % of what arrived in time was not shown"
    )
    var answers = Self.target()
    (answers.metric, answers.limit) = (.accept, nil)
    expect(answers, .ok, "all were accepted; half within 210 ms, 99 of 100 within 1.90 s")
  }

  @Test func whatWasBeforeIsToldWhereItDiffers() {
    let same = Self.window(median: 205_000, from: -600_000, to: -3_600)
    expect(
      Self.target(before: same), .ok, "all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s")
    let other = Self.window(good: 14_000, median: 120_000, from: -600_000, to: -3_600)
    expect(
      Self.target(before: other), .ok,
      "all arrived within 5 s (before 97.2 %); half within 210 ms (before 120 ms), 99 of 100 within 1.90 s")
  }

  @Test(
    arguments: [
      (
        .delivery, .slower,
        "since 13:52 UTC: half within 900 ms (before 170 ms). It is this host: it sends late."
      ),
      (
        .lost, .losing, "since 13:52 UTC: 12.3 % get lost (before 0.1 %). It is this host: it sends late."
      ),
      (.failed, .failing, "since 13:52 UTC: 12.3 % fail (before 0.1 %). It is this host: it sends late."),
      (
        .accept, .slower,
        "since 13:52 UTC: half of apns’s answers within 900 ms (before 170 ms). It is this host: it sends late."
      ),
    ] as [(SeriesMetric, StatusWord, String)])
  func anOpenFindingIsToldInItsOwnWords(_ metric: SeriesMetric, _ word: StatusWord, _ sentence: String) {
    var target = Self.target()
    let finding = Self.finding(metric)
    target.open = [(FindingIncident(finding), finding)]
    expect(target, word, sentence)
    #expect(TargetStatus(target, clock: Self.clock).finding == "95xeu33a")
  }

  @Test func whatComesEveryDayIsToldWhereAllIsWell() {
    func daily(_ metric: SeriesMetric, hours: Int64) -> FindingRecord {
      var record = Self.finding(metric)
      (record.status, record.window, record.samples) = (Stored(.daily), 9_000_000_000, 10)
      record.effectiveSamples = 10
      record.seenUntil = Self.after(-hours * 3_600)
      return record
    }
    var target = Self.target()
    target.daily = [daily(.accept, hours: 5), daily(.delivery, hours: 5)]
    let figures = "all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s"
    let words = "Slower every day from 06:32 to 09:02 UTC: half within 900 ms instead of 170 ms."
    expect(target, .ok, "\(figures). \(words)")
    target.daily.append(daily(.delivery, hours: 1))
    expect(target, .ok, "\(figures). \(words) And at 1 other time of the day.")
    let finding = Self.finding(.delivery)
    target.open = [(FindingIncident(finding), finding)]
    #expect(!TargetStatus(target, clock: Self.clock).sentence.contains("every day"))
  }

  /// Figures that a change is in need it to be understood.
  @Test func whatEndedInTheTimeOfTheFiguresIsTold() {
    var target = Self.target()
    var finding = Self.finding(.lost)
    (finding.status, finding.endedAt) = (Stored(.closed), Self.after(-300))
    target.over = [(FindingIncident(finding), finding)]
    let words =
      "all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s. Over: losing from 13:52:10 to 13:57:10 UTC: 12.3 % got lost (before 0.1 %)."
    expect(target, .ok, words)
    target.over.append(target.over[0])
    expect(target, .ok, "\(words) And 1 other finding.")
  }

  @Test func theWorstOfSeveralFindingsIsTold() {
    var target = Self.target()
    target.open = [Self.finding(.delivery, id: "a"), Self.finding(.lost, id: "b", variant: "priority=5")].map
    {
      (FindingIncident($0), $0)
    }
    let status = TargetStatus(target, clock: Self.clock)
    #expect(status.word == .losing && status.finding == "b")
    #expect(status.sentence.hasPrefix("priority=5, since 13:52 UTC: 12.3 %"), "\(status.sentence)")
    #expect(status.sentence.hasSuffix(" And 1 other finding."), "\(status.sentence)")
  }

  @Test func whatArrivesIsToldBeforeWhatIsOnlyAnsweredAndTheGreaterChangeFirst() {
    var target = Self.target()
    var small = Self.finding(.delivery, id: "small")
    small.after = 200_000
    target.open = [Self.finding(.accept, id: "a"), small, Self.finding(.delivery, id: "z")].map {
      (FindingIncident($0), $0)
    }
    #expect(TargetStatus(target, clock: Self.clock).finding == "z")
  }

  @Test func anObjectiveThatIsBreachedIsTold() {
    var target = Self.target("ios", Self.window(good: 14_000, lost: 300))
    var objective = Self.objective("prompt")
    (objective.metric, objective.limit, objective.share, objective.window) = (
      .delivery, 5_000_000, 0.99, 3_600_000_000
    )
    (objective.good, objective.valid) = (14_000, 14_400)
    target.breached = objective
    expect(
      target, .losing,
      "97.2 % of the last 1 h arrived within 5 s, \"prompt\" promises 99 %: breached since 13:57 UTC")
    target.last = Self.window(good: 14_000)
    #expect(TargetStatus(target, clock: Self.clock).word == .slower)
    // Failed or not sent in time, and late; whatever the objective's own window has.
    (objective.good, objective.valid) = (50_000, 100_000)
    target.breached = objective
    target.last = Self.window(1_000, good: 700, failed: 120, missed: 120)
    #expect(TargetStatus(target, clock: Self.clock).word == .failing)
    target.last = Self.window(1_000, good: 700, failed: 60, missed: 60)
    #expect(TargetStatus(target, clock: Self.clock).word == .slower)
    // All went well since; and what arrived was not shown.
    (target.last, target.before) = (Self.window(), Self.window(1_000, lost: 300, from: -90_000, to: -3_600))
    #expect(TargetStatus(target, clock: Self.clock).word == .losing)
    var shown = Self.window(1_000, good: 600)
    shown.unseen = ShareInterval(independent: 400, of: 1_000)
    (target.last, target.before) = (shown, nil)
    target.breached?.metric = .shown
    #expect(TargetStatus(target, clock: Self.clock).word == .unseen)
    var silence = Self.objective("heard")
    (silence.silence, silence.quiet) = (600_000_000, 720_000_000)
    target.breached = silence
    expect(target, .silent, "nothing arrived for 12 min; \"heard\" allows 10 min")
  }

  @Test func muchThatDoesNotArriveIsToldThoughNothingChanged() {
    expect(
      Self.target(
        "ios", Self.window(1_000, failed: 400),
        before: Self.window(1_000, failed: 390, from: -90_000, to: -3_600)),
      .failing, "40.0 % fail in the last 1 h (before 39.0 %); half within 210 ms, 99 of 100 within 1.90 s")
    expect(
      Self.target("ios", Self.window(1_000, refused: 1_000, median: nil, p99: nil)), .refused,
      "all are refused or not sent in the last 1 h")
    expect(
      Self.target("ios", Self.window(1_000, lost: 200, p99: nil)), .losing,
      "20.0 % get lost in the last 1 h; half within 210 ms")
    expect(
      Self.target("ios", Self.window(1_000, missed: 130, p99: nil)), .failing,
      "13.0 % are not sent in time in the last 1 h; half within 210 ms")
    var held = Self.window(1_000, missed: 130, p99: nil)
    held.refused = ShareInterval(independent: 130, of: 1_000)
    expect(
      Self.target("ios", held), .refused, "13.0 % are refused or not sent in the last 1 h; half within 210 ms"
    )
    held.refused = nil
    #expect(TargetStatus(Self.target("ios", held), clock: Self.clock).word == .ok, "reasons are not known")
    expect(
      Self.target("ios", Self.window(120, lost: 120, median: nil, p99: nil)), .silent,
      "nothing arrived of 120 that were accepted in the last 1 h")
    #expect(TargetStatus(Self.target("ios", Self.window(4, lost: 1)), clock: Self.clock).word == .ok)
    // Little of each, and much together.
    expect(
      Self.target("ios", Self.window(1_000, lost: 40, failed: 70)), .failing,
      "7.0 % fail, 4.3 % get lost in the last 1 h; half within 210 ms, 99 of 100 within 1.90 s")
  }

  @Test func whatIsTooYoungOrTooSlowSaysSo() {
    expect(
      Self.target("ios", nil), .learning, "nothing is known yet; what is lost is known 5 s after it was sent")
    var young = Self.target("ios", Self.window(40, p99: nil, from: -10))
    young.detectors = [Self.detector([], age: 10_000_000)]
    expect(
      young, .learning,
      "all 40 arrived within 5 s; half within 210 ms. Too little is recorded to see a change.")
    young.detectors = [Self.detector(nil, age: 10_000_000)]
    #expect(
      TargetStatus(young, clock: Self.clock).word == .ok, "a store that does not say what would be found")
    var slow = Self.target("ios", Self.window(20, p99: nil, from: -7_200), rate: 1.0 / 360)
    slow.shortestOutage = .minutes(40)
    expect(
      slow, .quiet,
      "sends one notification in 6 min: an outage of less than 40 min would not be seen. In the last 2 h all 20 arrived within 5 s; half within 210 ms"
    )
    slow.shortestOutage = nil
    #expect(
      TargetStatus(slow, clock: Self.clock).sentence.hasPrefix(
        "sends one notification in 6 min: no outage of up to 8 h would"))
  }

  @Test func whatIsNotRecordedAnyMoreSaysSinceWhen() {
    expect(
      Self.target(phase: .ended(at: Self.after(-86_400))), .ended,
      "ended 2026-02-28 14:02 UTC; before that all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s"
    )
    expect(
      Self.target("ios", Self.window(40, p99: nil), phase: .removed(since: Self.after(-60))), .ended,
      "nothing planned since 14:01 UTC; before that all 40 arrived within 5 s; half within 210 ms")
    expect(
      Self.target("ios", nil, phase: .gone(since: Self.after(-60))), .silent,
      "nothing recorded since 14:01 UTC")
    var target = Self.target(phase: .ended(at: Self.after(-60)))
    let finding = Self.finding(.delivery)
    target.open = [(FindingIncident(finding), finding)]
    expect(
      target, .ended,
      "slower: from 13:52:10 until recording stopped at 14:01:10 UTC: half within 900 ms (before 170 ms). It was this host: it sent late."
    )
  }
}
