import Analysis
import Findings
import Measurement
import Store
import StoreTestKit
import TestKit
import Testing

@testable import TUI

/// Figures are those of `summary`: live from memory the same as read from the store, with what lies before the window.
@Suite("Figures on the reader's thread") struct FigureReaderTests {
  private static let minute: Int64 = 60

  /// Two runs of the same target a minute apart: one of 30 minutes, whose latencies drift in bad minutes, then one of two
  /// minutes that goes on. Some are lost, and one PING is the path of all of its ten seconds.
  private static func recorded() throws -> (fixture: RecordedStore, start: WallTime) {
    let fixture = try RecordedStore()
    var start = fixture.clock.wallNow()
    for (run, seconds) in [Int64(1_800), 120].enumerated() {
      if run > 0 {
        try fixture.end()
        fixture.clock.advance(by: .seconds(60))
        let store = try #require(fixture.collector)
        while try store.rollUp() {}
      }
      try fixture.begin(rate: 5)
      start = fixture.clock.wallNow()
      let registered = try #require(fixture.run)
      for first in stride(from: 0, to: seconds, by: 30) {
        var batch: [Sample] = []
        for number in first * 5..<(first + 30) * 5 {
          let (second, sequence) = (number / 5, number + 1)
          let isBad = second / 60 % 7 == 3
          let value = 100_000 + sequence * 7_919 % 40_000 + (isBad ? 300_000 : 0)
          var sample = fixture.delivered(sequence, at: number * 200, after: value)
          if sequence % 53 == 0 { (sample.state, sample.deliveryLatency) = (.lost, nil) }
          sample.path = 3_000 + second / 10
          batch.append(sample)
        }
        fixture.clock.advance(by: .milliseconds(29_750))
        try fixture.commit(inserted: batch)
        let pings = (first / 10..<first / 10 + 3).map { ping in
          PingAnswer(
            target: registered.targets[0].id, connectionID: 1,
            at: start.advanced(byMicroseconds: (ping * 10 + 9) * 1_000_000), roundTrip: 3_000 + ping)
        }
        _ = try fixture.collector?.commit(WriteBatch(run: registered.run, pings: pings))
      }
    }
    let store = try #require(fixture.collector)
    while try store.rollUp() {}
    return (fixture, start)
  }

