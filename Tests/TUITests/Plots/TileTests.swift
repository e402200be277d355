import Measurement
import Store
import Testing

@testable import TUI

@Suite("Tiles that are kept between frames")
struct TileTests {
  private static let scale = TimeScale(columnAtLeast: .milliseconds(500))

  private static func window(_ end: Int64, columns: Int = 50) -> TimeWindow {
    let edge = SampleRun.start.microseconds / scale.columnMicroseconds + end
    return TimeWindow(scale: scale, firstColumn: edge - Int64(columns), columns: columns)
  }

  private static func settings(_ axis: LatencyAxis, targets: Int, hasSpread: Bool) -> TiledRaster.Settings {
    TiledRaster.Settings(
      scale: scale, axis: axis, rows: 12, encoding: .braille, metrics: [.delivery, .accept],
      colors: SeriesColors(coloring: .target, targets: targets, metrics: [.delivery, .accept]),
      hasSpread: hasSpread)
  }

  private static func sources(
    _ snapshot: Snapshot, _ window: TimeWindow, after earlier: TileSources? = nil
  ) -> TileSources {
    TileSources(snapshot, targets: Array(snapshot.tracks.indices), window: window, after: earlier)
  }

  private static func plot(
    _ tiles: inout TiledRaster, _ sources: TileSources, _ snapshot: Snapshot, _ axis: LatencyAxis,
    hasSpread: Bool
  ) {
    _ = tiles.plot(
      sources, now: snapshot.monotonicNow,
      settings: settings(axis, targets: snapshot.tracks.count, hasSpread: hasSpread))
  }

  /// The same without tiles.
  private static func direct(
    _ snapshot: Snapshot, _ window: TimeWindow, _ axis: LatencyAxis, hasSpread: Bool
  ) -> DotRaster {
    let settings = settings(axis, targets: snapshot.tracks.count, hasSpread: hasSpread)
    var raster = DotRaster(encoding: .braille)
    raster.reset(
      columns: window.columns, rows: 12, encoding: .braille, lanes: 2, places: settings.colors.count,
      hasSpread: hasSpread)
    for (lane, metric) in settings.metrics.enumerated() {
      for (target, track) in snapshot.tracks.enumerated() {
        let projection = DotRaster.Projection(
          window: window, lookup: RowLookup(axis: axis, rows: 48), metric: metric,
          codes: settings.colors.codes(target: target, metric: metric),
          pendingUntil: lane == 0 ? snapshot.monotonicNow : nil, dotColumns: 2, lane: lane)
        if let density = snapshot.density {
          let start = window.start - density.span.length
          raster.plot(density.columns(of: target, from: start, to: window.end), projection)
        }
        track.forEachRun(in: track.range(from: window.start, to: window.end)) {
          raster.plot($0, projection)
        }
      }
    }
    return raster
  }

  private static func expectSame(_ one: DotRaster, _ other: DotRaster, _ step: String) {
    #expect(one.dots == other.dots && one.counts == other.counts && one.codes == other.codes, "\(step)")
    #expect(one.above == other.above && one.below == other.below && one.shares == other.shares, "\(step)")
    #expect(one.outcomes == other.outcomes && one.present == other.present, "\(step)")
    #expect(one.spread == other.spread, "\(step)")
  }

  /// Moves the run on: notifications that were in flight have their end, others come.
  static func goOn(_ snapshot: inout Snapshot, by seconds: Double, _ generator: inout SeededGenerator) {
    let microseconds = Int64(seconds * 1e6)
    let now = (snapshot.monotonicNow ?? .zero).microseconds + microseconds
    for place in snapshot.tracks.indices {
      var track = snapshot.tracks[place]
      for sequence in track.firstSequence..<track.endSequence {
        let point = track[Int(sequence - track.firstSequence)]
        guard point.state == .inFlight, Bool.random(using: &generator) else { continue }
        _ = track.update(
          sequence: sequence,
          to: SamplePoint(
            plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
            scheduleLag: 40, acceptLatency: point.acceptLatency,
            deliveryLatency: now - point.plannedMonotonic,
            state: .delivered))
      }
      var time = now - microseconds
      while true {
        time += .random(in: 1_000...60_000, using: &generator)
        guard time < now else { break }
        track.append(
          SamplePoint(
            plannedAt: SampleRun.start.advanced(byMicroseconds: time), plannedMonotonic: time,
            scheduleLag: 40, acceptLatency: .random(in: 3_000...9_000, using: &generator),
            deliveryLatency: nil, state: Bool.random(using: &generator) ? .inFlight : .lost))
      }
      snapshot.tracks[place] = track
    }
    snapshot.monotonicNow = MonotonicTime(microseconds: now)
    snapshot.now = SampleRun.start.advanced(byMicroseconds: now)
  }

