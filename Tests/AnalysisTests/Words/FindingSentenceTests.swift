import Findings
import Foundation
import Measurement
import Store
import Testing

@testable import Analysis

/// What people read about a finding. Every sentence is in the files of `Sentences`, to be read; they are written anew with
/// `RECORD_SNAPSHOTS=1`.
@Suite struct FindingSentenceTests {
  private static let run: RunID = {
    var random = SeededGenerator(seed: 1)
    return RunID(at: WallTime(microseconds: 0), using: &random)
  }()

  /// 2026-03-01 14:02:10 UTC.
  private static let start = WallTime(microseconds: 1_772_373_730_000_000)
  private static func after(_ seconds: Int64) -> WallTime {
    start.advanced(byMicroseconds: seconds * 1_000_000)
  }

  enum Subject: String, CaseIterable {
    case slower, faster, accept, lost, fewLost = "few lost", allLost = "all lost", failed,
      allFailed = "all failed", refused, refusedAndHeld =
      "refused and held", held

    var metric: SeriesMetric {
      switch self {
      case .slower, .faster: .delivery
      case .accept: .accept
      case .lost, .fewLost, .allLost: .lost
      case .failed, .allFailed: .failed
      case .refused, .refusedAndHeld, .held: .refused
      }
    }
  }

  enum State: String, CaseIterable {
    case open, uncertain, gradual, provisional, lasting, normal = "new normal", closed, short, stopped,
      repeated
    case daily, mostDays = "on most days", noLongerDaily = "no longer daily", withdrawn
    case withdrawnPattern = "withdrawn pattern", dailyStopped = "daily, stopped"
  }

  private static func record(_ subject: Subject, cause: String = "host", _ facts: CauseDetails? = nil)
    -> FindingRecord
  {
    let metric = subject.metric
    var record = FindingRecord(
      id: "95xeu33a", incident: "95xeu33a", run: run, target: "android", variant: "", provider: "fcm",
      endpoint: "", device: "pixel", metric: metric,
      kind: metric.kind(isUpward: subject != .faster), status: .open, startedAt: start,
      detectedAt: after(30), seenUntil: after(3_600))
    (record.startedLow, record.startedHigh) = (after(-2), after(1))
    if metric.isShare {
      (record.shareBefore, record.shareAfter) = subject == .fewLost ? (0, 0.004) : (0.001, 0.123)
      if [.failed, .allFailed].contains(subject) { record.shareBefore = 0 }
      if [.allLost, .allFailed].contains(subject) { record.shareAfter = 1 }
    } else {
      record.quantile = subject == .accept ? 0.9 : 0.5
      (record.before, record.after) = subject == .faster ? (900_000, 170_000) : (170_000, 900_000)
    }
    let refusals: Verdict.Refusals? =
      switch subject {
      case .refused: .init(target: "android", refused: 12, notSent: 0)
      case .refusedAndHeld: .init(target: "android", refused: 3, notSent: 375)
      case .held: .init(target: "android", refused: 0, notSent: 375)
      default: nil
      }
    var all = facts ?? CauseDetails()
    if metric == .failed { all.failure = .timeout }
    if refusals != nil { all.status = 503 }
    guard !cause.isEmpty else { return record }
    record.cause = Cause(rawValue: cause)
    let scope: String? =
      switch cause {
      case "device", "device-asleep", "display": "pixel"
      case "host", "uplink", "receipts", "undecided: provider-delivery or device": nil
      default: "fcm"
      }
    record.scope = scope
    record.verdicts = [
      Verdict(
        cause: Cause(rawValue: cause), scope: scope, evidence: "service p50 1 ms → 2 ms",
        wouldDecide: cause.hasPrefix("undecided")
          ? "round trips to fcm measured by the path probe, which needs HTTP/2" : nil,
        targets: ["android"], refusals: refusals.map { [$0] }, facts: all)
    ]
    return record
  }

