import Foundation
import Measurement
import StoreTestKit
import TestKit
import TestTraits
import Testing

@testable import Fleet
@testable import Store

/// A dashboard sees the same of a fleet as of a store.
@Suite(.ownThread, .enabled(if: TestEngine.isUsable)) struct FollowingTests {
  private let engine: TestEngine

  init() throws {
    engine = try TestEngine()
    try engine.setUp()
  }

  private func forward(_ recording: FleetRecording) throws {
    try Forwarder(engine.configuration, store: recording.store, reader: recording.reader()).all()
  }

  /// What is known of a notification. The engine has both ends of a delivery's range where the store leaves out what follows
  /// from the error.
  private func text(_ row: PointRow, _ target: TargetID) -> String {
    let point = row.point
    let values = Metric.allCases.map { "\(point.value(of: $0) ?? -1)" }.joined(separator: " ")
    return """
      \(target.rawValue) \(row.id.sequence) \(point.plannedAt) \(point.plannedMonotonic) \(point.state) \(values) \
      \(point.scheduleLag ?? -1) \(point.deliveryError ?? -1) \(point.deliveryRange.map { "\($0)" } ?? "") \
      \(point.status ?? -1) \(point.isFreshConnection) \(point.isOutOfOrder)
      """
  }

  /// The first notification that is not the same, or is missing.
  private func difference(
    _ seen: ContiguousArray<PointRow>, _ expected: ContiguousArray<PointRow>, _ both: Both
  ) -> String? {
    let wanted = expected.map { text($0, both.ids[$0.id.target] ?? $0.id.target) }
    let found = seen.map { text($0, $0.id.target) }
    guard wanted.count == found.count else { return "\(found.count) instead of \(wanted.count)" }
    return zip(found, wanted).first { $0 != $1 }.map { "\($0), not \($1)" }
  }

  private struct Both {
    let store: any DashboardSource
    let fleet: any DashboardSource
    let run: RunID
    let targets: [TargetID]
    let seen: [TargetID]
    /// From the store's to the fleet's.
    let ids: [TargetID: TargetID]

    init(_ recording: FleetRecording, _ fleet: FleetReader, run: RunID) throws {
      store = try recording.reader()
      self.fleet = fleet
      self.run = run
      _ = try fleet.hasChanged()
      targets = try store.targets(of: run).map(\.id)
      seen = try fleet.targets(of: run).map(\.id)
      ids = Dictionary(uniqueKeysWithValues: zip(targets, seen))
    }
  }

  @Test func notificationsAreTheSameFromBoth() throws {
    let recording = try FleetRecording(["region": "eu-west"], seed: 21, seconds: [300, 200])
    try forward(recording)
    let reader = try FleetReader(engine.configuration, FleetSelection(), clock: recording.clock)
    for run in recording.runs.map(\.run) {
      let both = try Both(recording, reader, run: run)
      let record = try #require(try both.store.run(run))
      for limit in [100, 10_000] {
        let expected = try both.store.lastPoints(of: both.targets, limit: limit)
        let seen = try both.fleet.lastPoints(of: both.seen, limit: limit)
        #expect(difference(seen.points, expected.points, both) == nil)
        #expect(seen.isTruncated == expected.isTruncated)
      }
      let start = record.startedAt.advanced(byMicroseconds: 31_400_000)
      let end = record.startedAt.advanced(byMicroseconds: 150_900_000)
      for limit in [77, 100_000] {
        let expected = try both.store.points(of: both.targets, plannedFrom: start, to: end, limit: limit)
        let seen = try both.fleet.points(of: both.seen, plannedFrom: start, to: end, limit: limit)
        // Of two planned at one instant either may be left out.
        if limit > 1_000 { #expect(difference(seen.points, expected.points, both) == nil) }
        #expect(seen.points.count == expected.points.count && seen.isTruncated == expected.isTruncated)
      }
      for (target, other) in both.ids {
        for sequence: Int64 in [1, 5, 333] {
          let id = SampleID(target: target, sequence: sequence)
          let seen = SampleID(target: other, sequence: sequence)
          let expected = try #require(try both.store.sample(id))
          let found = try #require(try both.fleet.sample(seen))
          #expect(found.plannedAt == expected.plannedAt && found.state == expected.state)
          #expect(found.deliveryRange == expected.deliveryRange && found.connection == expected.connection)
          let receipts = try both.store.receipts(of: id, atMost: 20).map(\.arrivedAt)
          #expect(try both.fleet.receipts(of: seen, atMost: 20).map(\.arrivedAt) == receipts)
        }
        #expect(try both.fleet.sample(SampleID(target: other, sequence: 1_000_000)) == nil)
      }
      var picked: [Int64] = []
      let ids = both.seen.flatMap { target in
        [7, 3, 900_000].map { SampleID(target: target, sequence: $0) }
      }
      try both.fleet.forEachSample(withIDs: ids) { picked.append($0.id.sequence) }
      #expect(picked == [3, 7, 3, 7])
    }
  }

  private struct Sums {
    var counts = StateCounts()
    var latencies = Metric.allCases.map { _ in LatencyHistogram() }
  }

  /// By target: where spans end may differ.
  private func sums(
    _ source: any DashboardSource, _ targets: [TargetID], _ span: RollupSpan, _ run: RunRecord
  )
    throws -> [Sums]
  {
    let end = try #require(try source.rollupsCoverTo(of: targets))
    var sums: [TargetID: Sums] = [:]
    var reached = run.startedAt.advanced(byMicroseconds: 60_000_000)
    var last: [TargetID: WallTime] = [:]
    while reached < end {
      let page = try source.rollups(
        of: targets, from: reached, to: end, span: span, metrics: Set(Metric.allCases), limit: 50)
      for row in page.rows {
        #expect(row.start >= last[row.target] ?? row.start)
        last[row.target] = row.start
        sums[row.target, default: Sums()].counts += row.counts
        for (place, metric) in Metric.allCases.enumerated() {
          if let packed = row.histogram(of: metric) { sums[row.target]?.latencies[place].merge(packed) }
        }
      }
      guard page.coveredTo > reached else { break }
      reached = page.coveredTo
    }
    return targets.map { sums[$0] ?? Sums() }
  }

  @Test(arguments: [RollupSpan.second, .minute, .hour]) func sumsAreTheSameFromBoth(_ span: RollupSpan) throws
  {
    let recording = try FleetRecording([:], seed: 22, seconds: [400])
    try forward(recording)
    let run = recording.runs[0].run
    let both = try Both(
      recording, FleetReader(engine.configuration, FleetSelection(), clock: recording.clock), run: run)
    let record = try #require(try both.store.run(run))
    let expected = try sums(both.store, both.targets, span, record)
    let seen = try sums(both.fleet, both.seen, span, record)
    #expect(seen.map(\.counts) == expected.map(\.counts))
    for (own, other) in zip(seen.flatMap(\.latencies), expected.flatMap(\.latencies)) {
      #expect(own.count == other.count)
      for quantile in [Quantile.p50, .p99] where other.count > 0 {
        let (value, wanted) = (own.value(quantile) ?? 0, other.value(quantile) ?? 0)
        #expect(abs(value - wanted) <= max(1, wanted / 100), "\(value) for \(wanted)")
      }
    }
    #expect(expected.allSatisfy { $0.latencies.contains { $0.count > 0 } })
  }

  @Test func eventsLogAndFindingsAreTheSameFromBoth() throws {
    let recording = try FleetRecording([:], seed: 23, seconds: [100, 50])
    try recording.find("f1", from: 20, to: 30)
    try forward(recording)
    let reader = try FleetReader(engine.configuration, FleetSelection(), clock: recording.clock)
    for run in recording.runs.map(\.run) {
      let both = try Both(recording, reader, run: run)
      func events(_ page: ContiguousArray<EventRecord>, _ source: any DashboardSource) -> [EventRecord] {
        page.filter { $0.run == run }.map { record in
          var record = record
          if source is StoreReader { record.content.target = record.event.target.flatMap { both.ids[$0] } }
          return record
        }
      }
      func log(_ page: ContiguousArray<LogRecord>, _ source: any DashboardSource) -> [LogRecord] {
        page.filter { $0.run == run }.map { record in
          var record = record
          if source is StoreReader { record.content.target = record.line.target.flatMap { both.ids[$0] } }
          return record
        }
      }
      let all = try both.store.last(Event.self, of: run, through: .last, limit: 100)
      #expect(all.rows.count == 4)
      let second = try #require(all.rows.dropFirst().first)
      let middle = RecordPlace(at: second.event.at, revision: second.revision)
      for limit in [1, 2, 100] {
        for through in [RecordPlace.last, middle] {
          #expect(
            try events(both.fleet.last(Event.self, of: run, through: through, limit: limit).rows, both.fleet)
              == events(both.store.last(Event.self, of: run, through: through, limit: limit).rows, both.store)
          )
          #expect(
            try log(both.fleet.last(LogLine.self, of: run, through: through, limit: limit).rows, both.fleet)
              == log(both.store.last(LogLine.self, of: run, through: through, limit: limit).rows, both.store))
        }
        #expect(
          try events(both.fleet.first(Event.self, of: run, after: middle, limit: limit), both.fleet)
            == events(both.store.first(Event.self, of: run, after: middle, limit: limit), both.store))
        #expect(
          try log(both.fleet.first(LogLine.self, of: run, after: .first, limit: limit), both.fleet)
            == log(both.store.first(LogLine.self, of: run, after: .first, limit: limit), both.store))
      }
      var followed: [EventRecord] = []
      var cursor: Int64 = 0
      while true {
        let page = try both.fleet.changes(Event.self, of: run, after: cursor, limit: 3)
        followed += page.rows
        cursor = page.next
        if page.isComplete { break }
      }
      // In the order of writing, which is not that of their times.
      let written = events(all.rows, both.store).sorted { $0.revision < $1.revision }
      #expect(followed == written && followed.map(\.event.at) != all.rows.map(\.event.at))
      #expect(try both.fleet.changes(LogLine.self, of: run, after: .max, limit: 9).rows.isEmpty)
      for place in [RecordPlace.last, middle] {
        #expect(
          try both.fleet.count(Event.self, of: run, before: place)
            == both.store.count(Event.self, of: run, before: place))
        #expect(
          try both.fleet.count(LogLine.self, of: run, before: place)
            == both.store.count(LogLine.self, of: run, before: place))
      }
      for moment in all.rows.map(\.event.at) + [WallTime(microseconds: 5)] {
        let end = RecordPlace(endOf: moment)
        #expect(
          try events(both.fleet.last(Event.self, of: run, through: end, limit: 2).rows, both.fleet)
            == events(both.store.last(Event.self, of: run, through: end, limit: 2).rows, both.store))
      }
      #expect(
        try both.fleet.findings(of: run, changedAfter: 0).map(\.id)
          == both.store.findings(FindingSelection(run: run)).map(\.id))
      #expect(try both.fleet.findings(of: run, changedAfter: .max).isEmpty)
      let range = WallTime(microseconds: 0)..<WallTime(microseconds: .max / 2)
      #expect(
        try both.fleet.pings(of: both.seen, in: range).map(\.roundTrip)
          == both.store.pings(of: both.targets, in: range).map(\.roundTrip))
    }
    #expect(try reader.latestRun()?.id == recording.runs.last?.run)
  }

  @Test func changesAreFollowedWhateverTheirOrder() throws {
    let fixture = try StoreFixture()
    let (store, run, target) = (fixture.store, fixture.run, fixture.alpha)
    let forwarder = try Forwarder(
      engine.configuration, store: store, reader: StoreReader.open(at: store.path))
    func planned(_ sequences: ClosedRange<Int64>, _ state: NotificationState) -> [Sample] {
      sequences.map { sequence in
        var sample = Sample(
          id: SampleID(target: target, sequence: sequence), variant: .none,
          plannedAt: fixture.clock.wallNow().advanced(byMicroseconds: sequence * 1_000),
          plannedMonotonic: fixture.clock.monotonicNow().microseconds + sequence * 1_000)
        sample.state = state
        if state == .accepted { (sample.scheduleLag, sample.acceptLatency) = (5, 2_000) }
        return sample
      }
    }
    _ = try store.commit(WriteBatch(run: run, inserted: planned(1...50, .accepted)))
    try forwarder.all()
    let clock = fixture.clock
    let fleet = try FleetReader(engine.configuration, FleetSelection(), clock: clock)
    #expect(try fleet.hasChanged())
    #expect(try !fleet.hasChanged(), "it asks no more than now and then")
    let seen = try fleet.targets(of: run).filter { $0.name == "alpha" }.map(\.id)
    let last = try fleet.lastPoints(of: seen, limit: 20)
    #expect(last.points.map(\.id.sequence) == Array(31...50) && last.isTruncated)
    // 51 to 54 are planned, and not forwarded before they are due.
    _ = try store.commit(
      WriteBatch(run: run, inserted: planned(51...54, .planned) + planned(55...60, .accepted)))
    try forwarder.all()
    clock.advance(by: .seconds(2))
    #expect(try fleet.hasChanged())
    var page = try fleet.changedPoints(of: seen, after: last.revision, limit: 3)
    var rows = page.rows
    while !page.isComplete {
      page = try fleet.changedPoints(of: seen, after: page.next, limit: 3)
      rows += page.rows
    }
    #expect(Set(rows.map(\.id.sequence)) == Set(51...60), "without a gap")
    #expect(rows.filter { $0.point.state == .planned }.map(\.id.sequence).sorted() == Array(51...54))
    // They come; and one that was known changes, and one from before what was read.
    _ = try store.commit(
      WriteBatch(
        run: run,
        updated: planned(2...2, .missed) + planned(40...40, .missed) + planned(51...54, .accepted)))
    try forwarder.all()
    let later = try fleet.changedPoints(of: seen, after: page.next, limit: 100)
    #expect(later.rows.map(\.id.sequence).sorted() == [40] + Array(51...54))
    #expect(later.rows.first { $0.id.sequence == 40 }?.point.state == .missed)
    #expect(try fleet.changedPoints(of: seen, after: later.next, limit: 100).rows.isEmpty)
    // What is counted is counted again after a while.
    clock.advance(by: .seconds(5))
    #expect(try fleet.run(run)?.counts.planned == 60)
    // A collector of which nothing new comes is gone.
    #expect(try #require(try fleet.run(run)?.lastHeartbeat) >= clock.wallNow())
    clock.advance(by: .seconds(300))
    let heard = try #require(try fleet.run(run)?.lastHeartbeat)
    #expect(clock.wallNow().microseconds - heard.microseconds > 200_000_000)
  }

  @Test func aRunThatBeginsLaterIsSeenAndTheOthersKeepTheirNumbers() throws {
    let first = try FleetRecording(["region": "eu-west"], seed: 24, seconds: [5])
    try forward(first)
    let numbers = FleetNumbers()
    let clock = SteppedHostClock()
    let fleet = try FleetReader(engine.configuration, FleetSelection(), numbers: numbers, clock: clock)
    #expect(try fleet.hasChanged())
    let before = try fleet.targets(of: first.runs[0].run).map(\.id)
    // It began earlier than the one that is known.
    let second = try FleetRecording(["region": "eu-east"], seed: 25, seconds: [3, 3])
    try forward(second)
    clock.advance(by: .seconds(2))
    #expect(try fleet.hasChanged())
    #expect(try fleet.runs().count == 3)
    #expect(try fleet.targets(of: first.runs[0].run).map(\.id) == before)
    let other = try FleetReader(engine.configuration, FleetSelection(), numbers: numbers, clock: clock)
    #expect(try other.targets(of: first.runs[0].run).map(\.id) == before)
    #expect(
      try other.targets(of: second.runs[1].run).map(\.id) == fleet.targets(of: second.runs[1].run).map(\.id))
  }

  @Test func anEngineThatDoesNotAnswerIsAskedAgainLater() throws {
    let recording = try FleetRecording([:], seed: 26, seconds: [3])
    try forward(recording)
    let clock = SteppedHostClock()
    let fleet = try FleetReader(engine.configuration, FleetSelection(), clock: clock)
    #expect(try fleet.hasChanged())
    try engine.kill()
    clock.advance(by: .seconds(2))
    #expect(throws: FleetError.self) { try fleet.hasChanged() }
    #expect(try !fleet.hasChanged())
    try engine.start()
    clock.advance(by: .seconds(2))
    #expect(try !fleet.hasChanged(), "it is over, and nothing new has come")
    #expect(try fleet.runs().count == 1)
  }
}