  @Test("a frame from kept tiles is the one that is drawn without them, whatever changes in between")
  func frames() {
    var generator = SeededGenerator(seed: 11)
    var snapshot = SampleRun(seconds: 60, rate: 30, targets: ["a", "b"]).snapshot
    var axis = LatencyAxis(kind: .logarithmic, lower: 20_000, upper: 2_000_000)
    var (kept, hasSpread, end, columns) = (TiledRaster(), false, Int64(120), 50)
    var statistics = StatisticsTiles()
    var (selected, selection) = (SelectedValues(), Selection(label: "none"))
    var earlier: TileSources?
    for step in 0..<200 {
      var what = "\(step): "
      switch Int.random(in: 0..<9, using: &generator) {
      case 0, 1, 2:
        what += "the run goes on"
        Self.goOn(&snapshot, by: .random(in: 0.05...2, using: &generator), &generator)
      case 3:
        what += "the window moves"
        end += Int64.random(in: -30...30, using: &generator)
      case 4:
        what += "another axis"
        axis = LatencyAxis(
          kind: .logarithmic, lower: 20_000, upper: .random(in: 200_000...4_000_000, using: &generator))
      case 5:
        what += "another width"
        columns = .random(in: 3...90, using: &generator)
      case 6:
        what += "the oldest are summed up"
        let hidden = Self.window(end - Int64.random(in: 0...60, using: &generator)).start
        for place in snapshot.tracks.indices { snapshot.tracks[place].hiddenBefore = hidden }
      case 7:
        what += "only time passes"
        snapshot.monotonicNow = snapshot.monotonicNow.map { $0 + .milliseconds(300) }
      default:
        what += "percentiles or dots"
        hasSpread.toggle()
      }
      let window = Self.window(end, columns: columns)
      let sources = Self.sources(snapshot, window, after: earlier)
      earlier = sources
      Self.plot(&kept, sources, snapshot, axis, hasSpread: hasSpread)
      Self.expectSame(kept.whole, Self.direct(snapshot, window, axis, hasSpread: hasSpread), what)
      var fresh = TiledRaster()
      Self.plot(&fresh, Self.sources(snapshot, window), snapshot, axis, hasSpread: hasSpread)
      #expect(kept.whole.rowCounts == fresh.whole.rowCounts && kept.whole.sums == fresh.whole.sums, "\(what)")
      Self.expectStatistics(&statistics, sources, snapshot, what)
      if step % 25 == 0 {
        selection = Selection(
          in: snapshot, window: window, targets: [0, 1], metric: .delivery, from: 0, to: 900_000)
      }
      let values = selected.parts(of: selection, in: snapshot, sources, metric: .delivery).joined()
      let plain = selection.values(in: snapshot, window: window, targets: [0, 1], metric: .delivery)
      #expect(values.sorted() == plain.sorted(), "\(what)")
    }
  }

  /// Compares with a plain pass over all points.
  private static func expectStatistics(
    _ tiles: inout StatisticsTiles, _ sources: TileSources, _ snapshot: Snapshot, _ step: String
  ) {
    let window = sources.window
    let facts = WindowStatistics(
      sources, of: snapshot, targets: [0, 1], metric: .delivery, includesPending: true, &tiles)
    var counts = StateCounts()
    var (values, oldest): ([Int64], Int64?) = ([], nil)
    for track in snapshot.tracks {
      for place in track.range(from: window.start, to: window.end) {
        counts.add(track[place])
        if let value = track[place].value(of: .delivery) {
          values.append(value)
        } else if track[place].state == .inFlight {
          oldest = max(
            oldest ?? .min, (snapshot.monotonicNow ?? .zero).microseconds - track[place].plannedMonotonic)
        }
      }
    }
    #expect(facts.counts == counts && facts.values.sorted() == values.sorted(), "\(step)")
    #expect(facts.largest == [values.max(), oldest].compactMap { $0 }.max(), "\(step)")
    #expect(values.isEmpty || facts.smallest == values.min(), "\(step)")
  }

  @Test("sums reach over the edges of tiles, and change with what was read")
  func sums() {
    let all = SampleRun(seconds: 110, rate: 30, phase: .silent(since: SampleRun.start)).snapshot
    let axis = LatencyAxis(kind: .logarithmic, lower: 20_000, upper: 2_000_000)
    var kept = TiledRaster()
    for (end, seconds) in [(200, 60), (200, 75), (193, 75), (150, 75), (150, 20), (200, 90)]
      as [(Int64, Int64)]
    {
      let window = Self.window(end)
      let snapshot = DensityTests.summed(
        all, until: SampleRun.start.advanced(byMicroseconds: seconds * 1_000_000), in: window)
      Self.plot(&kept, Self.sources(snapshot, window), snapshot, axis, hasSpread: true)
      Self.expectSame(
        kept.whole, Self.direct(snapshot, window, axis, hasSpread: true), "until \(seconds) s, \(end)")
    }
  }

  @Test("only tiles whose notifications have changed are made again")
  func economy() {
    var snapshot = Snapshot()
    snapshot.tracks = [PointTrackTests.track(1...20_000)]
    let scale = TimeScale(columnAtLeast: .milliseconds(100))
    let window = TimeWindow(scale: scale, firstColumn: 0, columns: 240)
    var cache = TileCache<Int, Int>()
    func made(_ key: Int = 0, in window: TimeWindow) -> [Int64] {
      var made: [Int64] = []
      cache.prepare(key, for: window.tiles)
      let sources = TileSources(snapshot, targets: [0], window: window)
      for (place, number) in sources.numbers.enumerated() {
        _ = cache.update(place, of: sources) { _ in
          made.append(number)
          return 0
        }
      }
      return made
    }
    // A point a millisecond: a tile has 800 of them, the run 25.
    #expect(made(in: window) == Array(0..<30) && made(in: window).isEmpty)
    snapshot.tracks[0].append(PointTrackTests.point(20_001))
    #expect(made(in: window) == [24, 25])
    _ = snapshot.tracks[0].update(sequence: 4_000, to: PointTrackTests.point(4_000, state: .late))
    let changed = made(in: window)
    #expect(changed.contains(4_000 / 800) && changed.count <= 2)
    #expect(made(in: window.moved(byColumns: 8)) == [30] && made(in: window).isEmpty)
    snapshot.tracks[0].hiddenBefore = WallTime(seconds: 1)
    #expect(made(in: window) == [0, 1])
    #expect(made(1, in: window).count == 30)
  }
}
