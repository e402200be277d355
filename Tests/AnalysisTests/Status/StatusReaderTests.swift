import Findings
import Glibc
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import Analysis

/// What is read of a store for `pushscope status`.
@Suite struct StatusReaderTests {
  /// Notifications of a target, one a second from the store's start on.
  private static func events(
    _ count: Int64, from first: Int64 = 0, every interval: Int64 = 1_000_000, delivery: Int64? = 80_000,
    state: NotificationState = .delivered
  ) -> [SeriesStore.Event] {
    (0..<count).map { number in
      SeriesStore.Event(
        after: (first + number) * interval, state: state, accept: 5_000,
        delivery: delivery.map { $0 + number % 100 })
    }
  }

  private static func status(_ store: SeriesStore, after seconds: Int64, targets: Set<String>? = nil) throws
    -> CollectionStatus
  {
    try StatusReader(store.fixture.reader(), targets: targets, at: store.time(seconds)).status()
  }

  @Test func aStoreWithoutARunIsEmpty() throws {
    let store = try RecordedStore(clock: SteppedHostClock())
    try store.open()
    let status = try StatusReader(store.reader(), at: store.clock.wallNow()).status()
    #expect(status.headline.phase == .empty && status.targets.isEmpty && !status.isOpen)
    #expect(status.lines() == ["nothing recorded yet; pushscope collect records"])
  }