  private static func source(_ fixture: RecordedStore, capacity: Int = PointWindow.capacity) -> SnapshotSource
  {
    SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
      capacity: capacity)
  }

  @Test("live from memory and from the store they are the same, and allow for dependence in earlier windows")
  func equal() throws {
    let (fixture, start) = try Self.recorded()
    let window = TimeWindow(
      scale: TimeScale(columnAtLeast: .seconds(1)),
      firstColumn: start.microseconds.flooringDivision(by: 1_000_000), columns: 150)
    let place = FiguresOrder.Place(window, targets: [0])
    let request = ReadRequest(window, to: nil)
    func take(capacity: Int) throws -> (Snapshot, PlaceFigures) {
      var source = Self.source(fixture, capacity: capacity)
      let polled = source.poll(request)
      let snapshot = try #require(polled)
      let figures = source.figures(FiguresOrder(places: [place], threshold: 120_000))
      return (snapshot, try #require(figures?.figures(of: [0])))
    }
    let (snapshot, live) = try take(capacity: PointWindow.capacity)
    let (coarse, summed) = try take(capacity: 400)
    #expect(snapshot.density == nil && coarse.density != nil)
    let reader = try StoreReader.open(at: fixture.path)
    defer { reader.close() }
    let series = SeriesReader(reader)
    let wanted = try #require(
      try series.window(of: [snapshot.targets[0].id], since: window.start, until: window.end))
    let stored = try series.statistics(of: wanted, shares: [])
    for quantile in WindowSummary.quantiles {
      for metric in [Metric.delivery, .accept, .service] {
        let interval = try #require(stored.quantile(quantile, of: metric))
        #expect(interval.usesHistory)
        switch live.summary(of: metric)[quantile] {
        case .known(let found), .undetermined(let found): #expect(found == interval)
        case .tooFew(let needs): #expect(interval.count < needs)
        case .pending: Issue.record("\(metric) \(quantile.label) was not taken")
        }
        guard let value = summed.summary(of: metric)[quantile].value else { continue }
        #expect(abs(value - interval.value) <= interval.value / 1_000 + 1)
      }
    }
    // As many as independent ones would be fewer than there are: bad minutes make neighbors alike.
    guard case .known(let p50) = live.summary(of: .delivery)[.p50] else {
      Issue.record("p50 is not known")
      return
    }
    #expect(p50.effectiveCount < Double(p50.count))
    let over = try #require(live.beyond(120_000, of: .delivery))
    let coarseOver = try #require(summed.beyond(120_000, of: .delivery))
    #expect(over.due == 600 && coarseOver.due == 600, "\(coarseOver)")
    #expect(abs(over.over - coarseOver.over) <= 6 && over.low < over.high)
    #expect(live.beyond(99, of: .delivery) == nil)
  }

  @Test("the path counts each PING once")
  func path() throws {
    let (fixture, start) = try Self.recorded()
    let window = TimeWindow(
      scale: TimeScale(columnAtLeast: .seconds(1)),
      firstColumn: start.microseconds.flooringDivision(by: 1_000_000), columns: 150)
    var source = Self.source(fixture)
    let polled = source.poll(ReadRequest(window, to: nil))
    let snapshot = try #require(polled)
    let taken = source.figures(FiguresOrder(places: [FiguresOrder.Place(window, targets: [0])]))
    let figures = try #require(taken?.figures(of: [0]))
    #expect(figures.summary(of: .path).count == 12 && figures.pings == (0..<12).map { 3_000 + $0 })
    #expect(figures.summary(of: .delivery).count > 500)
    let facts = WindowStatistics(
      snapshot: snapshot, window: window, targets: [0], metric: .path, includesPending: false)
    #expect(facts.valueCount == 600 && facts.counting(figures.pings).valueCount == 12)
  }

  @Test("they are taken once, and again only when something has changed and half a second has passed")
  func again() throws {
    let fixture = try RecordedStore()
    try fixture.begin(rate: 5)
    try fixture.commit(inserted: (1...50).map { fixture.delivered($0, at: $0 * 100) })
    let window = TimeWindow(
      scale: TimeScale(columnAtLeast: .seconds(1)),
      firstColumn: fixture.sample(1).plannedAt.microseconds.flooringDivision(by: 1_000_000), columns: 60)
    var order = FiguresOrder(places: [FiguresOrder.Place(window, targets: [0])])
    var source = Self.source(fixture)
    _ = source.poll(ReadRequest(window, to: nil))
    let first = source.figures(order)
    #expect(first?.figures(of: [0])?.summary(of: .delivery).count == 50)
    fixture.clock.advance(by: .seconds(60))
    _ = source.poll(ReadRequest(window, to: nil))
    #expect(source.figures(order) == nil, "nothing has changed")
    try fixture.commit(inserted: [fixture.delivered(51, at: 5_100)])
    _ = source.poll(ReadRequest(window, to: nil))
    #expect(source.figures(order)?.figures(of: [0])?.summary(of: .delivery).count == 51)
    try fixture.commit(inserted: [fixture.delivered(52, at: 5_200)])
    _ = source.poll(ReadRequest(window, to: nil))
    #expect(source.figures(order) == nil, "half a second has not passed")
    order.threshold = 1_000
    #expect(source.figures(order)?.figures(of: [0])?.beyond(1_000, of: .delivery)?.over == 52)
    let past = TimeWindow(scale: window.scale, firstColumn: window.firstColumn - 10_000, columns: 60)
    let elsewhere = FiguresOrder(places: [FiguresOrder.Place(past, targets: [0])])
    #expect(source.figures(elsewhere)?.figures(of: [0])?.summary(of: .delivery).count == 0)
  }

  @Test("the same notifications have the same figures, however far the window reaches beyond the run")
  func windows() throws {
    // Neither end of the run is on a whole second.
    var snapshot = SampleRun(seconds: 107).snapshot
    let shift = SampleRun.start.microseconds + 612_345 - snapshot.tracks[0][0].plannedAt
    var track = PointTrack(target: snapshot.tracks[0].target)
    for index in 0..<snapshot.tracks[0].count {
      let point = snapshot.tracks[0][index]
      track.append(
        SamplePoint(
          plannedAt: WallTime(microseconds: point.plannedAt + shift),
          plannedMonotonic: point.plannedMonotonic, scheduleLag: 40, acceptLatency: point.acceptLatency,
          deliveryLatency: point.deliveryLatency, state: point.state))
    }
    snapshot.tracks = [track]
    let start = SampleRun.start.advanced(byMicroseconds: 610_000)
    snapshot.run?.startedAt = start
    snapshot.run?.phase = .ended(at: start.advanced(byMicroseconds: 109_300_000), reason: "completed")
    var figures: [PlaceFigures] = []
    for columns in stride(from: 49, through: 190, by: 10) {
      let window = ViewState().window(in: snapshot, columns: columns)
      let points = FigurePoints(snapshot, window: window.start..<window.end, targets: [0])
      let time = try #require(points.time)
      #expect(time.lowerBound == SampleRun.start, "\(columns)")
      figures.append(PlaceFigures(points, threshold: 500_000))
    }
    #expect(figures.allSatisfy { $0 == figures[0] })
    // A window within the run ends where it ends.
    let part = SampleRun.start.advanced(byMicroseconds: 20_400_000)
    let inner = part..<part.advanced(byMicroseconds: 10_300_000)
    #expect(snapshot.recorded(inner) == inner)
    let before = inner.lowerBound.advanced(byMicroseconds: -90_000_000)
    #expect(snapshot.recorded(before..<inner.upperBound) == SampleRun.start..<inner.upperBound)
    #expect(snapshot.recorded(before..<SampleRun.start) == before..<SampleRun.start)
  }
}
