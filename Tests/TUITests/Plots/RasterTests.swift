import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("The raster of dots")
struct RasterTests {
  static func window(columns: Int = 50) -> TimeWindow {
    TimeWindow(scale: TimeScale(columnAtLeast: .milliseconds(100)), firstColumn: 17_000, columns: columns)
  }

  static func point(
    at offset: Int64, accept: Int64? = nil, delivery: Int64? = nil, state: NotificationState = .delivered
  ) -> SamplePoint {
    SamplePoint(
      plannedAt: WallTime(microseconds: window().start.microseconds + offset), plannedMonotonic: offset,
      scheduleLag: state == .missed ? nil : 10, acceptLatency: accept, deliveryLatency: delivery, state: state
    )
  }

  static func raster(
    _ points: [SamplePoint], axis: LatencyAxis, rows: Int = 10, repertoire: GlyphRepertoire = .braille,
    metric: Metric = .delivery, target: Int = 0, pendingUntil: MonotonicTime? = nil
  ) -> DotRaster {
    var raster = DotRaster(encoding: DotEncoding(repertoire))
    raster.reset(columns: 50, rows: rows, encoding: DotEncoding(repertoire))
    let projection = DotRaster.Projection(
      window: window(), lookup: RowLookup(axis: axis, rows: raster.dotRows), metric: metric,
      codes: MarkCodes(target: target), pendingUntil: pendingUntil, dotColumns: raster.encoding.columns)
    _ = points.withUnsafeBufferPointer { raster.plot($0, projection) }
    return raster
  }

