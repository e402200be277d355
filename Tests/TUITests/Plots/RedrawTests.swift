import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Frames that draw only what has changed")
struct RedrawTests {
  /// What two buffers show differently, for a message.
  private static func difference(_ one: CellBuffer, _ other: CellBuffer) -> String? {
    for y in 0..<one.rows {
      for x in 0..<one.columns where one[x, y] != other[x, y] {
        return
          "\(x), \(y): \(one[x, y].text) \(one[x, y].style) instead of \(other[x, y].text) \(other[x, y].style)"
      }
    }
    return nil
  }

  /// Draws the same on a screen that has drawn nothing before.
  private static func anew(_ stage: Stage) -> CellBuffer {
    let screen = stage.screen
    let scene = stage.scene
    let buffer = CellBuffer(columns: stage.buffer.columns, rows: stage.buffer.rows)
    guard let scene else { return buffer }
    let plot = screen.context.plotFrame
    var picture = CellPicture(width: plot.width, height: plot.height)
    var cache = PlotCache()
    _ = scene.redraw(&picture, &cache)
    buffer.fill(buffer.bounds, glyph: " ", style: .plain)
    picture.draw(on: buffer, x: plot.x0, y: plot.y0)
    return buffer
  }

  /// The cells of the plot, which nothing else is drawn over.
  private static func plot(_ stage: Stage) -> CellBuffer {
    let plot = stage.screen.context.plotFrame
    let buffer = CellBuffer(columns: stage.buffer.columns, rows: stage.buffer.rows)
    buffer.fill(buffer.bounds, glyph: " ", style: .plain)
    for y in plot.y0..<plot.y1 {
      for x in plot.x0..<plot.x1 {
        buffer.write(stage.buffer[x, y].text, x: x, y: y, style: stage.buffer[x, y].style)
      }
    }
    return buffer
  }