  @Test func aRunningCollectorIsToldOfWithTheLastHourAndTheTimeBefore() throws {
    let store = try SeriesStore()
    let hours: Int64 = 3
    try store.commit(
      Self.events(hours * 3_600 - 3_600) + Self.events(3_600, from: 7_200, delivery: 200_000),
      of: store.fixture.alpha)
    try store.commit(
      Self.events(10_800, delivery: nil, state: .accepted), of: store.fixture.beta)
    try store.rollUp(after: hours * 3_600)
    // A heartbeat.
    try store.fixture.commit()
    let status = try Self.status(store, after: hours * 3_600)
    #expect(status.headline.run == "run \"a test\"" && status.headline.targets == 2)
    #expect(LengthText.text(status.headline.last) == "1 h", "\(status.headline)")
    #expect(status.headline.phase == .collecting)
    let (alpha, beta) = (status.targets[0], status.targets[1])
    #expect([alpha.name, beta.name] == ["alpha", "beta"])
    #expect(
      alpha.limit == 30_000_000 && alpha.metric == .delivery && beta.limit == nil && beta.metric == .accept)
    let last = try #require(alpha.last)
    // What was sent just now may still arrive.
    #expect(last.time.upperBound <= store.time(hours * 3_600 - 35) && last.inTime?.share == 1)
    #expect(last.median.map { 195_000...205_000 ~= $0.value } == true, "\(last)")
    let before = try #require(alpha.before)
    #expect(before.median.map { 75_000...85_000 ~= $0.value } == true, "\(before)")
    #expect(beta.last?.inTime?.share == 1 && beta.last?.median.map { 4_900...5_100 ~= $0.value } == true)
    let sentence = status.statuses[0].sentence
    #expect(sentence.hasPrefix("all arrived within 30 s; half within 200 ms (before 80.1 ms)"), "\(sentence)")
  }

  @Test func partsThatAreOffNeedAHand() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    let since = store.time(100)
    let failed = [
      FailedPart(part: nil, reason: "SIGKILL", unit: "", since: since, retryAt: since + .minutes(10)),
      FailedPart(part: .forward, reason: "SIGILL", unit: "sample", since: since, retryAt: since + .hours(1)),
    ]
    try store.fixture.store.set(failedParts: failed)
    let status = try Self.status(store, after: 400)
    #expect(status.failedParts == failed)
    #expect(
      status.needs == [
        "the analyst (the search for changes, the judgment of objectives, the delivery of alerts, the forwarding to the fleet) failed again and again (SIGKILL) in the last 5 min; "
          + "it counts as mended at \(status.clock.moment(since + .minutes(10))) if it runs until then",
        "the forwarding to the fleet failed and has been switched off for 5 min (SIGILL at sample); rows wait",
      ])
    var nothingElse = CollectionStatus(headline: status.headline, targets: [], now: status.now)
    #expect(!nothingElse.isOpen)
    nothingElse.failedParts = failed
    #expect(nothingElse.isOpen, "somebody has to look")
    nothingElse.failedParts = []
    nothingElse.isDiskFull = true
    #expect(nothingElse.isOpen)
  }

  @Test("what is noted of the running collector and its store is told")
  func conditions() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    try store.fixture.commit()
    let now = store.time(5)
    try store.fixture.store.replace(
      .collector, by: [Condition(.collector, since: store.time(-60), detail: "\(getpid())")])
    try store.fixture.store.replace(
      .certificate, .backup,
      by: [
        Condition(
          .certificate, "the receipt listener", since: now - .days(80), until: now + .days(9), detail: "c.pem"
        ),
        Condition(.backup, since: now - .days(12), detail: "/b"),
      ])
    var status = try Self.status(store, after: 5)
    #expect(status.runningSince == store.time(-60))
    #expect(
      status.needs == [
        "the receipt listener's certificate ends in 9 d", "the last backup is 12 d old (/b)",
      ])

    // Its heartbeat is old.
    status = try Self.status(store, after: 400)
    #expect(status.runningSince == nil)
    #expect(
      status.needs.first
        == "the collector (process \(getpid())) has the store and writes nothing: it is stopped, or its disk does not answer"
    )
  }

  @Test("rows that wait for a fleet for minutes need a hand; those that wait for seconds do not")
  func rowsThatWait() throws {
    let store = try SeriesStore()
    _ = try store.fixture.store.beginForwarding(to: "fleet", at: "https://e")
    let pause = try #require(try store.fixture.reader().forwardPause())
    let clock = SentenceClock(today: pause.since, isNamed: true)
    #expect(CollectorNotes.text(pause, clock, at: pause.since + .minutes(4)) == nil)
    let words = try #require(CollectorNotes.text(pause, clock, at: pause.since + .minutes(5)))
    #expect(
      words.hasPrefix("nothing has reached the fleet since ") && words.hasSuffix("rows wait"), "\(words)")
  }

  /// A store that was edited or damaged.
  @Test func timesAtTheEndsOfTheirTypeAreSaid() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    let ends = [Int64.min, .max].map(WallTime.init(microseconds:))
    for (since, retry) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      try store.fixture.store.set(failedParts: [
        FailedPart(part: nil, reason: "x", unit: "u", since: since, retryAt: retry),
        FailedPart(part: .findings, reason: "x", unit: "u", since: since, retryAt: retry),
      ])
      #expect(try Self.status(store, after: 400).needs.count == 2)
    }
  }

  @Test func oneTargetCanBeChosen() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    let status = try Self.status(store, after: 300, targets: ["alpha"])
    #expect(status.targets.map(\.name) == ["alpha"])
  }

  @Test func aTargetForWhichNothingIsPlannedAnyMoreHasEnded() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    try store.commit(Self.events(900, delivery: nil, state: .accepted), of: store.fixture.beta)
    store.fixture.clock.advance(by: .seconds(900))
    try store.fixture.commit(anchors: [])
    var status = try Self.status(store, after: 900)
    status.headline.phase = .collecting
    #expect(status.targets.map(\.phase) == [.removed(since: store.time(99)), .recorded])
    #expect(status.statuses[0].word == .ended)
  }

  /// What ended in the last hour is in the figures; what ended before, and what got better, is not told.
  @Test func whatEndedInTheLastHourIsKnown() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(300), of: store.fixture.alpha)
    var changes = FindingChanges()
    let ends: [(id: String, end: Int64)] = [("a", 100), ("b", 200), ("c", 250)]
    changes.findings = ends.map { one in
      var record = TargetStatusTests.finding(.lost, id: one.id)
      (record.run, record.target) = (store.fixture.run, "alpha")
      (record.startedAt, record.endedAt) = (store.time(90), store.time(one.end))
      record.seenUntil = store.time(one.end)
      record.status = Stored(.closed)
      if one.id == "c" { record.kind = Stored(.faster) }
      return record
    }
    try store.fixture.store.save(changes)
    let status = try Self.status(store, after: 3_600 + 150)
    let alpha = try #require(status.targets.first { $0.name == "alpha" })
    #expect(alpha.over.map(\.finding.id) == ["b"] && alpha.open.isEmpty)
  }

  /// The reload says so at once; the target's silence would only after minutes.
  @Test func aTargetThatAReloadRemovedIsToldOfInThePast() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(300), of: store.fixture.alpha)
    try store.commit(Self.events(300, delivery: nil, state: .accepted), of: store.fixture.beta)
    store.fixture.clock.advance(by: .seconds(300))
    try store.fixture.commit(anchors: [])
    #expect(try Self.status(store, after: 302).targets.map(\.phase) == [.recorded, .recorded])
    func reload(_ targets: ReloadedTargets) throws {
      let detail = (["SIGHUP"] + targets.words).joined(separator: ReloadedTargets.separator)
      try store.fixture.store.record(
        [Event(at: store.time(301), kind: .configReloaded, detail: detail)], run: store.fixture.run)
    }
    try reload(ReloadedTargets(ended: ["alpha"]))
    var status = try Self.status(store, after: 302)
    #expect(status.targets.map(\.phase) == [.removed(since: store.time(299)), .recorded])
    #expect(status.statuses[0].word == .ended)
    #expect(status.statuses[0].sentence.hasPrefix("nothing planned since"), "\(status.statuses[0])")
    #expect(status.headline.phase == .collecting && status.headline.targets == 1)
    try reload(ReloadedTargets(begun: ["alpha"]))
    status = try Self.status(store, after: 302)
    #expect(status.targets.map(\.phase) == [.recorded, .recorded] && status.headline.targets == 2)
  }

  /// A schedule of bursts is silent for longer than its mean intervals say.
  @Test func aTargetBetweenTwoBurstsGoesOn() throws {
    let store = try SeriesStore()
    var bursts: [SeriesStore.Event] = []
    for burst in 0..<4 as Range<Int64> {
      bursts += (0..<150).map {
        SeriesStore.Event(
          after: burst * 60_000_000 + $0 * 5_000, state: .accepted, accept: 5_000, delivery: nil)
      }
    }
    try store.commit(bursts, of: store.fixture.beta)
    func phase(after seconds: Int64) throws -> TargetActivity.Phase {
      // A heartbeat.
      try store.fixture.commit(anchors: [])
      return try Self.status(store, after: seconds).targets[1].phase
    }
    store.fixture.clock.advance(by: .seconds(330))
    #expect(try phase(after: 330) == .recorded, "149 s after the last burst")
    store.fixture.clock.advance(by: .seconds(60))
    guard case .removed = try phase(after: 390) else {
      Issue.record("209 s after the last burst of one in a minute")
      return
    }
  }

  /// One notification says nothing of a rate but over the time that was waited for it.
  @Test func theRateIsOverTheTimeThatWasRecorded() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(1_000, delivery: nil, state: .accepted), of: store.fixture.beta)
    try store.commit(Self.events(1, from: 990), of: store.fixture.alpha)
    store.fixture.clock.advance(by: .seconds(1_000))
    try store.fixture.commit()
    let status = try Self.status(store, after: 1_000)
    #expect(status.headline.rate.map { 0.99...1.01 ~= $0 } == true, "\(status.headline)")
    #expect(status.headline.last == status.headline.length)
  }

  @Test func aRunThatEndedSaysWhen() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(100), of: store.fixture.alpha)
    try store.fixture.store.endRun(store.fixture.run, at: store.time(130), reason: .completed)
    let status = try Self.status(store, after: 86_400)
    #expect(status.headline.phase == .ended(at: store.time(130), reason: "completed"))
    #expect(status.headline.length == .seconds(130))
    #expect(status.targets[0].phase == .ended(at: store.time(130)))
    #expect(status.targets[0].last?.inTime?.count == 100, "all of it has its end")
    #expect(!status.isOpen)
  }

  @Test(arguments: [5, 6, 86_400] as [Int64])
  func aCollectorThatDoesNotWriteForMoreThanFiveSecondsIsGone(seconds: Int64) throws {
    let store = try SeriesStore()
    try store.commit(Self.events(3), of: store.fixture.alpha)
    let status = try Self.status(store, after: seconds)
    guard seconds > 5 else {
      #expect(status.headline.phase == .collecting)
      return
    }
    guard case .gone = status.headline.phase else {
      Issue.record("\(status.headline.phase)")
      return
    }
    #expect(status.statuses[0].word == .silent && status.isOpen)
  }

  @Test func slowSchedulesAreToldOverMoreTime() throws {
    let store = try SeriesStore()
    let plain = try store.fixture.reader()
    let run = try #require(try plain.latestRun())
    #expect(run.targetNames == ["alpha", "beta"])
    let power = SchedulePower(rate: 1.0 / 360)
    let shortest = try #require(power.shortestOutage)
    #expect(.microseconds(shortest.length) > TargetStatus.usualOutage, "ten minutes hold one or two of them")
    #expect(
      SchedulePower(rate: 1).shortestOutage.map { .microseconds($0.length) <= TargetStatus.usualOutage }
        == true)
  }

  @Test func theNewestOfTwoRunsCounts() throws {
    let store = try RecordedStore(clock: SteppedHostClock())
    let description = TargetDescription(
      name: "ios", provider: "loopback", receiptDeadline: 5_000_000, askedRate: 1)
    let first = try store.begin([
      description, TargetDescription(name: "old", provider: "loopback", receiptDeadline: nil, askedRate: 1),
    ])
    store.clock.advance(by: .seconds(60))
    try store.end(first.run, at: store.clock.wallNow(), reason: .stopped)
    try store.begin([description], name: "second")
    let status = try StatusReader(store.reader(), at: store.clock.wallNow()).status()
    #expect(status.headline.run == "run \"second\"" && status.targets.map(\.name) == ["ios"])
    #expect(status.headline.phase == .collecting && status.statuses.map(\.word) == [.learning])
  }

  /// Figures soon after a restart are of the run before it, too; the rate is what is sent now.
  @Test func theHeadlineSaysWhatItsFiguresAreOfAfterARestart() throws {
    let store = try SeriesStore()
    try store.commit(Self.events(900), of: store.fixture.alpha)
    store.fixture.clock.advance(by: .seconds(1_800))
    let plain = try store.fixture.reader()
    let run = try #require(try plain.latestRun())
    let old = try #require(try plain.targets(of: run.id).first { $0.name == "alpha" })
    try store.fixture.store.endRun(store.fixture.run, at: store.time(900), reason: .stopped)
    var random = SeededGenerator(seed: 9)
    var next = TargetDescription(
      name: "alpha", provider: old.provider, receiptDeadline: old.receiptDeadline, askedRate: old.askedRate)
    (next.endpoint, next.device, next.variants) = (old.endpoint, old.device, old.variants.map(\.name))
    let begun = try store.fixture.store.beginRun(
      RunDescription(
        id: RunID(at: store.time(1_800), using: &random), name: nil, startedAt: store.time(1_800),
        startedMonotonic: store.fixture.clock.monotonicNow(), bootID: "boot", targets: [next]))
    let events = Self.events(60, from: 1_800)
    try store.commit(events, of: begun.targets[0].id)
    let status = try Self.status(store, after: 1_860)
    #expect(status.headline.length <= .minutes(1))
    #expect(status.headline.rate.map { 0.9...1.1 ~= $0 } == true, "\(status.headline)")
    let last = try #require(status.targets[0].last)
    #expect(last.length >= .seconds(800) && status.headline.last >= .seconds(800), "\(status.headline)")
  }
}