  static func randomPoints(_ count: Int, seed: UInt64) -> [SamplePoint] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let state = NotificationState.allCases.randomElement(using: &generator) ?? .delivered
      return point(
        at: .random(in: -200_000..<5_200_000, using: &generator),
        accept: .random(in: 0..<3_000_000, using: &generator),
        delivery: .random(in: 0..<3_000_000, using: &generator), state: state)
    }
  }

  @Test("the row table agrees with the axis, on every kind, for every value")
  func lookup() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let lower =
        Int64.random(in: 0..<1_000_000, using: &generator) >> Int64.random(in: 0..<20, using: &generator)
      let span =
        Int64.random(in: 1..<4_000_000_000, using: &generator) >> Int64.random(in: 0..<32, using: &generator)
      for kind in [LatencyAxis.Kind.linear, .logarithmic] {
        let axis = LatencyAxis(kind: kind, lower: lower, upper: lower + max(1, span))
        let rows = Int.random(in: 1...240, using: &generator)
        let lookup = RowLookup(axis: axis, rows: rows)
        for _ in 0..<300 {
          let value = Int64.random(in: 0...(axis.upper + axis.upper / 4 + 2), using: &generator)
          let clamped = kind == .logarithmic ? max(1, value) : value
          let expected = clamped < axis.lower ? RowLookup.below : axis.row(of: value, rows: rows) ?? rows
          #expect(lookup.row(of: value) == expected, "\(axis) \(rows) \(value)")
        }
        #expect(lookup.row(of: axis.upper) == rows - 1)
        #expect(lookup.row(of: Int64.max) == rows)
      }
    }
  }

  @Test("the order of painting changes nothing")
  func order() {
    let axis = LatencyAxis(kind: .logarithmic, lower: 1_000, upper: 1_000_000)
    let points = Self.randomPoints(3_000, seed: 8)
    var generator = SeededGenerator(seed: 9)
    let once = Self.raster(points, axis: axis, pendingUntil: .zero + .seconds(6))
    for _ in 0..<5 {
      let again = Self.raster(
        points.shuffled(using: &generator), axis: axis, pendingUntil: .zero + .seconds(6))
      #expect(again.dots == once.dots && again.counts == once.counts && again.codes == once.codes)
      #expect(again.above == once.above && again.below == once.below && again.rowCounts == once.rowCounts)
    }
  }

  @Test("every point inside is counted once, and has its dot", arguments: GlyphRepertoire.allCases)
  func conservation(repertoire: GlyphRepertoire) {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 3_000_000)
    let points = Self.randomPoints(3_000, seed: 21).filter { MarkClass($0.state) != nil }
    let raster = Self.raster(points, axis: axis, repertoire: repertoire)
    let inside = points.filter { Self.window().contains(WallTime(microseconds: $0.plannedAt)) }
    #expect(raster.counts.reduce(0) { $0 + Int($1) } == inside.count)
    for (cell, count) in raster.counts.enumerated() {
      #expect((count == 0) == (raster.dots[cell] == 0))
      #expect((count == 0) == (raster.codes[cell] == 0))
      #expect(raster.dots[cell].nonzeroBitCount <= Int(count))
    }
  }

  @Test("dots stand where time and latency say, in every repertoire")
  func places() {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 4_000)
    // Column 3, second half of the cell; 2 500 of 4 000 µs is row 25 of 40 dots, 6 cells and 1 dot from below.
    let points = [Self.point(at: 350_000, delivery: 2_500)]
    let braille = Self.raster(points, axis: axis)
    let cell = (9 - 6) * 50 + 3
    #expect(braille.dots[cell] == 1 << 5)
    #expect(braille.encoding.glyph(for: braille.dots[cell]) == 0x2820)
    let half = Self.raster(points, axis: axis, repertoire: .halfBlocks)
    #expect(half.encoding.glyph(for: half.dots[cell]) == 0x2584)
    let block = Self.raster(points, axis: axis, repertoire: .blocks)
    #expect(block.encoding.glyph(for: block.dots[cell]) == 0x2597)
  }

  @Test("the worst class gives the color; among targets the first")
  func worst() {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 4_000)
    let points = [NotificationState.lost, .delivered, .late, .inFlight].map {
      Self.point(at: 5_000, delivery: 100, state: $0)
    }
    let raster = Self.raster(points, axis: axis)
    let code = raster.codes.compactMap { $0 == 0 ? nil : MarkCode(rawValue: $0) }
    #expect(code.map(\.markClass) == [.lost])
    #expect(MarkCode(.good, target: 0).rawValue > MarkCode(.good, target: 1).rawValue)
    #expect(MarkCode(.late, target: 63).rawValue > MarkCode(.good, target: 0).rawValue)
    #expect(MarkCode(.late, target: 3).target == 3 && MarkCode(.lost, target: 40).markClass == .lost)
  }

  @Test("what is off the scale is remembered at its edge, by column")
  func offScale() {
    let axis = LatencyAxis(kind: .linear, lower: 100, upper: 4_000)
    let raster = Self.raster(
      [Self.point(at: 250_000, delivery: 9_000), Self.point(at: 1_250_000, delivery: 20, state: .late)],
      axis: axis)
    #expect(raster.above.indices.filter { raster.above[$0] != 0 } == [2])
    #expect(raster.below.indices.filter { raster.below[$0] != 0 } == [12])
    #expect(raster.counts.allSatisfy { $0 == 0 })
  }

  @Test("pending ones stand at their age")
  func pending() {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 4_000_000)
    let point = Self.point(at: 1_000_000, state: .inFlight)
    #expect(Self.raster([point], axis: axis).counts.allSatisfy { $0 == 0 })
    let young = Self.raster([point], axis: axis, pendingUntil: .zero + .seconds(1))
    let old = Self.raster([point], axis: axis, pendingUntil: .zero + .seconds(4))
    #expect(young.counts.firstIndex(of: 1) == 9 * 50 + 10)
    #expect(old.counts.firstIndex(of: 1) == 2 * 50 + 10)
  }

  @Test("the median line runs through the middle of what is near")
  func median() throws {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 40_000)
    let points = (0..<500).map {
      Self.point(at: Int64($0) * 10_000, delivery: Int64($0 % 5) * 1_000 + 18_000)
    }
    let raster = Self.raster(points, axis: axis)
    let line = RunningLine.median(of: raster, phase: raster.medianPhase(of: Self.window()))
    #expect(line.rows.count == 100)
    #expect(line.rows.allSatisfy { $0 == 20 })
    #expect(RunningLine.median(of: Self.raster([], axis: axis), phase: 0).rows.allSatisfy { $0 == nil })
  }
}
