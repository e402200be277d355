import Findings
import Measurement
import Store
import Testing

@testable import Analysis

/// The lines of `pushscope status`.
@Suite struct CollectionStatusTests {
  private static let now = TargetStatusTests.now
  private static let clock = SentenceClock(today: now, isNamed: true)

  private static func headline(_ phase: StatusHeadline.Phase = .collecting) -> StatusHeadline {
    var headline = StatusHeadline(
      phase: phase, run: "run 01a20e48…", targets: 2, rate: 4.1, length: .days(12))
    (headline.last, headline.before) = (.hours(1), .days(7))
    return headline
  }

  private static func status(_ targets: [TargetActivity], needs: [String] = []) -> CollectionStatus {
    CollectionStatus(headline: headline(), targets: targets, needs: needs, now: now)
  }

  @Test(
    "the first line says what is recorded",
    arguments: [
      (
        .collecting,
        "collecting for 12 d (run 01a20e48…, 2 targets, 4.1 notifications a second); last 1 h against the 7 d before"
      ),
      (
        .gone(since: TargetStatusTests.after(-600)),
        "nothing recorded since 13:52 UTC: the collector is gone (run 01a20e48…, 2 targets); last 1 h against the 7 d before"
      ),
      (
        .ended(at: TargetStatusTests.after(-600), reason: "stopped"),
        "not collecting since 13:52 UTC: stopped after 12 d (run 01a20e48…, 2 targets); last 1 h against the 7 d before"
      ),
      (
        .idle,
        "the collector is idle; what was recorded last took 12 d (run 01a20e48…, 2 targets); last 1 h against the 7 d before"
      ), (.empty, "nothing recorded yet; pushscope collect records"),
    ] as [(StatusHeadline.Phase, String)])
  func firstLine(_ phase: StatusHeadline.Phase, _ text: String) {
    #expect(Self.headline(phase).text(Self.clock) == text)
  }

  @Test func stretchesAreToldWhereThereAreSome() {
    var headline = Self.headline()
    headline.before = .zero
    #expect(headline.text(Self.clock).hasSuffix("4.1 notifications a second); last 1 h"))
    headline.last = .zero
    #expect(headline.text(Self.clock).hasSuffix("4.1 notifications a second)"))
  }

  @Test func columnsAreAligned() {
    let lines = Self.status(
      [
        TargetStatusTests.target("ios"), TargetStatusTests.target("android", nil),
        TargetStatusTests.target("日本", phase: .gone(since: Self.now)),
      ], needs: ["2 alerts not delivered", "disk full in about 40 days"]
    ).lines()
    #expect(
      Array(lines.dropFirst()) == [
        "  ios      ok        all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s",
        "  android  learning  nothing is known yet; what is lost is known 5 s after it was sent",
        "  日本     silent    nothing recorded since 14:02 UTC; before that all arrived within 5 s; half within 210 ms, 99 of 100 within 1.90 s",
        "cannot know: whether notifications of ios are shown: no device reports it",
        "needs a hand: 2 alerts not delivered · disk full in about 40 days",
      ])
  }

  @Test("the collector's own line, and what no device reports")
  func collectorAndUnknown() {
    func target(_ name: String, deadline: Duration?, unseen: ShareInterval? = nil) -> TargetActivity {
      var target = TargetStatusTests.target(name)
      target.receiptDeadline = deadline
      target.last?.unseen = unseen
      if deadline == nil { target.last?.counts[.delivered] = 0 }
      return target
    }
    let shown = ShareInterval(independent: 1, of: 100)
    var status = Self.status([
      target("hook", deadline: nil), target("ios", deadline: .seconds(5)),
      target("android", deadline: .seconds(5), unseen: shown),
    ])
    #expect(
      status.unknown == ["whether notifications of hook arrive", "whether notifications of ios are shown"])
    #expect(status.running == nil)
    var reported = target("hook", deadline: nil)
    reported.last?.counts[.delivered] = 1
    #expect(Self.status([reported]).unknown.isEmpty, "receipts come though none is expected")
    status.runningSince = TargetStatusTests.after(-3_600)
    #expect(
      Array(status.lines().suffix(2)) == [
        "the collector has been running since 13:02 UTC; every part works",
        "cannot know: whether notifications of hook arrive, or whether notifications of ios are shown: no device reports it",
      ])
    status.failedParts = [
      FailedPart(part: .forward, reason: "x", unit: "u", since: Self.now, retryAt: Self.now)
    ]
    #expect(status.running == "the collector has been running since 13:02 UTC; 1 part of it does not work")
    #expect(
      Self.status((1...5).map { target("t\($0)", deadline: nil) }).unknown == [
        "whether notifications of t1, t2, t3 and 2 more arrive"
      ])
  }

  @Test("nothing is wider than the terminal, and all of it is there", arguments: [40, 60, 80, 200])
  func narrow(_ width: Int) {
    let long = String(repeating: "long", count: 16)
    let finding = TargetStatusTests.finding(.delivery)
    var target = TargetStatusTests.target("ios")
    target.open = [(FindingIncident(finding), finding)]
    let status = Self.status([target, TargetStatusTests.target(long)], needs: ["2 alerts not delivered"])
    let lines = status.lines(width: width)
    // A name is not broken.
    for line in lines where !line.contains(long) {
      #expect(CharacterWidth.columns(of: line) <= width, "\(line)")
    }
    func words(_ lines: [String]) -> [Substring] { lines.flatMap { $0.split(separator: " ") } }
    #expect(words(lines) == words(status.lines()))
    #expect(status.lines().count == 5)
  }

  @Test func harmfulCharactersAreMadeVisible() {
    var target = TargetStatusTests.target("a\u{1B}[31m\u{202E}")
    target.group = "eu\u{7}"
    for line in Self.status([target], needs: ["b\u{1B}"]).lines(width: 80) {
      let harmful = line.unicodeScalars.first { $0.value < 0x20 || $0.value == 0x202E }
      #expect(harmful == nil, "\(line.debugDescription)")
    }
  }

  @Test func ofManyTargetsThoseWithSomethingOpenAreNamedAgain() {
    var targets = (0..<100).map { TargetStatusTests.target("target-\($0)") }
    #expect(Self.status(targets).lines().last == "none of 100 targets has something open")
    let finding = TargetStatusTests.finding(.lost)
    targets[3].open = [(FindingIncident(finding), finding)]
    let status = Self.status(targets)
    #expect(status.isOpen && status.lines().count == 103)
    #expect(status.lines().last == "1 of 100 targets has something open: target-3 losing")
  }

  @Test("a sentence that stands alone names its target, and says its word once")
  func standingAlone() {
    func sentence(_ target: TargetActivity) -> String {
      CollectionStatus.sentence(TargetStatus(target, clock: Self.clock), of: target)
    }
    var target = TargetStatusTests.target()
    #expect(sentence(target).hasPrefix("ios: ok, all arrived within 5 s"), "\(sentence(target))")
    target.group = "eu-west"
    #expect(sentence(target).hasPrefix("eu-west ios: ok, "), "\(sentence(target))")
    let ended = TargetStatusTests.target(phase: .ended(at: TargetStatusTests.after(-60)))
    #expect(sentence(ended).hasPrefix("ios: ended 14:01 UTC; before that"), "\(sentence(ended))")
  }
}
