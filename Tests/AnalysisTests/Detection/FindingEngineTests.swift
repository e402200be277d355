import Analysis
import Findings
import Measurement
import Store
import TestKit
import Testing

@Suite struct FindingEngineTests {
  /// The usual times, a sixtieth of them: bins of 1 s, lasting after a minute, checkpoints each minute.
  private static let compressed: DetectionSettings = {
    var settings = DetectionSettings(
      usual: { rate in
        var settings = DetectorSettings(rate: rate)
        settings.binWidth = 1_000_000
        settings.longestWindow = 128_000_000
        settings.warmUp = 60_000_000
        settings.referenceLag = 60_000_000
        settings.referenceLength = 600_000_000
        settings.refresh = 60_000_000
        settings.lastingAfter = 60_000_000
        settings.normalAfter = 7_200_000_000
        settings.calibratedAfter = 300_000_000
        settings.maximaBlock = 30_000_000
        return settings
      },
      firstHour: { rate in
        var settings = DetectorSettings.firstHour(rate: rate)
        settings.binWidth = 1_000_000
        return settings
      })
    settings.checkpointInterval = .minutes(1)
    settings.correctionInterval = .zero
    settings.legSamples = 40
    return settings
  }()

  /// What must not depend on how it was found.
  private struct Essence: Hashable {
    var text: String

    init(_ record: FindingRecord, withID: Bool) {
      let numbers = [record.before, record.after, record.afterLow, record.afterHigh].map {
        $0.map(String.init) ?? "-"
      }
      let shares = [record.shareBefore, record.shareAfter, record.shareLow, record.shareHigh].map {
        $0.map { "\(($0 * 1e9).rounded())" } ?? "-"
      }
      let times = [
        record.startedAt, record.startedLow, record.startedHigh, record.endedAt,
        withID ? record.detectedAt : nil,
      ].map { $0.map { "\($0.microseconds)" } ?? "-" }
      let identity = [
        withID ? record.id + record.incident : "", record.target, "\(record.metric)", "\(record.kind)",
        "\(record.status)",
      ]
      let figures =
        numbers + shares + ["\(record.cause, default: "-")", record.scope ?? "-", record.evidence]
        + record.causes.map(\.rawValue)
      // An open one has the figures of when its length last doubled, counted from when it was found first.
      let parts = identity + times + (withID || record.endedAt != nil ? figures : [])
      text = parts.joined(separator: "|")
    }
  }

  private func essences(_ records: [FindingRecord], withIDs: Bool = true) -> [String] {
    records.filter { !$0.isWithdrawn }.map { Essence($0, withID: withIDs).text }.sorted()
  }

  private func slow(_ outcome: inout SimulatedCollector.Outcome, _ range: Range<Double>, _ factor: Int64 = 3)
  {
    if range.contains(outcome.plannedAt) { outcome.service *= factor * 8 }
  }

