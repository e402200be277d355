import ConstraintAnimation
import Measurement
import Store
import StoreTestKit
import Terminal
import TestKit
import Testing

@testable import TUI

@Suite("What is seen at a glance")
struct SeeingTests {
  @Test("a column in which all is lost has full height, and nothing else has")
  func losses() throws {
    let stage = try Stage(snapshot: SampleRun.outage().snapshot)
    let band = DensityTests.band(stage)
    let full = stage.geometry.bandRows * 8
    let content = try #require(stage.screen.context.content)
    func column(_ second: Int64) -> Int {
      content.window.column(of: SampleRun.start.advanced(byMicroseconds: second * 1_000_000))
    }
    // The outage begins before the window.
    let outage = column(58)..<column(65)
    #expect(outage.allSatisfy { band.indices.contains($0) && band[$0] == full })
    let whole = band.indices.filter { band[$0] == full }
    #expect(whole.allSatisfy { $0 < column(65) + 1 }, "\(band)")
    #expect(band.contains { $0 > 0 && $0 < full })
    #expect(stage.text.contains("never") && stage.text.contains("arrived"))
    let ascii = try Stage(profile: .ascii, snapshot: SampleRun.outage().snapshot)
    let row = ascii.rows[ascii.screen.context.plotFrame.y0 + ascii.geometry.lossRow]
    #expect(row.contains("xxxx"))
  }

