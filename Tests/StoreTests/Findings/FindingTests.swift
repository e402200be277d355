import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct FindingTests {
  private func record(_ fixture: StoreFixture, _ id: String, _ target: String = "alpha") -> FindingRecord {
    let now = fixture.clock.wallNow()
    var record = FindingRecord(
      id: id, incident: id, run: fixture.run, target: target, variant: "", provider: "loopback",
      endpoint: "https://127.0.0.1:1", device: target, metric: .delivery, kind: .slower, status: .open,
      startedAt: now, detectedAt: now.advanced(byMicroseconds: 8_000_000),
      seenUntil: now.advanced(byMicroseconds: 10_000_000))
    record.startedLow = now.advanced(byMicroseconds: -1_000_000)
    record.startedHigh = now.advanced(byMicroseconds: 1_000_000)
    record.quantile = 0.9
    record.before = 41_000
    record.after = 123_000
    record.afterLow = 110_000
    record.shareBefore = 0.25
    record.cause = .path
    record.scope = "loopback"
    record.causes = [.path, .host]
    record.evidence = "service 2.1 ms → 80 ms"
    record.samples = 40
    record.effectiveSamples = 12.5
    record.window = 8_000_000
    record.statistic = 30.25
    record.threshold = 24.5
    record.isGradual = true
    record.verdicts = [
      Verdict(
        cause: .path, scope: "loopback", evidence: "e", wouldDecide: "a second device", targets: ["alpha"])
    ]
    record.legs = [
      LegsRecord(
        target: "alpha", quantile: 0.5, before: 41, total: 80.5, totalLow: 70, totalHigh: nil,
        parts: [LegsRecord.Part(leg: .lag, change: 1.5, low: nil, high: 2)])
    ]
    record.events = ["annotation: deploy 412"]
    record.detection = "{}"
    return record
  }

  private func save(_ records: [FindingRecord], _ store: CollectorStore) throws {
    var changes = FindingChanges()
    changes.findings = records
    try store.save(changes)
  }

  @Test func readsWhatWasWritten() throws {
    let fixture = try StoreFixture()
    let before = try fixture.reader().revision()
    var written = record(fixture, "abcd2345")
    try save([written], fixture.store)
    let reader = try fixture.reader()
    written.revision = before + 1
    #expect(try reader.finding("abcd2345") == written)
    #expect(try reader.findings() == [written])
    #expect(try reader.finding("none") == nil)
    #expect(try reader.findings().map(\.isOpen) == [true])
    #expect(try reader.revision() == before + 1)

    written.status = Stored(.closed)
    written.endedAt = written.seenUntil
    try save([written], fixture.store)
    #expect(try reader.findings().map(\.isOpen) == [false])
    #expect(try reader.findings(changedAfter: before + 1).map(\.status) == [Stored(.closed)])
    #expect(try reader.findings(changedAfter: before + 2).isEmpty)
  }

  /// What lists show as going on and what the record says of itself are the same.
  @Test func whatIsOpenIsOneQuestion() throws {
    for status in FindingStatus.allCases.map({ Stored($0) }) + [Stored(rawValue: "dormant")] {
      for (isNewNormal, hasEnded) in [(false, false), (true, false), (false, true)] {
        let isAlwaysOpen = status.word == .open || status.word == .lasting
        if hasEnded || isNewNormal, isAlwaysOpen { continue }
        let fixture = try StoreFixture()
        var one = record(fixture, "one")
        one.status = status
        one.isNewNormal = isNewNormal
        one.endedAt = hasEnded ? one.seenUntil : nil
        try save([one], fixture.store)
        let reader = try fixture.reader()
        let later = FindingSelection(since: one.seenUntil.advanced(byMicroseconds: 1))
        // A daily pattern goes on without being open.
        let goesOn = one.isOpen || status.word == .daily && !hasEnded
        #expect(goesOn == one.goesOn, "\(one)")
        #expect(try reader.findings(later).isEmpty == !goesOn, "\(one)")
        #expect(later.includes(one) == goesOn, "\(one)")
        #expect(one.isOpen == (isAlwaysOpen || status.word == .provisional && !isNewNormal && !hasEnded))
      }
    }
  }

  /// A store of another version may have words that this one does not know.
  @Test func unknownWordsStayWhatTheyAre() throws {
    let fixture = try StoreFixture()
    let before = try fixture.reader().revision()
    var written = record(fixture, "one")
    (written.metric, written.kind) = (Stored(rawValue: "jitter"), Stored(rawValue: "wobbling"))
    written.status = Stored(rawValue: "dormant")
    written.cause = Cause(rawValue: "phone-network")
    written.causes = [.other("phone-network"), .undecided(.pathOrProvider)]
    written.verdicts[0].cause = .other("phone-network")
    written.legs[0].metric = Stored(rawValue: "jitter")
    written.legs[0].parts[0].leg = Stored(rawValue: "last_mile")
    try save([written], fixture.store)
    written.revision = before + 1
    #expect(try fixture.reader().findings() == [written])
  }

  @Test func selects() throws {
    let fixture = try StoreFixture()
    var first = record(fixture, "first")
    first.status = Stored(.closed)
    first.endedAt = first.startedAt.advanced(byMicroseconds: 20_000_000)
    fixture.clock.advance(by: .seconds(60))
    let second = record(fixture, "second", "beta")
    fixture.clock.advance(by: .seconds(60))
    var gone = record(fixture, "gone")
    gone.status = Stored(.withdrawn)
    gone.endedAt = gone.seenUntil
    try save([second, first, gone], fixture.store)
    try fixture.store.setHidden(true, finding: "second")
    let reader = try fixture.reader()
    func ids(_ selection: FindingSelection) throws -> [String] { try reader.findings(selection).map(\.id) }
    #expect(try ids(FindingSelection()) == ["first"])
    #expect(try ids(.everything) == ["first", "second", "gone"])
    #expect(try ids(FindingSelection(includesHidden: true)) == ["first", "second"])
    #expect(try ids(FindingSelection(targets: ["beta"], includesHidden: true)) == ["second"])
    #expect(try ids(FindingSelection(run: fixture.run)) == ["first"])
    // An open one goes on; what ended before is left out.
    let later = first.startedAt.advanced(byMicroseconds: 50_000_000)
    #expect(try ids(FindingSelection(since: later, includesHidden: true)) == ["second"])
    #expect(try ids(FindingSelection(until: later, includesHidden: true)) == ["first"])
    var generator = SeededGenerator(seed: 7)
    #expect(try ids(FindingSelection(run: RunID(at: later, using: &generator))).isEmpty)
  }

  /// It is of the run in which it was first seen, and of later ones that send to its target, while it comes.
  @Test func aDailyPatternIsOfLaterRunsToo() throws {
    let fixture = try StoreFixture()
    var daily = record(fixture, "daily")
    daily.status = Stored(.daily)
    var other = record(fixture, "other", "nobody")
    other.status = Stored(.daily)
    try save([daily, other, record(fixture, "open")], fixture.store)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    fixture.clock.advance(by: .seconds(60))
    var generator = SeededGenerator(seed: 5)
    let second = RunID(at: fixture.clock.wallNow(), using: &generator)
    _ = try fixture.store.beginRun(StoreFixture.description(of: second, fixture.clock))
    let reader = try fixture.reader()
    #expect(try reader.findings(FindingSelection(run: second)).map(\.id) == ["daily"])
    // It is one since it was found, which is days after its first stretch.
    let until = FindingSelection(targets: [daily.target], until: daily.detectedAt)
    #expect(daily.startedAt < daily.detectedAt)
    #expect(try reader.findings(until).map(\.id) == ["open"] && !until.includes(daily))
    daily.endedAt = daily.seenUntil
    try save([daily], fixture.store)
    #expect(try reader.findings(FindingSelection(run: second)).isEmpty)
  }

  @Test func hidingOutlastsWhatTheDetectorWrites() throws {
    let fixture = try StoreFixture()
    try save([record(fixture, "a")], fixture.store)
    try fixture.store.setHidden(true, finding: "a")
    try save([record(fixture, "a")], fixture.store)
    #expect(try fixture.reader().finding("a")?.isHidden == true)
    try fixture.store.setHidden(false, finding: "a")
    #expect(try fixture.reader().findings().count == 1)
    let error = #expect(throws: StoreError.self) { try fixture.store.setHidden(true, finding: "b") }
    #expect(error?.code == .unknownFinding)
  }

  @Test func goesWithItsRun() throws {
    let fixture = try StoreFixture()
    try save([record(fixture, "a")], fixture.store)
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .completed)
    try fixture.store.beginDeletion(of: fixture.run)
    #expect(try fixture.reader().findings(.everything).isEmpty)
    // What the detector still writes about it is skipped.
    try save([record(fixture, "b")], fixture.store)
    while try fixture.store.continueDeletion() {}
    try save([record(fixture, "c")], fixture.store)
    #expect(
      try fixture.store.queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM finding") } == 0)
  }

  private static let power = [
    DetectionPower(
      metric: Stored(.delivery), rate: 4, steps: [.init(length: 40_000_000, size: 1.5, delay: 30_000_000)])
  ]

  @Test func keepsDetectorsAndTheirCheckpoints() throws {
    let fixture = try StoreFixture()
    func at(_ seconds: Int64) -> WallTime {
      fixture.clock.wallNow().advanced(byMicroseconds: seconds * 1_000_000)
    }
    var detector = DetectorRecord(
      target: "alpha", variant: "", provider: "loopback", endpoint: "", through: at(0), cursor: 3,
      age: 240_000_000, learning: 172_800_000_000)
    for hour in 0..<4 as Range<Int64> {
      detector.through = at(hour * 3600)
      detector.power = hour < 3 ? Self.power : nil
      var change = DetectorChange(detector)
      change.checkpoint = DetectorCheckpointRecord(through: detector.through, state: [UInt8(hour), 7])
      var changes = FindingChanges()
      changes.detectors = [change]
      try fixture.store.save(changes)
    }
    let reader = try fixture.reader()
    // What could be found is kept until it is known anew.
    detector.power = Self.power
    #expect(try reader.detectors() == [detector])
    func state(_ seconds: Int64) throws -> [UInt8]? {
      try reader.detectorCheckpoint(of: detector, atMost: at(seconds))?.state
    }
    #expect(try state(-1) == nil)
    #expect(try state(7200) == [2, 7])
    #expect(try state(100_000) == [3, 7])

    var correction = DetectorChange(detector)
    correction.validThrough = at(7199)
    correction.superfluous = [at(0)]
    var changes = FindingChanges()
    changes.detectors = [correction]
    try fixture.store.save(changes)
    #expect(try state(100_000) == [1, 7])
    #expect(try state(3599) == nil)
    try fixture.store.resetDetectors()
    #expect(try reader.detectors().isEmpty)
    #expect(try state(100_000) == nil)
  }

  /// With a collector through the control table, without one directly.
  @Test func commandsReachThem() throws {
    let fixture = try StoreFixture()
    try save([record(fixture, "a")], fixture.store)
    let client = ControlClient(storePath: fixture.directory.storePath, clock: fixture.clock)
    let commands: [ControlCommand] = [.hide(finding: "a"), .unhide(finding: "a")]
    for command in commands { _ = try client.submit(command) }
    #expect(try fixture.store.controlRequests().map(\.command) == commands)
    func code(_ command: ControlCommand) -> StoreError.Code? {
      (#expect(throws: StoreError.self) { _ = try client.submit(command) })?.code
    }
    #expect(code(.hide(finding: "b")) == .unknownFinding)
    fixture.store.close()
    _ = try client.submit(.hide(finding: "a"))
    #expect(try fixture.reader().finding("a")?.isHidden == true)
    _ = try client.submit(.unhide(finding: "a"))
    #expect(try fixture.reader().finding("a")?.isHidden == false)
  }
}