  private static func sentence(_ record: FindingRecord, _ state: State) -> FindingSentence {
    var record = record
    let clock = SentenceClock(today: start)
    switch state {
    case .open: break
    case .uncertain: (record.startedLow, record.startedHigh) = (after(-600), after(300))
    case .gradual:
      record.isGradual = true
      (record.startedLow, record.startedHigh) = (nil, nil)
    case .provisional: record.status = Stored(.provisional)
    case .lasting: record.status = Stored(.lasting)
    case .normal: (record.status, record.isNewNormal) = (Stored(.closed), true)
    case .closed: (record.status, record.endedAt) = (Stored(.closed), after(1_500))
    case .short: (record.status, record.endedAt) = (Stored(.closed), after(48))
    case .stopped: return FindingSentence(record, stoppedAt: after(86_400), clock: clock)
    case .repeated:
      let times = (0..<4).map { number -> FindingIncident in
        var one = record
        one.startedAt = after(Int64(number) * 600)
        one.endedAt = after(Int64(number) * 600 + 60)
        one.status = Stored(.closed)
        (one.id, one.incident) = ("\(number)", "\(number)")
        return FindingIncident(one)
      }
      return FindingSentence(FindingRepetition.fold(times)[0], clock: clock)
    case .daily, .mostDays, .noLongerDaily, .withdrawnPattern, .dailyStopped:
      (record.status, record.window, record.samples) = (Stored(.daily), 9_000_000_000, 10)
      record.effectiveSamples = state == .mostDays ? 7 : 10
      record.seenUntil = after(10 * 86_400 + 9_000)
      if state == .noLongerDaily { record.endedAt = record.seenUntil }
      if state == .withdrawnPattern {
        record.status = Stored(.withdrawn)
        record.detection = #"{"finding":{"daily":{"days":10}}}"#
      }
      if state == .dailyStopped {
        return FindingSentence(record, stoppedAt: after(11 * 86_400), clock: clock)
      }
    case .withdrawn: record.status = Stored(.withdrawn)
    }
    return FindingSentence(record, clock: clock)
  }

  private static let undecided = [
    "provider-delivery or device", "losses: provider, device or receipts", "path or provider",
    "path and provider",
    "own queue or provider", "service everywhere", "service of several providers",
    "failures of several providers",
    "refusals by several providers", "refusals", "no part of the way stands out", "too little before it",
    "causes are sought of what gets worse", "device pixel or provider-delivery fcm",
  ].map { "undecided: \($0)" }

  private static let causes =
    [
      "", "host", "uplink", "connecting", "path", "provider-processing", "provider-delivery", "provider-loss",
      "provider-errors", "throttled", "credentials", "receipts", "device", "device-asleep", "display",
    ] + undecided

  private static func facts(known: Bool) -> CauseDetails {
    var facts = CauseDetails()
    guard known else { return facts }
    (facts.isSentOnTime, facts.isAcceptedAsBefore, facts.isPathAsBefore) = (true, true, true)
    facts.roundTripRise = 60_000
    (facts.devices, facts.allDevices) = (3, 3)
    return facts
  }

