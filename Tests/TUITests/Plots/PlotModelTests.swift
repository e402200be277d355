import ConstraintAnimation
import Findings
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("What plots are made of")
struct PlotModelTests {
  @Test("the mean line follows the values, spikes off the scale included")
  func mean() throws {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 40_000)
    // Nine of 10 ms and one of 110 ms make 20 ms, half the height; the median stays at a quarter.
    let points = (0..<500).map {
      RasterTests.point(at: Int64($0) * 10_000, delivery: $0 % 10 == 9 ? 110_000 : 10_000)
    }
    let raster = RasterTests.raster(points, axis: axis)
    let phase = raster.medianPhase(of: RasterTests.window())
    let lookup = RowLookup(axis: axis, rows: raster.dotRows)
    #expect(
      RunningLine.mean(of: raster, phase: phase, lookup: lookup).rows.allSatisfy { $0 == 20 })
    #expect(RunningLine.median(of: raster, phase: phase).rows.allSatisfy { $0 == 10 })
  }

  @Test("two metrics in one raster are averaged apart")
  func lanes() {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 40_000)
    let lookup = RowLookup(axis: axis, rows: 40)
    var raster = DotRaster(encoding: .braille)
    raster.reset(columns: 50, rows: 10, encoding: .braille, lanes: 2)
    let points = (0..<500).map { RasterTests.point(at: Int64($0) * 10_000, accept: 5_000, delivery: 30_000) }
    for (lane, metric) in [Metric.delivery, .accept].enumerated() {
      let projection = DotRaster.Projection(
        window: RasterTests.window(), lookup: lookup, metric: metric, codes: MarkCodes(target: lane),
        pendingUntil: nil, dotColumns: 2, lane: lane)
      _ = points.withUnsafeBufferPointer { raster.plot($0, projection) }
    }
    let phase = raster.medianPhase(of: RasterTests.window())
    #expect(RunningLine.median(of: raster, phase: phase, lane: 0).rows.allSatisfy { $0 == 30 })
    #expect(RunningLine.median(of: raster, phase: phase, lane: 1).rows.allSatisfy { $0 == 5 })
    #expect(RunningLine.mean(of: raster, phase: phase, lane: 1, lookup: lookup).rows.allSatisfy { $0 == 5 })
  }

  @Test(
    "each pattern of octants has a character of its own, one column wide; older blocks are used where they fit"
  )
  func octants() {
    let octants = DotEncoding.octants
    let glyphs = (0..<256).map { octants.glyph(for: UInt8($0)) }
    #expect(Set(glyphs).count == 256)
    // The names of Unicode's list: OCTANT-3 is the first, OCTANT-2345678 the last.
    #expect(octants.glyph(for: 0b0000_0100) == 0x1CD00)
    #expect(octants.glyph(for: 0b1111_1110) == 0x1CDE5)
    #expect(octants.glyph(for: 0b0000_1001) == 0x1CD04)
    #expect(octants.glyph(for: 0b0000_1111) == 0x2580 && octants.glyph(for: 0b0101_0101) == 0x258C)
    #expect(octants.glyph(for: 255) == 0x2588 && octants.glyph(for: 0) == 0x20)
    #expect(glyphs.filter { (0x1CD00...0x1CDE5).contains($0) }.count == 230)
    for glyph in glyphs {
      #expect(Unicode.Scalar(glyph).map { CharacterWidth.columns(of: $0) } == 1)
    }
  }

  @Test("part of an axis becomes a range, never empty and never below nothing")
  func ranges() {
    let log = LatencyAxis(kind: .logarithmic, lower: 1_000, upper: 1_000_000)
    #expect(log.range(from: 0, to: 1) == .fixed(lower: 1_000, upper: 1_000_000))
    #expect(log.range(from: 1.0 / 3, to: 2.0 / 3) == .fixed(lower: 10_000, upper: 100_000))
    #expect(log.range(from: 0.5, to: 0.5) == .fixed(lower: 31_613, upper: 31_633))
    let linear = LatencyAxis(kind: .linear, lower: 0, upper: 1_000)
    #expect(linear.range(from: -0.25, to: 0.75) == .fixed(lower: 0, upper: 1_000))
    #expect(linear.range(from: 0.25, to: 0.75) == .fixed(lower: 250, upper: 750))
    #expect(linear.range(from: 0.5, to: 1e12) == .fixed(lower: 500, upper: 86_400_000_000))
    for kind in [LatencyAxis.Kind.linear, .logarithmic] {
      var axis = LatencyAxis(kind: kind, lower: 3, upper: 900_000)
      for _ in 0..<60 {
        guard case .fixed(let lower, let upper) = axis.range(from: 0.4, to: 0.6) else { return }
        #expect(lower >= 0 && upper >= lower + 20)
        axis = LatencyAxis(kind: kind, lower: lower, upper: upper)
      }
    }
    #expect([1, 2, 5, 1_000, 250_000].map(LatencyAxis.niceBelow) == [1, 1, 2, 500, 200_000])
    #expect([1, 2, 5, 1_000, 250_000].map(LatencyAxis.niceAbove) == [2, 5, 10, 2_000, 500_000])
  }

  @Test("buckets of seconds begin at nothing, and become wider only when there would be too many")
  func seconds() {
    let values: [Int64] = [1, 999_999, 1_000_000, 1_700_000, 7_200_000]
    let buckets = HistogramBuckets(
      secondsUpTo: 7_200_000, columns: 80, now: HistogramBuckets.Values(values),
      before: HistogramBuckets.Values([]))
    #expect(buckets.now == [2, 2, 0, 0, 0, 0, 0, 1] && buckets.span == 1_000_000)
    #expect(buckets.width == 10 && buckets.columns == 80)
    #expect(buckets.bucket(at: 0) == 0 && buckets.bucket(at: 9) == nil && buckets.bucket(at: 10) == 1)
    #expect(buckets.bucket(at: 80) == nil)
    #expect(buckets.bounds(of: 1) == (1_000_000, 2_000_000))
    let crowded = HistogramBuckets(
      secondsUpTo: 300_000_000, columns: 80, now: HistogramBuckets.Values([299_999_999]),
      before: HistogramBuckets.Values([]))
    #expect(crowded.span == 5_000_000 && crowded.now.count == 61)
    #expect(crowded.now.reduce(0, +) == 1)
  }

  @Test("a bucket's bounds hold the values it counted, and no others", arguments: [30, 97, 160])
  func bounds(columns: Int) {
    var generator = SeededGenerator(seed: 11)
    let values = (0..<900).map { _ in Int64.random(in: 300...40_000_000, using: &generator) }
    let axis = LatencyAxis.fitting(kind: .logarithmic, smallest: values.min(), largest: values.max())
    let buckets = HistogramBuckets(
      axis: axis, columns: columns, now: HistogramBuckets.Values(values), before: HistogramBuckets.Values([]))
    for bucket in buckets.now.indices {
      let (from, to) = buckets.bounds(of: bucket)
      #expect(values.filter { $0 >= from && $0 < to }.count == buckets.now[bucket])
    }
  }

  @Test("a percentile's interval stands around it, or not at all")
  func percentiles() throws {
    let values = (1...1_000).map { Int64($0) * 1_000 }
    func summary(_ values: [Int64]) -> WindowSummary {
      WindowSummary(metric: .delivery, count: values.count, isExact: true) { quantile in
        let exact = ExactQuantiles(values)
        return exact.value(quantile).map {
          QuantileInterval(independent: exact.estimate(quantile), value: $0, count: values.count)
        }
      }
    }
    let few = summary([1, 2])
    let summary = summary(values)
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 1_000_000)
    let mark = try #require(PercentileMark(summary, .p50, axis, columns: 100))
    #expect(mark.low < mark.column && mark.column < mark.high && (48...51).contains(mark.column))
    #expect(PercentileMark(few, .p99, axis, columns: 100) == nil)
    let narrow = LatencyAxis(kind: .linear, lower: 499_000, upper: 502_000)
    let cut = try #require(PercentileMark(summary, .p50, narrow, columns: 50))
    #expect(cut.low == 0 && cut.high == 49)
  }

  @Test("a threshold knows its share")
  func threshold() {
    func figures(_ values: [Int64?]) -> ThresholdFigures? {
      var snapshot = SampleRun(seconds: 0).snapshot
      for value in values {
        snapshot.tracks[0].append(
          SamplePoint(
            plannedAt: SampleRun.start, plannedMonotonic: 0, scheduleLag: 0, acceptLatency: 1,
            deliveryLatency: value, state: value == nil ? .lost : .delivered, deliveryError: 0))
      }
      let window = SampleRun.start..<SampleRun.start.advanced(byMicroseconds: 1_000_000)
      return PlaceFigures(FigurePoints(snapshot, window: window, targets: [0]), threshold: 10)
        .beyond(10, of: .delivery)
    }
    #expect(figures([1, 10, 11, 12, nil])?.share == "40.0 %")
    #expect(figures([1, 10, 11, 12, nil])?.interval.contains(" to ") == true)
    #expect(figures([])?.share ?? "" == "")
  }

  @Test("two metrics stand side by side where there is room, with one stretch of time")
  func panes() {
    let wide = ScatterPanes(
      width: 121, height: 20, metrics: [.delivery, .accept], arrangement: .sideBySide)
    #expect(wide.panes.map(\.metrics) == [[.accept], [.delivery]])
    #expect(wide.panes.map(\.x) == [0, 61] && wide.panes.allSatisfy { $0.geometry.columns == wide.columns })
    #expect(wide.panes.allSatisfy { $0.geometry.width == 60 }, "a column between them is for a line")
    #expect(wide.pane(at: 59).x == 0 && wide.pane(at: 60).x == 0 && wide.pane(at: 61).x == 61)
    let least = ScatterPanes(
      width: 2 * ScatterPanes.leastWidth, height: 20, metrics: [.delivery, .accept], arrangement: .sideBySide)
    #expect(least.panes.count == 1, "the line needs a column too")
    let narrow = ScatterPanes(width: 80, height: 20, metrics: [.delivery, .accept], arrangement: .sideBySide)
    #expect(narrow.panes.map(\.metrics) == [[.delivery, .accept]])
  }

  @Test("the keys of the plot change the picture and come round")
  func keys() throws {
    for (key, turns) in [("d", 3), ("a", 4), ("u", 2), ("y", 3), ("T", 2)] as [(Character, Int)] {
      var stage = try Stage(snapshot: SampleRun(seconds: 300, rate: 8, targets: ["a", "b"]).snapshot)
      let before = stage.screen.state
      for turn in 1...turns {
        stage.press(key)
        #expect((stage.screen.state == before) == (turn == turns), "\(key) \(turn)")
      }
    }
  }

  @Test("latency is zoomed and moved by keys, and y gives all of it back")
  func latencyKeys() throws {
    var stage = try Stage()
    let whole = try #require(stage.scene?.axis)
    stage.press("]")
    let half = try #require(stage.scene?.axis)
    #expect(half.lower > whole.lower && half.upper < whole.upper)
    stage.press(.up, .shift)
    let moved = try #require(stage.scene?.axis)
    #expect(moved.lower > half.lower && moved.upper > half.upper)
    stage.frame()
    #expect(stage.rows.contains { $0.contains("▴") && $0.contains("│") } || stage.text.contains("▾"))
    stage.press("y")
    #expect(stage.scene?.axis == whole)
  }
}