  /// People try it for five minutes: an episode of a fresh store is found within seconds.
  @Test func findsAnEpisodeOfAFreshStoreWithinSeconds() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 240, seed: 3) { slow(&$0, 90..<150) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 1)
    let records = try collector.stored()
    let slower = try #require(records.first { $0.metric.word == .delivery && $0.kind.word == .slower })
    #expect(slower.status.word == .provisional)
    #expect(abs(collector.seconds(slower.startedAt) - 90) < 1)
    #expect(abs(collector.seconds(try #require(slower.endedAt)) - 150) < 6)
    #expect(collector.seconds(try #require(collector.firstSeen[slower.id])) < 105)
    #expect(slower.before ?? 0 < 50_000 && slower.after ?? 0 > 120_000)
    #expect(slower.afterLow.map { $0 <= slower.after ?? 0 } == true)
    #expect(slower.cause == .undecided(.pathOrProvider))
    #expect(slower.legs.first?.parts.map(\.leg.word) == [.lag, .service, .transit])
    let service = try #require(slower.legs.first?.parts.first { $0.leg.word == .service })
    #expect(service.change > 0.8 * (slower.legs.first?.total ?? 0))
    // The acceptance says the same: one incident.
    #expect(Set(records.filter { !$0.isWithdrawn && $0.kind.word == .slower }.map(\.incident)).count == 1)
    let events = try collector.events()
    #expect(events.contains(.findingOpened) && events.contains(.findingClosed))
    #expect(
      collector.lines.contains {
        $0.hasPrefix("Notifications to alpha arrive slower") && $0.contains("Provisional")
      })
    let detectors = try StoreReader.open(at: collector.directory.file("test.sqlite")).detectors()
    #expect(detectors.map(\.target) == ["alpha"])
    #expect(detectors.first?.learning == 172_800_000_000)
    #expect((100_000_000...240_000_000).contains(detectors.first?.age ?? 0))
  }

  /// A change that lasts longer than what was recorded before it keeps its cause: its beginning is looked at.
  @Test func aLongFindingOfAYoungSeriesKeepsItsCause() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 240, seed: 3) { slow(&$0, 60..<240) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 1)
    try collector.endRun()
    try collector.look()
    let slower = try #require(
      try collector.stored().first { $0.metric.word == .delivery && $0.kind.word == .slower })
    #expect(slower.cause == .undecided(.pathOrProvider), "\(slower)")
    #expect(slower.evidence.contains("service p\(Int((slower.quantile ?? 0) * 100)) "))
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  @Test func aNoteMadeLaterIsNamedByTheFindingThatBeganThen() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 240, seed: 3) { slow(&$0, 90..<150) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 1)
    func slower() throws -> FindingRecord {
      try #require(try collector.stored().first { $0.metric.word == .delivery && $0.kind.word == .slower })
    }
    let before = try slower()
    #expect(!before.isOpen && !before.events.contains("annotation: deploy 500"))
    try collector.annotate("deploy 500", at: before.startedAt)
    try collector.annotate("deploy 501", at: before.startedAt.advanced(byMicroseconds: 40_000_000))
    try collector.look()
    #expect(try slower().events.contains("annotation: deploy 500"))
    #expect(try !slower().events.contains("annotation: deploy 501"))
    #expect(try slower().evidence.hasSuffix("at its start annotation: deploy 500"))
    #expect(try collector.recomputed().contains { $0.events == (try slower()).events })
  }

  /// What is saved of a recomputation says how far was looked, so that silence is told with what it is worth.
  @Test func aRecomputationSaysHowFarItLookedAndWhatItWouldFind() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 240, seed: 3) { _ in }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 60)
    try collector.endRun()
    let changes = try collector.recomputedChanges()
    let change = try #require(changes.detectors.first)
    #expect(change.detector.age > 200_000_000 && change.detector.power?.isEmpty == false)
    #expect(change.checkpoint?.through == change.detector.through)
  }

  @Test func liveAndAfterwardsAreEqual() throws {
    let outcomes = SimulatedCollector.outcomes(["alpha", "beta"], rate: 4, seconds: 400, seed: 5) {
      slow(&$0, 120..<140)
      if $0.target == "beta" { slow(&$0, 340..<370, 2) }
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: Self.compressed)
    try collector.go(to: 200, step: 3)
    try collector.go(to: 400, step: 7)
    let live = try collector.stored()
    #expect(live.count >= 3)
    #expect(essences(live) == essences(try collector.recomputed()))
    // The run's end changes nothing but what it ends.
    try collector.endRun()
    try collector.look()
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  /// Runs of other endpoints, one after the other: those that ended before the last step read its rows are compared, too.
  @Test func runsOneAfterTheOtherAreEqualLiveAndAfterwards() throws {
    func outcomes(_ run: Int) -> [SimulatedCollector.Outcome] {
      SimulatedCollector.outcomes(rate: 4, seconds: 150, seed: UInt64(30 + run)).map { outcome in
        var outcome = outcome
        outcome.plannedAt += Double(run * 170)
        slow(&outcome, Double(run * 170 + 90)..<Double(run * 170 + 120))
        return outcome
      }
    }
    var settings = DetectionSettings()
    settings.rowsPerStep = 500
    let collector = try SimulatedCollector(outcomes(0), rate: 4, settings: settings)
    for run in 0..<4 {
      if run > 0 { try collector.beginRun(port: 1 + run, outcomes(run)) }
      try collector.go(to: Double(run * 170 + 160), step: 10)
      try collector.endRun()
      try collector.go(to: Double(run * 170 + 170), step: 10)
    }
    let live = try collector.stored()
    #expect(Set(live.filter { $0.kind.word == .slower && !$0.isWithdrawn }.map(\.run)).count == 4)
    #expect(essences(live) == essences(try collector.recomputed()))
  }

  /// Orderly, and killed.
  @Test(arguments: [false, true]) func aRestartInTheMiddleChangesNothing(isKilled: Bool) throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 450, seed: 8) {
      slow(&$0, 130..<170)
      slow(&$0, 350..<380, 2)
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: Self.compressed)
    for end in [100.0, 140, 200, 330, 365] {
      try collector.go(to: end, step: 5)
      try collector.restart(isKilled: isKilled)
    }
    try collector.go(to: 450, step: 5)
    let live = try collector.stored()
    #expect(live.count >= 2)
    #expect(essences(live) == essences(try collector.recomputed()))
  }

  /// A version of the detector that finds more, or less, says so of what comes, not of what was.
  @Test(arguments: [false, true]) func aNewDetectorDoesNotRewriteHistory(findsMore: Bool) throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 450, seed: 8) {
      slow(&$0, 130..<170); slow(&$0, 350..<380)
    }
    func settings(findsAnything: Bool) -> DetectionSettings {
      var settings = Self.compressed
      let (usual, firstHour) = (settings.usual, settings.firstHour)
      func deaf(_ make: @escaping @Sendable (Double) -> DetectorSettings)
        -> @Sendable (Double) -> DetectorSettings
      {
        { rate in
          var settings = make(rate)
          settings.provisionalAlarm = 1e9
          settings.lowestAlarm = 1e9
          settings.lowestLongAlarm = 1e9
          return settings
        }
      }
      if !findsAnything { (settings.usual, settings.firstHour) = (deaf(usual), deaf(firstHour)) }
      return settings
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: settings(findsAnything: !findsMore))
    try collector.go(to: 250, step: 5)
    let before = try collector.stored()
    let said = collector.lines.count
    #expect(before.isEmpty == findsMore)
    try collector.upgrade(to: settings(findsAnything: findsMore))
    try collector.go(to: 320, step: 5)
    #expect(try collector.stored() == before)
    #expect(collector.lines.count == said)
    // A restart remembers when the version took over.
    try collector.restart()
    try collector.go(to: 450, step: 5)
    let after = try collector.stored()
    #expect(after.filter { collector.seconds($0.detectedAt) < 250 } == before)
    #expect(after.contains { abs(collector.seconds($0.startedAt) - 350) < 3 } == findsMore)
    // What is computed afterwards is the present version's.
    let all = try collector.recomputed()
    #expect(all.contains { abs(collector.seconds($0.startedAt) - 130) < 3 } == findsMore)
  }

  /// Receipts that come when their seconds were looked at long ago, in any order.
  @Test(arguments: [11, 12] as [UInt64]) func lateReceiptsInAnyOrder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 420, seed: seed) {
      slow(&$0, 150..<190)
      if (230..<260).contains($0.plannedAt) { $0.isLost = random.unit() < 0.5 }
      if random.unit() < 0.05 { $0.isLost = true }
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: Self.compressed)
    var now = 0.0
    while now < 420 {
      now += 40
      try collector.go(to: now, step: 5)
      let late = collector.lost.filter { _ in random.unit() < 0.25 }.shuffled(using: &random)
      for sample in late { try collector.receive([sample]) }
      if now == 200 { try collector.restart(isKilled: seed == 12) }
    }
    try collector.look()
    let live = try collector.stored()
    #expect(live.contains { $0.kind.word == .slower })
    let computed = essences(try collector.recomputed(), withIDs: false)
    #expect(essences(live, withIDs: false) == computed)
  }

  /// A burst of losses was none: all receipts come at last.
  @Test func whatNoLongerHoldsIsWithdrawn() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 260, seed: 21) {
      $0.isLost = (150..<190).contains($0.plannedAt)
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: Self.compressed)
    try collector.go(to: 230)
    let losing = try #require(try collector.stored().first { $0.kind.word == .losing })
    #expect(losing.shareAfter ?? 0 > 0.8)
    #expect(abs(collector.seconds(losing.startedAt) - 150) < 1)
    try collector.receive(collector.lost)
    try collector.go(to: 260)
    #expect(try collector.stored().first { $0.id == losing.id }?.status.word == .withdrawn)
    #expect(try collector.recomputed().allSatisfy { $0.kind.word != .losing })
    #expect(
      collector.lines.contains { $0.contains(losing.id) && $0.contains("withdrawn") } || losing.endedAt != nil
    )
  }

  @Test("one service that is sent to in two ways is no second provider", arguments: [1, 2])
  func oneService(port: Int) throws {
    let outcomes = SimulatedCollector.outcomes(["app", "browser"], rate: 4, seconds: 230, seed: 22) {
      $0.isLost = (150..<190).contains($0.plannedAt)
    }
    let collector = try SimulatedCollector(
      outcomes, rate: 4, settings: Self.compressed, providers: ["app": "fcm", "browser": "webpush"],
      ports: ["browser": port])
    try collector.go(to: 230)
    let losing = try collector.stored().filter { $0.kind.word == .losing }
    #expect(!losing.isEmpty)
    for record in losing {
      #expect(record.cause == (port == 1 ? .undecided(.lossPlace) : .receipts), "\(record.evidence)")
    }
  }

  @Test func whatStaysIsLastingUntilItReturns() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 900, seed: 31) { slow(&$0, 450..<700) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: Self.compressed)
    try collector.go(to: 640, step: 10)
    let lasting = try collector.stored().filter { $0.status.word == .lasting }
    #expect(lasting.contains { $0.metric.word == .delivery && $0.isOpen })
    try collector.go(to: 900, step: 10)
    let record = try #require(try collector.stored().first { $0.id == lasting.first?.id })
    #expect(record.status.word == .closed)
    #expect(abs(collector.seconds(try #require(record.endedAt)) - 700) < 8)
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  @Test func twoTargetsAreOneIncident() throws {
    let outcomes = SimulatedCollector.outcomes(["alpha", "beta"], rate: 4, seconds: 240, seed: 41) {
      slow(&$0, 150..<180)
    }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 4)
    let slower = try collector.stored().filter { $0.kind.word == .slower && !$0.isWithdrawn }
    #expect(Set(slower.map(\.target)) == ["alpha", "beta"])
    #expect(Set(slower.map(\.incident)).count == 1)
  }

  /// A change by less than what pushscope itself takes can be pushscope's.
  @Test(arguments: [0, 60_000] as [Int64]) func aChangeBelowTheInstrumentsFloorIsNone(floor: Int64) throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 61) { slow(&$0, 90..<150, 1) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.refer(toFloor: floor)
    try collector.go(to: 200, step: 4)
    #expect(try collector.stored().contains { $0.kind.word == .slower } == (floor == 0))
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  /// One target of many waits for receipts that never come, and then goes on where it was; the others do not wait.
  @Test func whoWaitsIsCaughtUpWith() throws {
    let names = (0..<(TestLength.isLong ? 12 : 6)).map { "t\($0)" }
    let outcomes = SimulatedCollector.outcomes(names, rate: 2, seconds: 240, seed: 71) {
      slow(&$0, 120..<150)
      $0.isOpen = $0.target == "t3" && (60..<64).contains($0.plannedAt)
    }
    let collector = try SimulatedCollector(outcomes, rate: 2, settings: DetectionSettings())
    try collector.go(to: 200, step: 2)
    // The receipt deadline, and what a request may take, have not passed.
    #expect(
      Set(try collector.stored().filter { $0.kind.word == .slower }.map(\.target))
        == Set(names).subtracting(["t3"]))
    try collector.settleOpen()
    try collector.go(to: 240, step: 2)
    #expect(Set(try collector.stored().filter { $0.kind.word == .slower }.map(\.target)) == Set(names))
    #expect(
      essences(try collector.stored(), withIDs: false) == essences(try collector.recomputed(), withIDs: false)
    )
  }

  /// What is open when the run ends is closed with it, and told, live and afterwards.
  @Test func aRunsEndEndsWhatIsOpen() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 81) { slow(&$0, 150..<200) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 200, step: 5)
    #expect(try collector.stored().contains { $0.kind.word == .slower && $0.isOpen })
    #expect(try !collector.events().contains(.findingClosed))
    try collector.endRun()
    try collector.look()
    let live = try collector.stored().filter { $0.kind.word == .slower }
    #expect(!live.isEmpty && live.allSatisfy { $0.isProvisional && !$0.isOpen })
    #expect(live.allSatisfy { $0.endedAt.map { abs(collector.seconds($0) - 200) <= 1 } == true })
    #expect(try collector.events().count { $0 == .findingClosed } == live.count)
    #expect(collector.lines.contains { $0.contains(" arrived slower from ") })
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  /// The host was suspended, or its wall clock set forward: an hour in which nothing was planned is no recorded time.
  @Test func anHourThatWasNotRecordedDoesNotCount() throws {
    let before = SimulatedCollector.outcomes(rate: 4, seconds: 120, seed: 91)
    let after = SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 92).map { outcome in
      var outcome = outcome
      outcome.plannedAt += 3_720
      slow(&outcome, 3_780..<3_810)
      return outcome
    }
    let collector = try SimulatedCollector(before, rate: 4, settings: DetectionSettings())
    try collector.go(to: 120, step: 5)
    try collector.set(.seconds(3_600), then: after)
    try collector.go(to: 3_920, step: 5)
    let slower = try #require(
      try collector.stored().first { $0.metric.word == .delivery && $0.kind.word == .slower })
    #expect(abs(collector.seconds(slower.startedAt) - 3_780) < 1)
    let detectors = try StoreReader.open(at: collector.directory.file("test.sqlite")).detectors()
    // Two minutes, what may lie between two notifications, and some more minutes.
    #expect((300_000_000...390_000_000).contains(detectors.first?.age ?? 0))
    #expect(essences(try collector.stored()) == essences(try collector.recomputed()))
  }

  /// What was found is kept, what comes is found at once, although the detector was further already.
  @Test func aClockThatIsSetBackDelaysNothing() throws {
    let before = SimulatedCollector.outcomes(rate: 4, seconds: 200, seed: 95) { slow(&$0, 60..<90) }
    let after = SimulatedCollector.outcomes(rate: 4, seconds: 160, seed: 96).map { outcome in
      var outcome = outcome
      outcome.plannedAt += 120
      slow(&outcome, 130..<160)
      return outcome
    }
    let collector = try SimulatedCollector(before, rate: 4, settings: DetectionSettings())
    try collector.go(to: 200, step: 5)
    let first = try #require(try collector.stored().first { $0.metric.word == .delivery })
    try collector.set(.seconds(-80), then: after)
    try collector.go(to: 150, step: 5)
    let second = try #require(
      try collector.stored().first { $0.metric.word == .delivery && $0.id != first.id && !$0.isWithdrawn })
    #expect(abs(collector.seconds(second.startedAt) - 130) <= 2)
    #expect(try collector.stored().first { $0.id == first.id }?.isWithdrawn == false)
    try collector.go(to: 280, step: 5)
    #expect(
      essences(try collector.stored(), withIDs: false) == essences(try collector.recomputed(), withIDs: false)
    )
  }

  /// The clock is an hour ahead for half a minute, in which a late receipt changes what was looked at. What comes afterwards is
  /// found at once, not when that hour has passed.
  @Test func aClockThatWasAheadForAMomentDelaysNothing() throws {
    var before = SimulatedCollector.outcomes(rate: 4, seconds: 120, seed: 97)
    before[440].isOpen = true
    func later(_ seconds: Double, by offset: Double, seed: UInt64) -> [SimulatedCollector.Outcome] {
      SimulatedCollector.outcomes(rate: 4, seconds: seconds, seed: seed).map { outcome in
        var outcome = outcome
        outcome.plannedAt += offset
        slow(&outcome, 200..<230)
        return outcome
      }
    }
    let collector = try SimulatedCollector(before, rate: 4, settings: DetectionSettings())
    try collector.go(to: 120, step: 5)
    try collector.set(.seconds(3_600), then: later(30, by: 3_720, seed: 98))
    try collector.go(to: 3_740, step: 5)
    try collector.settleOpen()
    try collector.go(to: 3_750, step: 5)
    try collector.set(.seconds(-3_600), then: later(130, by: 150, seed: 99))
    try collector.go(to: 280, step: 5)
    let found = try collector.stored().filter { !$0.isWithdrawn }
    let slower = try #require(found.first { $0.metric.word == .delivery && $0.kind.word == .slower })
    #expect(abs(collector.seconds(slower.startedAt) - 200) <= 2)
  }

  @Test func nothingIsFoundWhereNothingChanged() throws {
    let outcomes = SimulatedCollector.outcomes(["alpha", "beta"], rate: 4, seconds: 600, seed: 51)
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 600, step: 60)
    #expect(try collector.stored().isEmpty)
    #expect(collector.lines.isEmpty)
  }

  /// What was learned from a deleted run is forgotten, its findings are gone.
  /// A target that is slower from 18:30 to 21:00 UTC every day, at one a minute, from noon on.
  private func evenings(_ days: Double, settings: DetectionSettings = DetectionSettings()) throws
    -> SimulatedCollector
  {
    let outcomes = SimulatedCollector.outcomes(rate: 1.0 / 60, seconds: days * 86_400, seed: 4) {
      let hour = ($0.plannedAt / 3_600 + 12).truncatingRemainder(dividingBy: 24)
      if (18.5..<21).contains(hour) { $0.service *= 4 }
    }
    return try SimulatedCollector(outcomes, rate: 1.0 / 60, settings: settings)
  }

  @Test("a daily pattern is told with its cause, live as afterwards and after a restart, and is no alarm")
  func dailyPatterns() throws {
    let collector = try evenings(6.2)
    try collector.go(to: 5 * 86_400, step: 7_200)
    let first = try collector.stored().filter(\.isDaily)
    try collector.restart()
    try collector.go(to: 6.2 * 86_400, step: 7_200)
    let found = try collector.stored().filter(\.isDaily)
    #expect(
      found.map(\.metric.word) == [.delivery, .accept] || found.map(\.metric.word) == [.accept, .delivery])
    #expect(Set(found.map(\.id)) == Set(first.map(\.id)))
    for record in found {
      #expect(!record.isOpen && record.endedAt == nil && record.kind.word == .slower)
      #expect(record.evidence.hasPrefix("on 5 of 5 days; "))
      #expect(record.cause == .undecided(.pathOrProvider))
      let hours = [record.lastStretch.lowerBound, record.lastStretch.upperBound].map {
        Double($0.microseconds % 86_400_000_000) / 3_600e6
      }
      #expect(abs(hours[0] - 18.5) <= 0.34 && abs(hours[1] - 21) <= 0.34)
      // It was seen on the day before.
      #expect(collector.seconds(record.seenUntil) > 5 * 86_400)
    }
    // Both are of the same hours.
    #expect(Set(found.map(\.incident)).count == 1)
    #expect(essences(found) == essences(try collector.recomputed().filter(\.isDaily)))
    #expect(!collector.lines.contains { $0.contains("every day") })
    let log = try collector.log().filter { $0.message.contains("every day from 18:30 to 21:00 UTC") }
    #expect(log.count == 2 && log.allSatisfy { $0.level == .info })
    let opened = try collector.events().count { $0 == .findingOpened }
    #expect(opened == (try collector.stored()).count { !$0.isDaily })
  }

  @Test("of two patterns a day each is explained by the hours that are in neither")
  func twoDailyPatterns() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 1.0 / 60, seconds: 5.2 * 86_400, seed: 4) {
      let hour = ($0.plannedAt / 3_600 + 12).truncatingRemainder(dividingBy: 24)
      if (6..<8).contains(hour) || (18.5..<21).contains(hour) { $0.transit *= 2 }
    }
    let collector = try SimulatedCollector(outcomes, rate: 1.0 / 60, settings: DetectionSettings())
    try collector.go(to: 5.2 * 86_400, step: 7_200)
    let found = try collector.stored().filter(\.isDaily)
    #expect(found.count == 2)
    for record in found {
      #expect(
        record.cause == .undecided(.deliveryOrDevice), "\(record.causes) \(record.evidence)")
    }
  }

  @Test("what a version before has not looked for is told of its days, too")
  func dailyPatternsAfterAnUpgrade() throws {
    let deaf = DetectionSettings(usual: {
      var settings = DetectorSettings(rate: $0)
      settings.calibratedAfter = nil
      return settings
    })
    let collector = try evenings(6.2, settings: deaf)
    try collector.go(to: 6 * 86_400, step: 7_200)
    #expect(try !collector.stored().contains(where: \.isDaily))
    try collector.upgrade(to: DetectionSettings())
    try collector.go(to: 6.2 * 86_400, step: 7_200)
    #expect(try collector.stored().count(where: \.isDaily) == 2)
  }

  @Test func aDeletedRunLeavesNothing() throws {
    let outcomes = SimulatedCollector.outcomes(rate: 4, seconds: 240, seed: 3) { slow(&$0, 150..<180) }
    let collector = try SimulatedCollector(outcomes, rate: 4, settings: DetectionSettings())
    try collector.go(to: 240, step: 10)
    #expect(try !collector.stored().isEmpty)
    try collector.endRun()
    try collector.look()
    try collector.store.beginDeletion(of: collector.run)
    try collector.look()
    while try collector.store.continueDeletion() {}
    try collector.look()
    #expect(try collector.stored().isEmpty)
    #expect(try StoreReader.open(at: collector.directory.file("test.sqlite")).detectors().isEmpty)
  }
}
