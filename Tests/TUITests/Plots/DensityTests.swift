import ConstraintAnimation
import Measurement
import Store
import StoreTestKit
import Terminal
import TestKit
import Testing

@testable import TUI

@Suite("More notifications than are kept one by one")
struct DensityTests {
  /// The same notifications summed up column by column, up to a moment.
  static func summed(_ snapshot: Snapshot, until end: WallTime, in window: TimeWindow) -> Snapshot {
    var result = snapshot
    var columns: [[Density.Column]] = []
    let tick = window.scale.columnMicroseconds
    for (place, track) in snapshot.tracks.enumerated() {
      var points: [Int64: [SamplePoint]] = [:]
      for index in track.range(from: SampleRun.start, to: end) {
        points[track[index].plannedAt.flooringDivision(by: tick), default: []].append(track[index])
      }
      columns.append(
        points.keys.sorted().map { column in
          var counts = StateCounts()
          var tallies = Metric.allCases.map { _ in DensityAccumulator() }
          for point in points[column] ?? [] {
            counts.add(point)
            for (number, metric) in Metric.allCases.enumerated() {
              point.value(of: metric).map { tallies[number].add($0, count: 1) }
            }
          }
          return Density.Column(
            start: column * tick, duration: tick, counts: counts,
            buckets: tallies.indices.map { tallies[$0].drain() })
        })
      result.tracks[place].hiddenBefore = end
    }
    result.density = Density(span: .second, end: end, columns: columns)
    return result
  }

  /// Eighths of a cell by column, from all rows of the band.
  static func band(_ stage: Stage) -> [Int] {
    let geometry = stage.geometry
    let frame = stage.screen.context.plotFrame
    return (0..<geometry.columns).map { column in
      (geometry.bandRow...geometry.lossRow).reduce(0) { sum, row in
        let text = stage.buffer[frame.x0 + ScatterGeometry.gutter + column, frame.y0 + row].text
        return sum
          + (" ▁▂▃▄▅▆▇█".firstIndex(of: Character(text)).map {
            " ▁▂▃▄▅▆▇█".distance(from: " ▁▂▃▄▅▆▇█".startIndex, to: $0)
          } ?? 0)
      }
    }
  }

  private static let window = TimeWindow(
    around: SampleRun.start, at: 0, scale: TimeScale(columnAtLeast: .seconds(1)), columns: 120)

  @Test("a bucket holds what differs by less than 0.8 %, and no value is in two")
  func buckets() {
    var index = -1
    for value: Int64 in [
      0, 1, 2, 3, 127, 128, 129, 130, 999, 1_000, 123_456, 123_457, 86_400_000_000, 1 << 50,
    ] {
      let found = DensityBucket.index(of: value)
      let bucket = DensityBucket(index: UInt16(found), count: 1)
      #expect(found >= index && found < DensityBucket.places)
      #expect(bucket.lower <= value && value <= bucket.upper)
      #expect(bucket.upper - bucket.lower <= value / 128)
      index = found
    }
    for index in 1..<5_000 {
      let (bucket, next) = (
        DensityBucket(index: UInt16(index), count: 1), DensityBucket(index: UInt16(index + 1), count: 1)
      )
      #expect(bucket.upper < next.lower || bucket.lower == next.lower)
    }
  }