  @Test(
    "whatever happens, the plot looks as if it were drawn anew",
    arguments: [
      (GlyphRepertoire.braille, ColorProfile.trueColor), (.ascii, .monochrome), (.octants, .ansi256),
    ])
  func plots(_ glyphs: GlyphRepertoire, _ colors: ColorProfile) throws {
    var generator = SeededGenerator(seed: 17)
    var snapshot = SampleRun(seconds: 100, rate: 20, targets: ["a", "b"]).snapshot
    var stage = try Stage(columns: 120, rows: 44, colors: colors, glyphs: glyphs, snapshot: snapshot)
    let keys: [InputEvent.Key] = [
      .left, .left, .right, .character("+"), .character("-"), .character("0"), .character("M"),
      .character("v"),
      .character("H"), .character("t"), .character("c"), .escape, .up, .character("a"), .character("g"),
      .character("6"), .character("1"), .character("p"), .character(" "), .end, .character("i"),
      .character("B"), .character("B"), .character("H"), .character("z"), .character("J"), .character(","),
    ]
    var parts = 0
    for step in 0..<180 {
      var what = "\(step): "
      // Some keys lead to views in which all is drawn each time, or to lists over the plot.
      if step % 20 == 0 {
        stage = try Stage(columns: 120, rows: 44, colors: colors, glyphs: glyphs, snapshot: snapshot)
      }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<7:
        what += "the run goes on"
        TileTests.goOn(&snapshot, by: .random(in: 0.02...0.4, using: &generator), &generator)
        snapshot.number += 1
        stage.screen.show(snapshot, at: stage.clock.now)
      case 7:
        what += "time passes"
        snapshot.monotonicNow = snapshot.monotonicNow.map { $0 + .milliseconds(300) }
        snapshot.now = snapshot.now.advanced(byMicroseconds: 300_000)
        snapshot.number += 1
        stage.screen.show(snapshot, at: stage.clock.now)
      case 8:
        let plot = stage.screen.context.plotFrame
        let (x, y) = (
          Int.random(in: plot.x0 + 8..<plot.x1 - 8, using: &generator),
          Int.random(in: plot.y0 + 3..<plot.y1 - 6, using: &generator)
        )
        if Bool.random(using: &generator) {
          what += "the pointer moves to \(x), \(y)"
          stage.mouse(.mouseMove, x: x, y: y)
        } else {
          what += "a box is drawn at \(x), \(y)"
          stage.mouse(.mouseDown, x: x, y: y, .alt)
          stage.mouse(.mouseDrag, x: x + 6, y: y + 3, .alt)
          if Bool.random(using: &generator) { stage.mouse(.mouseUp, x: x + 6, y: y + 3, .alt) }
        }
      default:
        let key = keys.randomElement(using: &generator) ?? .left
        what += "\(key)"
        stage.press(key)
      }
      let plot = stage.screen.context.plotFrame
      let damage = stage.frame().intersection(plot)
      // Slides and the comparison come to rest first.
      if stage.screen.isAnimating { stage.frames(40) }
      if !damage.isEmpty, damage.rects.reduce(0, { $0 + $1.width * $1.height }) < plot.width * plot.height / 2
      {
        parts += 1
      }
      guard stage.scene != nil, stage.screen.overlay == nil else { continue }
      if let difference = Self.difference(Self.plot(stage), Self.anew(stage)) {
        Issue.record("\(what): \(difference)")
        return
      }
    }
    #expect(parts > 20, "most frames draw a part of the plot")
  }

  @Test(
    "a window that moves looks as if it were drawn anew, in any view and with any rate",
    arguments: [PlotMarks.dots, .bands, .minutes], [0.4, 3, 60])
  func moves(_ marks: PlotMarks, _ rate: Double) throws {
    var generator = SeededGenerator(seed: UInt64(rate * 10))
    var snapshot = SampleRun(rate: rate, targets: ["a", "b"]).snapshot
    let note = Event(
      at: SampleRun.start.advanced(byMicroseconds: 50_000_000), kind: .annotation, detail: "deploy 412")
    snapshot.axisMarks.append(snapshot.events + [ListEntry(revision: 1_000, row: note)])
    let stage = try Stage(columns: 100, rows: 34, snapshot: snapshot)
    let scene = try #require(stage.scene)
    let like = scene.model(of: 0)
    var kept = PaneCache()
    // A stretch of the heat map has two columns.
    let scale = TimeScale(columnAtLeast: .milliseconds(500))
    let columns = like.geometry.columns
    var window = TimeWindow(
      following: SampleRun.start.advanced(byMicroseconds: 110_000_000), scale: scale, columns: columns,
      step: 1)
    var moved = 0
    // Of all latencies, of some, and of none.
    let selections = [Int64.max, 400_000, nil].map { upper in
      upper.map {
        Selection(
          in: snapshot, window: window, targets: [0, 1], metric: .delivery, from: 200_000, to: $0)
      }
    }
    for step in 0..<60 {
      // First so that the newest edge comes and goes.
      let distance =
        step < 12
        ? [1, -1, -1, 1][step % 4]
        : Int.random(in: -6...6, using: &generator) * (step % 10 == 9 ? columns / 5 : 1)
      window = window.moved(byColumns: distance)
      let model = ScatterModel(
        snapshot: snapshot, sources: TileSources(snapshot, targets: [0, 1], window: window),
        targets: [0, 1], metrics: like.metrics, axis: like.axis, marks: marks,
        isEmpty: false, isReading: false, colors: like.colors,
        averages: AverageLines.allCases[step / 20 % AverageLines.allCases.count],
        threshold: 300_000, selection: selections[step / 15 % selections.count], overlay: ScatterOverlay(),
        isLive: true,
        title: like.title, appearance: like.appearance, zone: like.zone, geometry: like.geometry)
      _ = model.redraw(&kept)
      if kept.tiles.moved != 0 { moved += 1 }
      var fresh = PaneCache()
      _ = model.redraw(&fresh)
      #expect(kept.picture == fresh.picture, "\(step): by \(distance) to \(window.firstColumn)")
    }
    #expect(moved > 30)
  }

  @Test("while a panel slides in that is to be drawn, the plot waits for the next frame, and no longer")
  func putOff() throws {
    var stage = try Stage()
    stage.frames(60)
    var snapshot = stage.screen.context.latest
    func goOn() {
      var generator = SeededGenerator(seed: 4)
      TileTests.goOn(&snapshot, by: 0.1, &generator)
      snapshot.number += 1
      stage.screen.show(snapshot, at: stage.clock.now)
    }
    goOn()
    #expect(!stage.frame().intersection(stage.screen.context.plotFrame).isEmpty)
    stage.press("2")
    goOn()
    // The first frame in which the page can be seen.
    let columns = stage.screen.context.plotFrame
    #expect(stage.frame().intersection(columns).isEmpty && stage.screen.nextDeadline != nil)
    goOn()
    #expect(!stage.frame().intersection(columns).isEmpty)
    stage.frames(60)
    #expect(stage.screen.nextDeadline == nil || !stage.screen.isAnimating)
  }

  @Test("what answers the opening or a key is waited for, and what only goes on is not")
  func waiting() throws {
    var stage = try Stage(snapshot: nil)
    var snapshot = SampleRun().snapshot
    #expect(stage.screen.isWaiting(for: snapshot))
    stage.show(snapshot)
    snapshot.number += 1
    #expect(!stage.screen.isWaiting(for: snapshot))
    snapshot.request = stage.screen.request
    #expect(stage.screen.isWaiting(for: snapshot))
    stage.show(snapshot)
    #expect(!stage.screen.isWaiting(for: snapshot))
  }

  @Test("in another theme the lines between panes have its color, too")
  func themes() throws {
    var stage = try Stage(columns: 120, rows: 44, snapshot: SampleRun(targets: ["a", "b"]).snapshot)
    stage.press("M")
    stage.frames(3)
    stage.screen.setAppearance(Appearance(theme: .light, colors: .trueColor, glyphs: .braille))
    stage.frames(3)
    #expect(Self.difference(Self.plot(stage), Self.anew(stage)) == nil)
  }
}