  @Test("averages do not cross a stretch in which nothing came")
  func gaps() throws {
    #expect(
      RunningLine.gaps([5, 4, 0, 0, 0, 0, 6, 5]) == [false, false, true, true, true, true, false, false])
    #expect(RunningLine.gaps([0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]) == Array(repeating: false, count: 11))
    #expect(RunningLine.gaps([0, 0]) == [false, false])
    let slice: ArraySlice<UInt32> = [9, 9, 9, 0, 0, 0, 9][2...]
    #expect(RunningLine.gaps(slice) == [false, true, true, true, false])
    let stage = try Stage(snapshot: SampleRun.outage().snapshot)
    let content = try #require(stage.screen.context.content)
    let frame = stage.screen.context.plotFrame
    let column = content.window.column(of: SampleRun.start.advanced(byMicroseconds: 61_000_000))
    for y in stage.geometry.firstRow..<stage.geometry.axisRow {
      let cell = stage.buffer[frame.x0 + ScatterGeometry.gutter + column, frame.y0 + y]
      #expect(cell.text == " " || cell.text == "┈", "\(cell.text)")
    }
  }

  @Test("each theme's ramp has at least six steps, each as far from the next")
  func ramps() {
    for theme in Theme.all {
      #expect(theme.paletteSteps.count == theme.targets.count)
      for (ramp, paletteSteps) in zip(theme.targets, theme.paletteSteps) {
        for steps in [ramp.steps, paletteSteps] {
          let colors = steps.colors.map { PerceptualColor($0) }
          #expect(colors.count >= 6 && Set(steps.colors).count == colors.count)
          let distances = zip(colors, colors.dropFirst()).map { $0.distance(to: $1) }
          let mean = distances.reduce(0, +) / Double(distances.count)
          #expect(distances.allSatisfy { $0 > mean / 2 && $0 < mean * 1.6 }, "\(theme.name) \(distances)")
          let rises = zip(colors, colors.dropFirst()).map { $0.lightness < $1.lightness }
          #expect(Set(rises).count == 1, "\(theme.name): brightness goes one way")
        }
        for color in paletteSteps.colors {
          guard case .indexed(let index) = ColorProfile.ansi256.shown(color) else {
            Issue.record("\(color) is not in the palette")
            continue
          }
          #expect(index >= 16)
        }
      }
    }
    let color = Color(94, 214, 219)
    #expect(PerceptualColor(color).color == color)
  }

  @Test("with 256 colors no two hues look alike, at no step", arguments: Theme.all)
  func hues(_ theme: Theme) {
    let ramps = theme.paletteSteps.map { $0.colors.map { PerceptualColor($0) } }
    for (place, ramp) in ramps.enumerated() {
      for other in ramps[..<place] {
        let distances = zip(ramp, other).map { $0.distance(to: $1) }
        #expect(distances.allSatisfy { $0 >= 0.05 }, "\(theme.name) \(distances)")
      }
    }
    let all = theme.paletteSteps.flatMap(\.colors)
    #expect(Set(all).count == all.count)
    // Ramps that are alike are one: the second target has a sign.
    let ramp = theme.targets[0]
    #expect(
      DensitySteps.ofPalette(Array(repeating: (sparse: ramp.sparse, dense: ramp.dense), count: 40)).count < 40
    )
  }

  @Test("a cell of two targets has a color between theirs, by their shares")
  func mixing() throws {
    let appearance = Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)
    let (one, other) = (appearance.target(0).foreground, appearance.target(1).foreground)
    let half = appearance.mixture(of: 0, with: 1, quarters: 2, level: Appearance.levels / 2).foreground
    #expect(half != one && half != other)
    #expect(appearance.mixture(of: 0, with: 1, quarters: 0, level: Appearance.levels / 2).foreground == one)
    let stage = try Stage(snapshot: SampleRun(rate: 40, targets: ["a", "b", "c"]).snapshot)
    let plot = stage.plot
    var found: Set<Color> = []
    for y in 0..<plot.rows {
      for x in 0..<plot.columns { plot[x, y].style.foreground.map { _ = found.insert($0) } }
    }
    let mixed = (0..<Appearance.levels).map {
      appearance.mixture(of: 0, with: 1, quarters: 2, level: $0).foreground
    }
    #expect(mixed.contains { $0.map(found.contains) ?? false })
  }

  @Test("no two targets look alike, in color or in glyph", arguments: Profile.allCases, [5, 9, 16, 20])
  func manyTargets(profile: Profile, count: Int) throws {
    for theme in Theme.all {
      let appearance = Appearance(theme: theme, colors: profile.colors, glyphs: profile.glyphs)
      let looks = (0..<count).map {
        "\(appearance.targetSign($0)) \(String(describing: appearance.target($0).foreground))"
      }
      #expect(Set(looks).count == count, "\(theme.name) \(looks)")
    }
    let snapshot = SampleRun(targets: (1...count).map { "t\($0)" }).snapshot
    let stage = try Stage(columns: 240, rows: 40, profile: profile, snapshot: snapshot)
    let appearance = stage.screen.appearance
    for target in 0..<min(count, 12) {
      #expect(stage.rows[0].contains("\(appearance.targetSign(target)) t\(target + 1)"), "\(stage.rows[0])")
    }
    // What the plot draws of each target by itself is what the legend says.
    for target in 0..<count {
      var alone = stage.screen.state
      alone.target = target
      let picture = try Self.marks(of: alone, snapshot, profile)
      let own = appearance.targetGlyph(target)
      #expect(own.map(picture.glyphs.contains) ?? true, "target \(target)")
      let others = (0..<count).filter { $0 != target }.compactMap { appearance.targetGlyph($0) }
      #expect(picture.glyphs.isDisjoint(with: Set(others)), "target \(target)")
    }
  }

  /// The glyphs of good marks in a plot of one target.
  private static func marks(of state: ViewState, _ snapshot: Snapshot, _ profile: Profile) throws
    -> (glyphs: Set<UInt32>, count: Int)
  {
    var kept = PaneCache()
    let appearance = Appearance(theme: .dark, colors: profile.colors, glyphs: profile.glyphs)
    let content = PlotContent(
      snapshot: snapshot, state: state, columns: 91, previous: nil, at: .zero)
    let panes = ScatterPanes(width: 100, height: 20, metrics: [.delivery], arrangement: .single)
    let scene = PlotScene(
      snapshot: snapshot, content: content, beside: nil, state: state, panes: panes, calendar: nil,
      hasPointer: false, appearance: appearance, zone: .utc)
    _ = scene.model(of: 0).redraw(&kept)
    var picture = CellPicture(width: 100, height: 20)
    DotMarks(raster: kept.tiles.whole, geometry: panes.panes[0].geometry, appearance: appearance).draw(
      &picture, columns: 0..<panes.columns)
    let glyphs = Set(picture.glyphs.filter { $0 != 0x20 })
    return (glyphs, glyphs.count)
  }

  @Test("percentiles come by themselves where a column holds too many, and by key")
  func bands() throws {
    var few = try Stage(snapshot: SampleRun().snapshot)
    #expect(few.scene?.model(of: 0).marks == .dots)
    few.press("B")
    #expect(few.scene?.model(of: 0).marks == .bands)
    few.press("B")
    few.press("B")
    #expect(few.scene?.state.plot.view == .automatic)
    var snapshot = SampleRun().snapshot
    snapshot.targets[0].askedRate = 5_000
    let many = try Stage(snapshot: snapshot)
    #expect(many.scene?.model(of: 0).marks == .bands && many.rows[1].contains("percentiles"))
  }

  @Test("the lines of percentiles are where the percentiles are")
  func bandRows() throws {
    var raster = DotRaster(encoding: .braille)
    raster.reset(columns: 4, rows: 10, encoding: .braille, hasSpread: true)
    let window = TimeWindow(
      scale: TimeScale(columnAtLeast: .milliseconds(100)), firstColumn: 17_000, columns: 4)
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 4_000_000)
    let points = (0..<100).map { RasterTests.point(at: 50_000, delivery: Int64($0) * 40_000 + 1) }
    let projection = DotRaster.Projection(
      window: window, lookup: RowLookup(axis: axis, rows: raster.dotRows), metric: .delivery,
      codes: MarkCodes(target: 0), pendingUntil: nil, dotColumns: 2)
    _ = points.withUnsafeBufferPointer { raster.plot($0, projection) }
    var picture = CellPicture(width: 13, height: 14)
    let appearance = Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)
    PercentileBands(
      raster: raster, place: 0, geometry: ScatterGeometry(width: 13, height: 14), appearance: appearance
    ).draw(&picture, columns: 0..<raster.columns)
    let first = ScatterGeometry(width: 13, height: 14).firstRow
    // 40 rows of dots for 4 s: the median is at row 19 of 40 from below, p90 at 35, p99 at 39.
    let lines = (0..<10).filter { picture.glyph(x: 9, y: first + $0) != 0x20 }
    #expect(lines == [0, 1, 5])
    #expect((1...5).allSatisfy { picture.background(x: 9, y: first + $0) != nil })
    #expect(picture.background(x: 9, y: first + 7) == nil && picture.glyph(x: 10, y: first) == 0x20)
  }

  @Test("H goes through the heat maps and back; hours are asked for while they are shown")
  func heatMaps() throws {
    var stage = try Stage()
    let before = stage.screen.state.plot
    #expect(stage.screen.order.calendar == nil)
    stage.press("H")
    let order = try #require(stage.screen.order.calendar)
    stage.frame()
    #expect(stage.rows[1].contains("hour of day × day") && stage.text.contains("reading"))
    let run = try #require(stage.screen.context.shown.run?.id)
    stage.screen.show(SampleRun.calendar(order, of: run), at: stage.screen.window.time)
    stage.frame()
    #expect(stage.rows[1].contains("120 ms") && stage.text.contains("06-13") && stage.text.contains("12:00"))
    stage.press("H")
    stage.frame()
    #expect(stage.rows[1].contains("minute × latency") && stage.screen.order.calendar == nil)
    stage.press("H")
    #expect(stage.screen.state.plot == before)
  }

  @Test("hours are read from the store's sums, with what was lost in them")
  func calendar() throws {
    let fixture = try RecordedStore()
    try fixture.begin(rate: 1)
    var sequence: Int64 = 0
    for hour in 0..<3 {
      var batch = (0..<60).map { minute -> Sample in
        sequence += 1
        return fixture.delivered(
          sequence, at: Int64(hour * 60 + minute) * 60_000, after: 100_000 * Int64(hour + 1))
      }
      (batch[3].state, batch[3].deliveryLatency) = (.lost, nil)
      fixture.clock.advance(by: .seconds(3_600))
      try fixture.commit(inserted: batch)
    }
    fixture.clock.advance(by: .seconds(600))
    let store = try #require(fixture.collector)
    while try store.rollUp() {}
    var source = SnapshotSource(
      place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID)
    _ = source.poll(nil)
    let order = CalendarOrder(targets: [0], metric: .delivery)
    let read = source.calendar(order)
    let figures = try #require(read)
    // The run begins at two past the hour.
    #expect(figures.hours.count == 4 && figures.hours.reduce(0) { $0 + $1.counts.planned } == 180)
    #expect(figures.hours.reduce(0) { $0 + $1.counts[.lost] } == 3)
    let p90 = try #require(figures.hours[0].p90)
    #expect(abs(p90 - 100_000) <= 100)
    #expect(source.calendar(order) == nil && source.calendar(nil) == nil)
  }

  @Test("a pane for each target where there is room, on one scale, with its own figures")
  func multiples() throws {
    var stage = try Stage(
      columns: 200, rows: 60, snapshot: SampleRun(targets: ["one", "two", "three", "four", "five"]).snapshot)
    stage.press("M")
    stage.frame()
    let scene = try #require(stage.scene)
    #expect(scene.panes.panes.map(\.target) == [0, 1, 2, 3, 4])
    let axes = scene.panes.panes.indices.map { scene.axis(of: $0) }
    #expect(Set(axes).count == 1)
    for (number, name) in ["one", "two", "three", "four", "five"].enumerated() {
      let row = stage.rows[stage.screen.context.plotFrame.y0 + scene.panes.panes[number].y]
      #expect(row.contains(name) && row.contains(" %"), "\(row)")
    }
    // No two panes overlap, and a click finds the pane it is in.
    for (number, pane) in scene.panes.panes.enumerated() {
      #expect(scene.panes.number(atX: pane.x + 12, y: pane.y + 4) == number)
      #expect(scene.hitTester(of: number)?.targets == [number])
    }
    let last = scene.panes.panes[4]
    let frame = stage.screen.context.plotFrame
    stage.mouse(.mouseMove, x: frame.x0 + last.x + 20, y: frame.y0 + last.y + 5)
    #expect(stage.screen.state.plot.crosshair == PlotPosition(pane: 4, column: 11, y: 5))
    stage.press("M")
    stage.frame()
    #expect(stage.scene?.panes.panes.count == 1)
    var small = try Stage(columns: 60, rows: 16, snapshot: SampleRun(targets: ["a", "b"]).snapshot)
    small.press("M")
    small.frame()
    #expect(small.scene?.panes.panes.count == 1 && small.rows[15].contains("no room"))
  }

  @Test("the title has planned and delivered at every width", arguments: [60, 70, 80, 100, 120, 200])
  func planned(columns: Int) throws {
    let stage = try Stage(columns: columns, rows: 24)
    let counts = try #require(stage.screen.context.content).facts.counts
    let words = ["planned \(counts.due) · ", " % delivered"]
    for word in words { #expect(stage.rows[1].contains(word), "\(stage.rows[1])") }
    var snapshot = SampleRun().snapshot
    snapshot.targets[0].expectsReceipts = false
    #expect(try Stage(columns: columns, rows: 24, snapshot: snapshot).rows[1].contains(" % accepted"))
  }

  @Test("a wider terminal shows more time at the same scale, and an ended run all of it")
  func space() throws {
    func window(_ columns: Int, _ snapshot: Snapshot) -> TimeWindow {
      ViewState().window(in: snapshot, columns: columns)
    }
    let live = SampleRun(seconds: 900).snapshot
    #expect(
      window(109, live).scale == window(189, live).scale && window(51, live).scale == window(380, live).scale)
    #expect(window(189, live).duration > window(109, live).duration)
    let margin = window(109, live).columns - window(109, live).column(of: live.edge)
    #expect(margin > 0 && margin <= ViewState.step + 1)
    let end = SampleRun.start.advanced(byMicroseconds: 900_000_000)
    for rate in [4.0, 400.0] {
      var ended = SampleRun(seconds: 900, phase: .ended(at: end, reason: "completed")).snapshot
      ended.targets[0].askedRate = rate
      let fitted = window(109, ended)
      #expect(fitted.start <= SampleRun.start && fitted.end >= end)
      #expect(fitted.scale.finer.columnDuration * 109 < .seconds(905))
    }
    var state = ViewState()
    for _ in 0..<40 { state.zoom(in: false, about: 0.5, in: live, columns: 109) }
    let widest = state.window(in: live, columns: 109)
    #expect(widest.duration >= .seconds(900))
    #expect(widest.scale.finer.columnDuration * 108 <= .seconds(900) + .microseconds(1))
  }

  @Test("labels of a logarithmic axis are 1-2-5 where rows allow, and dates come with a new day")
  func labels() throws {
    let tall = try Stage(columns: 120, rows: 50)
    for label in ["100 ms", "200 ms", "500 ms", "1 s", "2 s"] {
      #expect(tall.text.contains(" \(label)"), "\(label)")
    }
    let start = WallTime(microseconds: 1_750_031_000_000_000)
    let window = TimeWindow(around: start, at: 0, scale: TimeScale(columnAtLeast: .minutes(1)), columns: 100)
    var picture = CellPicture(width: 109, height: 20)
    TimeAxisModel(
      marks: [], window: window, geometry: ScatterGeometry(width: 109, height: 20),
      appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille), zone: .utc
    ).draw(&picture)
    let row = String(
      String.UnicodeScalarView((0..<109).compactMap { Unicode.Scalar(picture.glyph(x: $0, y: 19)) }))
    #expect(row.contains("Jun 16") && row.contains("00:30"), "\(row)")
  }

  @Test("the names of the running averages and a label of the time axis never overlap")
  func averageLegend() throws {
    func rows(_ start: Int64, reserved: Int) -> [String] {
      var picture = CellPicture(width: 109, height: 20)
      TimeAxisModel(
        marks: [],
        window: TimeWindow(
          around: WallTime(microseconds: 1_750_031_000_000_000 + start * 1_000_000), at: 0,
          scale: TimeScale(columnAtLeast: .minutes(1)), columns: 100),
        geometry: ScatterGeometry(width: 109, height: 20),
        appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille), zone: .utc,
        reservedColumns: reserved
      ).draw(&picture)
      return (18..<20).map { y in
        String(String.UnicodeScalarView((0..<109).compactMap { Unicode.Scalar(picture.glyph(x: $0, y: y)) }))
      }
    }
    var isCrowded = false
    for minutes in 0..<40 {
      let (all, kept) = (rows(Int64(minutes) * 60, reserved: 0), rows(Int64(minutes) * 60, reserved: 8))
      isCrowded = isCrowded || all[1].prefix(9).contains { $0.isNumber }
      let isClear = !kept[1].prefix(9).contains { $0.isNumber }
      #expect(isClear, "\(kept[1])")
      #expect(kept[0] == all[0], "ticks stay")
      let rest = String(kept[1].drop { !$0.isNumber })
      #expect(all[1].hasSuffix(rest), "labels that do not reach there stay")
    }
    #expect(isCrowded)
    let isSeen = try Stage().rows.contains { $0.contains("med╌avg ") }
    #expect(isSeen)
  }

  @Test("a frame in which all of the plot moves is at most 40 KB at 200×60", arguments: ["", "B", "HH", "M"])
  func bytes(keys: String) throws {
    var stage = try Stage(
      columns: 200, rows: 60,
      snapshot: SampleRun(seconds: 120, rate: 44, targets: ["apns", "fcm", "web", "ntfy", "loopback"])
        .snapshot)
    let writer = DiffWriter(
      columns: 200, rows: 60, profile: OutputProfile(colors: .trueColor, synchronizesOutput: true))
    for key in keys { stage.press(key) }
    stage.frames(2)
    _ = writer.encode(stage.buffer)
    stage.press(.left)
    stage.frame()
    let bytes = writer.encode(stage.buffer).count
    #expect(bytes > 1_000 && bytes <= 40 * 1_024, "\(bytes)")
  }

  @Test("what is pointed at is said in the title row, and covers no data")
  func hover() throws {
    var stage = try Stage()
    stage.frame()
    let frame = stage.screen.context.plotFrame
    stage.press("i")
    stage.press(".")
    stage.frame()
    #expect(stage.rows[frame.y0].contains("#"), "\(stage.rows[frame.y0])")
    for y in frame.y0 + 1..<frame.y1 { #expect(!stage.rows[y].contains("#"), "\(stage.rows[y])") }
  }
}