  private func check(_ lines: [String], _ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Sentences/\(name).txt")
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test func whatChangedIsTold() throws {
    try check(
      Subject.allCases.flatMap { subject in
        State.allCases.map { state in
          "\(subject.rawValue), \(state.rawValue): \(Self.sentence(Self.record(subject), state).what)"
        }
      }, "what")
  }

  @Test func whoseFaultItIsIsTold() throws {
    try check(
      Self.causes.flatMap { cause in
        [Subject.slower, .accept, .lost].flatMap { subject -> [String] in
          [State.open, .closed].flatMap { state -> [String] in
            [true, false].map { known in
              let record = Self.record(subject, cause: cause, Self.facts(known: known))
              let name = "\(cause.isEmpty ? "none" : cause), \(subject.rawValue), \(state.rawValue)"
              return "\(name)\(known ? "" : ", little known"): \(Self.sentence(record, state).whose)"
            }
          }
        }
      }, "whose")
  }

  @Test("all kinds, causes and states are sentences without terms of statistics")
  func allAreSentences() {
    for subject in Subject.allCases {
      for cause in Self.causes {
        for state in State.allCases {
          for known in [true, false] {
            let record = Self.record(subject, cause: cause, Self.facts(known: known))
            let text = Self.sentence(record, state).text
            let isEnded = text.hasSuffix(".") || text.hasSuffix(".)")
            #expect(isEnded && text.first?.isLowercase == (text.hasPrefix("fcm")), "\(text)")
            for term in ["  ", "undecided", "p50", "p90", "→", "..", ": :", "nil", "effective", "nats"] {
              #expect(!text.contains(term), "\(text)")
            }
            #expect(text.split(separator: " ").count <= 85, "\(text)")
          }
        }
      }
    }
  }

  /// "Not us" is a claim.
  @Test func notUsIsSaidOnlyWhereItIsKnown() {
    func text(_ subject: Subject, _ cause: String, _ change: (inout CauseDetails) -> Void) -> String {
      var facts = Self.facts(known: true)
      change(&facts)
      return Self.sentence(Self.record(subject, cause: cause, facts), .open).whose
    }
    let transit = "undecided: provider-delivery or device"
    let service = "undecided: path or provider"
    #expect(
      text(.slower, transit) { $0.isPathAsBefore = nil }.hasPrefix(
        "Not us: we sent on time, and fcm accepted"))
    #expect(!text(.slower, transit) { $0.isSentOnTime = false }.contains("Not us"))
    #expect(
      text(.accept, service) { _ in }.hasPrefix("Not us: we sent on time, and the network to fcm is as fast"))
    #expect(!text(.accept, service) { $0.isPathAsBefore = nil }.contains("Not us"))
    #expect(!text(.accept, service) { $0.isSentOnTime = nil }.contains("on time"))
  }

  @Test(
    "a device that other providers reach is not suspected by itself",
    arguments: [
      ("provider-delivery or device", Subject.slower), ("losses: provider, device or receipts", .lost),
    ])
  private func deviceIsWellElsewhere(reason: String, subject: Subject) {
    var facts = CauseDetails()
    facts.isDeviceWellElsewhere = true
    let record = Self.record(subject, cause: "undecided: \(reason)", facts)
    let text = Self.sentence(record, .open).whose
    #expect(
      text.contains(
        "It is fcm or its connection to the device pixel: what other providers send arrives there as before. A second device "
      ),
      "\(text)")
    #expect(!text.contains("second provider"), "\(text)")
  }

  @Test func datesStandWhereTheyAreNotTodays() {
    var record = Self.record(.slower)
    let other = SentenceClock(today: Self.after(86_400))
    #expect(FindingSentence(record, clock: other).what.contains("since 2026-03-01 14:02:"))
    (record.status, record.endedAt) = (Stored(.closed), Self.after(1_500))
    #expect(FindingSentence(record, clock: other).what.contains("from 2026-03-01 14:02 to 14:27:"))
    #expect(FindingSentence(record, clock: .alone).what.contains("from 2026-03-01 14:02 to 14:27 UTC:"))
    record.endedAt = Self.after(86_400)
    let long = FindingSentence(record, clock: SentenceClock(today: Self.start)).what
    #expect(long.contains("from 14:02 to 2026-03-02 14:02:"))
    let east = LocalTime { _ in 7_200_000_000 }
    #expect(
      FindingSentence(record, clock: SentenceClock(east, today: Self.start)).what.contains("from 16:02"))
  }

  @Test("a daily pattern is told with its hours, and with the part of the day in the reader's zone")
  func dailyPatterns() {
    func what(_ hour: Int64, hours: Double = 2.5, _ clock: SentenceClock, days: Double = 10) -> String {
      var record = Self.record(.slower)
      (record.status, record.samples, record.effectiveSamples) = (Stored(.daily), 10, days)
      record.window = Int64(hours * 3_600e6)
      // 2026-03-01 00:20 UTC.
      record.startedAt = Self.after((hour * 60 - 822) * 60 - 10)
      record.seenUntil = record.startedAt.advanced(byMicroseconds: 9 * 86_400_000_000 + record.window)
      return FindingSentence(record, clock: clock).what
    }
    let utc = SentenceClock(today: Self.start)
    let east = SentenceClock(LocalTime { _ in 3_600_000_000 }, today: Self.start)
    let figures = "half within 900 ms instead of 170 ms."
    let arrive = "Notifications to android arrive slower"
    #expect(what(18, utc) == "\(arrive) every day from 18:20 to 20:50: \(figures)")
    // As in London, where summer time begins four weeks later.
    let london = SentenceClock(
      LocalTime { $0 > Self.after(28 * 86_400) ? 3_600_000_000 : 0 }, today: Self.start)
    #expect(what(18, london) == "\(arrive) every evening from 18:20 to 20:50: \(figures)")
    #expect(what(18, .alone) == "\(arrive) every day from 18:20 to 20:50 UTC: \(figures)")
    #expect(what(18, east) == "\(arrive) every evening from 19:20 to 21:50: \(figures)")
    #expect(what(18, east, days: 7) == "\(arrive) on most evenings from 19:20 to 21:50: \(figures)")
    #expect(what(18, utc, days: 7) == "\(arrive) on most days from 18:20 to 20:50: \(figures)")
    #expect(what(22, east) == "\(arrive) every night from 23:20 to 01:50: \(figures)")
    #expect(what(0, east) == "\(arrive) every night from 01:20 to 03:50: \(figures)")
    #expect(what(5, east) == "\(arrive) every morning from 06:20 to 08:50: \(figures)")
    #expect(what(12, east) == "\(arrive) every afternoon from 13:20 to 15:50: \(figures)")
    #expect(what(6, hours: 12, east) == "\(arrive) every day from 07:20 to 19:20: \(figures)")
    #expect(what(23, hours: 3, utc) == "\(arrive) every day from 23:20 to 02:20: \(figures)")
  }

  @Test func targetsOfAnIncidentAreNamedOnce() {
    var records = ["android", "ios", "web"].map { name -> FindingRecord in
      var record = Self.record(.slower, cause: "uplink")
      (record.id, record.target) = (name, name)
      record.incident = "android"
      return record
    }
    var answers = Self.record(.accept)
    (answers.id, answers.incident) = ("answers", "android")
    records.append(answers)
    let incident = FindingIncident.group(records)[0]
    let what = FindingSentence(incident, clock: SentenceClock(today: Self.start)).what
    #expect(
      what.hasPrefix(
        "Notifications to android, ios and web arrive slower since 14:02: to android, half within"))
  }

  @Test(
    "figures of an incident say which of its targets they are of",
    arguments: [
      (
        Subject.lost,
        "Notifications to android and web get lost since 14:02: to android, 12.3 % (before 0.1 %)."
      ),
      (.allFailed, "Notifications to android and web fail since 14:02: to android, all (before none)"),
      (.refused, "fcm refuses notifications to android and web since 14:02: 12 to android (HTTP 503)"),
      (
        .refusedAndHeld,
        "fcm refuses notifications to android and web since 14:02: 3 to android (HTTP 503); because"
      ),
      (.held, "because of that we did not send 375 to android since 14:02."),
    ])
  func figuresOfSeveralTargets(subject: Subject, text: String) {
    let records = ["android", "web"].map { name -> FindingRecord in
      var record = Self.record(subject)
      (record.id, record.target, record.incident) = (name, name, "android")
      return record
    }
    let what = FindingSentence(FindingIncident.group(records)[0], clock: SentenceClock(today: Self.start))
      .what
    #expect(what.contains(text), "\(what)")
  }

  @Test("providers of an incident are all named, and each finding has its own provider, cause and seconds")
  func severalProviders() {
    let records = ["fcm", "apns"].map { provider -> FindingRecord in
      var record = Self.record(.accept, cause: "undecided: path or provider")
      (record.id, record.incident) = (provider, "fcm")
      (record.target, record.provider) = (provider == "fcm" ? "android" : "ios", provider)
      (record.verdicts, record.scope) = ([], provider)
      return record
    }
    let clock = SentenceClock(today: Self.start)
    let incident = FindingIncident.group(records)[0]
    #expect(
      FindingSentence(incident, clock: clock).what.hasPrefix(
        "fcm and apns answer slower for android and ios since 14:02: for android, 9 of 10 of fcm’s answers within "
      ))
    let ios = FindingSentence(records[1], of: incident, clock: clock).brief
    #expect(ios.hasPrefix("since 14:02: 9 of 10 of apns’s answers within ") && !ios.contains("fcm"), "\(ios)")
    // A cause that is decided of the first is not told of a target that it does not concern.
    var first = records[0]
    first.cause = .providerProcessing
    first.verdicts = [
      Verdict(cause: .providerProcessing, scope: "fcm", evidence: "", wouldDecide: nil, targets: ["android"])
    ]
    let decided = FindingIncident.group([first, records[1]])[0]
    #expect(!FindingSentence(records[1], of: decided, clock: clock).whose.contains("fcm"))
    first.verdicts[0].targets.append("ios")
    let common = FindingIncident.group([first, records[1]])[0]
    #expect(FindingSentence(records[1], of: common, clock: clock).whose.hasPrefix("It is fcm: "))
    var young = records[0]
    young.seenUntil = Self.after(500)
    #expect(FindingSentence(young, clock: clock).what.contains(" since 14:02:10: "))
  }
}