  @Test("sums and notifications together say what all notifications say")
  func facts() throws {
    let all = SampleRun(seconds: 110, rate: 30, targets: ["a", "b"], phase: .silent(since: SampleRun.start))
      .snapshot
    let mixed = Self.summed(all, until: SampleRun.start.advanced(byMicroseconds: 70_000_000), in: Self.window)
    // These notifications have no path, since nobody sent a PING, and their device does not report what it shows.
    for metric in Metric.allCases where metric != .path && metric != .shown {
      func facts(_ snapshot: Snapshot) -> WindowStatistics {
        WindowStatistics(
          snapshot: snapshot, window: Self.window, targets: [0, 1], metric: metric, includesPending: false)
      }
      let (exact, summed) = (facts(all), facts(mixed))
      #expect(summed.counts == exact.counts && summed.valueCount == exact.values.count)
      #expect(summed.values.count < exact.values.count && summed.values.count > 100)
      for (found, value) in [(summed.smallest, exact.smallest), (summed.largest, exact.largest)] {
        #expect(abs((found ?? 0) - (value ?? 0)) <= (value ?? 0) / 128)
      }
      let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: exact.smallest, largest: exact.largest)
      func counts(_ facts: WindowStatistics) -> [Int] {
        HistogramBuckets(
          axis: axis, columns: 24, now: HistogramBuckets.Values(facts), before: HistogramBuckets.Values([])
        ).now
      }
      #expect(counts(summed).reduce(0, +) == counts(exact).reduce(0, +))
      let misplaced = zip(counts(summed), counts(exact)).reduce(0) { $0 + abs($1.0 - $1.1) }
      #expect(misplaced <= exact.values.count / 10)
      func figures(_ snapshot: Snapshot) -> PlaceFigures {
        let window = Self.window.start..<Self.window.end
        return PlaceFigures(FigurePoints(snapshot, window: window, targets: [0, 1]), threshold: 200_000)
      }
      let (one, other) = (figures(all), figures(mixed))
      let (expected, quantiles) = (one.summary(of: metric), other.summary(of: metric))
      #expect(quantiles.count == expected.count)
      for quantile in WindowSummary.quantiles {
        guard let value = expected[quantile].value else {
          #expect(quantiles[quantile].value == nil)
          continue
        }
        // As a replay has them; those that are read from the store are tested below.
        #expect(abs((quantiles[quantile].value ?? 0) - value) <= value / 128 + 1)
      }
      let over = try #require(other.beyond(200_000, of: metric))
      let expectedOver = try #require(one.beyond(200_000, of: metric))
      #expect(over.due == expectedOver.due && over.due == summed.counts.settled)
      #expect(abs(over.over - expectedOver.over) <= exact.values.count / 100)
    }
  }

  @Test("the same columns and rows are marked, and the averages are the same")
  func raster() {
    let all = SampleRun(seconds: 110, rate: 30, phase: .silent(since: SampleRun.start)).snapshot
    let mixed = Self.summed(all, until: SampleRun.start.advanced(byMicroseconds: 70_000_000), in: Self.window)
    let axis = LatencyAxis(kind: .logarithmic, lower: 50_000, upper: 2_000_000)
    func raster(_ snapshot: Snapshot) -> DotRaster {
      var raster = DotRaster(encoding: .braille)
      raster.reset(columns: 120, rows: 14, encoding: .braille)
      let projection = DotRaster.Projection(
        window: Self.window, lookup: RowLookup(axis: axis, rows: raster.dotRows), metric: .delivery,
        codes: MarkCodes(target: 0), pendingUntil: nil, dotColumns: 2)
      if let density = snapshot.density {
        raster.plot(density.columns(of: 0, from: Self.window.start, to: Self.window.end), projection)
      }
      let track = snapshot.tracks[0]
      track.forEachRun(in: track.range(from: Self.window.start, to: Self.window.end)) {
        raster.plot($0, projection)
      }
      return raster
    }
    let (exact, summed) = (raster(all), raster(mixed))
    // A bucket may lie across the edge of a cell; what is marked covers what should be.
    for cell in exact.dots.indices where exact.counts[cell] > 0 { #expect(summed.counts[cell] > 0) }
    let extra = exact.dots.indices.filter { exact.counts[$0] == 0 && summed.counts[$0] > 0 }.count
    #expect(extra <= exact.counts.filter { $0 > 0 }.count / 8)
    for (sum, other) in zip(summed.sums, exact.sums) { #expect(abs(sum - other) <= other / 128) }
    #expect(summed.rowCounts.reduce(0, +) == exact.rowCounts.reduce(0, +))
  }

  @Test("the title says that sums are drawn, losses stay in their band, and sums cannot be selected")
  func screen() throws {
    let all = SampleRun(seconds: 110, rate: 8).snapshot
    let exact = try Stage(snapshot: all)
    let window = try #require(exact.screen.context.content?.window)
    var stage = try Stage(
      snapshot: Self.summed(all, until: SampleRun.start.advanced(byMicroseconds: 100_000_000), in: window))
    #expect(stage.rows[1].contains("sums of 1 s"))
    // As many columns have losses, and the same share of each.
    let (band, whole) = (Self.band(stage), Self.band(exact))
    #expect(band == whole && band.contains { $0 > 0 })
    try Golden.expect(stage.buffer, named: "plots/sums-120x40")
    let frame = stage.screen.context.plotFrame
    let (x, y) = (frame.x0 + ScatterGeometry.gutter, frame.y0 + 3)
    stage.mouse(.mouseDown, x: x, y: y, .alt)
    stage.mouse(.mouseDrag, x: x + 20, y: y + 10, .alt)
    stage.mouse(.mouseUp, x: x + 20, y: y + 10, .alt)
    stage.frame()
    #expect(stage.rows.last?.contains("zoom in") == true)
  }

  @Test(
    "quantiles wait for the sums of the window that has been moved to, and are taken as soon as they are there"
  )
  func waiting() {
    let all = SampleRun(seconds: 110, rate: 30, phase: .silent(since: SampleRun.start)).snapshot
    let end = SampleRun.start.advanced(byMicroseconds: 70_000_000)
    let state = ViewState()
    func figures(_ snapshot: Snapshot, _ place: TimeWindow) -> WindowFigures? {
      WindowFigures.taken(FiguresOrder(places: [FiguresOrder.Place(place, targets: [0])]), of: snapshot)
    }
    func content(
      _ snapshot: Snapshot, _ place: TimeWindow, after previous: PlotContent?, _ figures: WindowFigures?
    ) -> PlotContent {
      PlotContent(
        snapshot: snapshot, state: state, columns: 120, place: place, previous: previous, figures: figures,
        at: .zero)
    }
    let summed = Self.summed(all, until: end, in: Self.window)
    let known = figures(summed, Self.window)
    let here = content(summed, Self.window, after: nil, known)
    let moved = Self.window.moved(byColumns: 30)
    let between = content(summed, moved, after: here, known)
    #expect(between.summaries == here.summaries)
    let again = Self.summed(all, until: end, in: moved)
    let there = content(again, moved, after: between, figures(again, moved))
    #expect(there.summary.count != here.summary.count && there.facts.valueCount == there.summary.count)
  }

  /// A run of 20 notifications a second that begins at an odd moment, and has ended.
  private static func ended(seconds: Int) throws -> (fixture: RecordedStore, start: WallTime) {
    let fixture = try RecordedStore()
    // To 20.3 s after a whole minute.
    let now = fixture.clock.wallNow().microseconds
    let odd = (now / 60_000_000 + 1) * 60_000_000 + 20_300_000
    fixture.clock.advance(by: .microseconds(odd - now))
    try fixture.begin(rate: 20)
    var sequence: Int64 = 0
    for second in 0..<seconds {
      var batch: [Sample] = []
      for index in 0..<20 {
        sequence += 1
        batch.append(
          fixture.delivered(
            sequence, at: Int64(second) * 1_000 + Int64(index) * 50, after: 100_000 + sequence % 97 * 1_000))
      }
      fixture.clock.advance(by: .milliseconds(750))
      try fixture.commit(inserted: batch)
    }
    try fixture.end()
    fixture.clock.advance(by: .seconds(200))
    let store = try #require(fixture.collector)
    while try store.rollUp() {}
    return (fixture, WallTime(microseconds: odd))
  }

  @Test(
    "however far it is zoomed out, the window has every notification that was planned in it, and only those",
    arguments: [500, 1_000, 5_000, 20_000, 30_000, 60_000, 120_000].map { Duration.milliseconds($0) })
  func zooms(tick: Duration) throws {
    let (fixture, start) = try Self.ended(seconds: 200)
    func read(_ request: ReadRequest, capacity: Int, figuresOf window: TimeWindow) throws -> (
      snapshot: Snapshot, figures: PlaceFigures
    ) {
      var source = SnapshotSource(
        place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
        capacity: capacity)
      let snapshot = source.poll(request)
      let figures = source.figures(FiguresOrder(places: [FiguresOrder.Place(window, targets: [0])]))
      return (try #require(snapshot), try #require(figures?.figures(of: [0])))
    }
    let scale = TimeScale(columnAtLeast: tick)
    // From the column of the run's beginning, from before it and from within it.
    for (before, columns) in [(0, 40), (3, 30), (-2, 25), (-1, 7)] {
      let first = scale.column(of: start) - Int64(before)
      let window = TimeWindow(scale: scale, firstColumn: first, columns: columns)
      for to in [nil, window.end] {
        var request = ReadRequest(from: window.previous.start, to: to, tick: tick, start: window.start)
        request.isReplay = before == 3 && to != nil
        let (exact, expected) = try read(request, capacity: 100_000, figuresOf: window)
        let (summed, found) = try read(request, capacity: 20, figuresOf: window)
        #expect(exact.density == nil)
        for place in [window, window.previous] {
          func facts(_ snapshot: Snapshot) -> WindowStatistics {
            WindowStatistics(
              snapshot: snapshot, window: place, targets: [0], metric: .delivery, includesPending: false)
          }
          let (one, other) = (facts(exact), facts(summed))
          #expect(one.counts == other.counts && one.valueCount == other.valueCount)
          if place == window, one.valueCount > 20 {
            #expect(summed.density != nil)
            let (expected, found) = (expected.summary(of: .delivery), found.summary(of: .delivery))
            #expect(found.count == expected.count)
            for quantile in WindowSummary.quantiles {
              guard let value = expected[quantile].value else { continue }
              #expect(abs((found[quantile].value ?? 0) - value) <= value / 1_000 + 1)
            }
          }
        }
      }
    }
  }

  @Test("what takes many sums is shown with few first, and with all of them at once thereafter")
  func coarseFirst() throws {
    let (fixture, start) = try Self.ended(seconds: 1_000)
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
      capacity: 2_000)
    let end = start.advanced(byMicroseconds: 1_000_000_000)
    let request = ReadRequest(from: start, to: end, tick: .seconds(1))
    func counted(_ snapshot: Snapshot) -> Int {
      let sums = snapshot.density?.columns[0].reduce(0) { $0 + $1.counts.planned } ?? 0
      return sums + snapshot.tracks[0].range(from: start, to: end).count
    }
    func poll(_ request: ReadRequest) throws -> Snapshot {
      let snapshot = source.poll(request)
      return try #require(snapshot)
    }
    let first = try poll(request)
    #expect(first.density?.span == .minute && source.isReading && counted(first) == 20_000)
    let second = try poll(request)
    #expect(second.density?.span == .second && !source.isReading && counted(second) == 20_000)
    // What is on display already is not made coarser.
    let part = ReadRequest(from: start, to: end.advanced(byMicroseconds: -20_000_000), tick: .seconds(1))
    let third = try poll(part)
    #expect(third.density?.span == .second && !source.isReading)
  }

  @Test("a replay says that no sum is over yet, not that there is nothing")
  func replay() throws {
    var all = SampleRun(
      seconds: 300, rate: 8,
      phase: .ended(at: SampleRun.start.advanced(byMicroseconds: 300_000_000), reason: "stopped")
    ).snapshot
    let window = TimeWindow(
      around: SampleRun.start, at: 0, scale: TimeScale(columnAtLeast: .minutes(1)), columns: 20)
    all = Self.summed(all, until: SampleRun.start.advanced(byMicroseconds: 300_000_000), in: window)
    let soon = all.known(at: SampleRun.start.advanced(byMicroseconds: 20_000_000), since: SampleRun.start)
    let later = all.known(at: SampleRun.start.advanced(byMicroseconds: 130_000_000), since: SampleRun.start)
    let end = window.end
    #expect(soon.density?.isAnyOpen(of: [0], from: window.start, to: end) == true)
    #expect(soon.density?.isAnyOpen(of: [1], from: window.start, to: end) == false)
    #expect(later.density?.columns[0].count == 2)
    var snapshot = soon
    snapshot.run?.phase = .live
    let stage = try Stage(columns: 120, snapshot: snapshot)
    #expect(stage.text.contains("is over yet") && !stage.text.contains("nothing was planned"))
    #expect(
      !stage.text.contains("n 0") && !stage.text.contains("accepted 0") && !stage.text.contains("too small"))
  }

  @Test(
    "a window with more than there is room for is read as sums, and as notifications again when it is short")
  func reading() throws {
    let fixture = try RecordedStore()
    try fixture.begin(rate: 20)
    var sequence: Int64 = 0
    // Five minutes, committed as they pass.
    for second in 0..<300 {
      var batch: [Sample] = []
      for index in 0..<20 {
        sequence += 1
        batch.append(
          fixture.delivered(
            sequence, at: Int64(second) * 1_000 + Int64(index) * 50, after: 100_000 + sequence % 97 * 1_000))
      }
      fixture.clock.advance(by: .milliseconds(750))
      try fixture.commit(inserted: batch)
    }
    let store = try #require(fixture.collector)
    while try store.rollUp() {}
    try fixture.end()
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
      capacity: 2_000)
    let start = fixture.sample(1).plannedAt
    let end = start.advanced(byMicroseconds: 300_000_000)
    func read(_ from: WallTime, _ to: WallTime) throws -> Snapshot {
      let snapshot = source.poll(ReadRequest(from: from, to: to, tick: .seconds(1)))
      return try #require(snapshot)
    }
    let whole = try read(start, end)
    let found = whole.density
    let density = try #require(found)
    let counted = density.columns[0].reduce(0) { $0 + $1.counts.planned }
    let kept = whole.tracks[0].range(from: start, to: end).count
    #expect(counted + kept == 6_000 && counted >= 4_000 && !whole.isTruncated)
    // Every metric but the path, since nobody sent a PING, and what the device does not report.
    let values = Metric.allCases.map { metric in
      density.columns[0].reduce(0) { $0 + $1.buckets(of: metric).reduce(0) { $0 + Int($1.count) } }
    }
    #expect(values == [counted, counted, counted, 0, 0])
    // Following it a year later sums up no more than there is.
    fixture.clock.advance(by: .seconds(365 * 86_400))
    let later = source.poll(ReadRequest(from: start, to: nil, tick: .seconds(1)))?.density
    #expect(later?.span == .second && later?.columns[0].count == density.columns[0].count)
    let part = try read(
      start.advanced(byMicroseconds: 60_000_000), start.advanced(byMicroseconds: 90_000_000))
    #expect(part.density == nil && part.tracks[0].count == 600)
  }
}
