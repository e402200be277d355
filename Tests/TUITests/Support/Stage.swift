import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Terminal
import TestKit
import Testing

@testable import TUI

/// A dashboard without a terminal, on a clock that is stepped by hand.
struct Stage {
  let screen: DashboardScreen
  let buffer: CellBuffer
  private(set) var clock = SteppedClock()
  private(set) var effects: [HostEffect] = []
  /// What figures were taken of.
  private var taken = Taken()

  private struct Taken: Equatable {
    var order: FiguresOrder?
    var other: FiguresOrder?
    var snapshot: UInt64 = 0
  }

  init(
    columns: Int = 120, rows: Int = 40, theme: Theme = .dark, colors: ColorProfile = .trueColor,
    glyphs: GlyphRepertoire = .braille, motion: MotionLevel = .full,
    keys: KeyTable = .standard, arrangement: Arrangement? = nil,
    snapshot: Snapshot? = SampleRun().snapshot
  ) throws {
    buffer = CellBuffer(columns: columns, rows: rows, colors: colors)
    buffer.assumedBackground = theme.background
    buffer.assumedForeground = theme.text
    screen = try DashboardScreen(
      size: (columns, rows), appearance: Appearance(theme: theme, colors: colors, glyphs: glyphs),
      options: ScreenOptions(
        motion: motion, keys: keys, zone: .utc, place: .store("/var/lib/pushscope/pushscope.sqlite"),
        arrangement: arrangement))
    if let snapshot { screen.show(snapshot, at: clock.now) }
    screen.setCost(FrameCost(duration: .microseconds(71), bytes: 702, skipped: 0))
    paint()
  }

  /// One frame, 1/60 s later.
  @discardableResult
  mutating func frame() -> CellRegion {
    clock.tick()
    return paint()
  }

  mutating func frames(_ count: Int) {
    for _ in 0..<count { frame() }
  }

  mutating func wait(_ duration: Duration) {
    clock.advance(by: duration)
    paint()
  }

  /// Plays the reader's thread: takes the figures that the screen asks for from what it shows, as if the store had nothing
  /// older.
  private mutating func takeFigures() {
    let order = screen.order
    let wanted = Taken(
      order: order.figures, other: order.second?.figures, snapshot: screen.context.latest.number)
    guard wanted != taken else { return }
    taken = wanted
    screen.show(
      order.figures.flatMap { WindowFigures.taken($0, of: screen.context.latest) },
      other: order.second?.figures.flatMap { WindowFigures.taken($0, of: screen.context.other) },
      at: screen.window.time)
  }

  @discardableResult
  private mutating func paint() -> CellRegion {
    takeFigures()
    let damage = screen.advance(to: clock.now)
    if !damage.isEmpty { screen.draw(on: buffer, damage: damage) }
    return damage
  }

  mutating func press(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = []) {
    if let effect = screen.handle(InputEvent(kind: .key(key), modifiers: modifiers), at: clock.now) {
      effects.append(effect)
    }
  }

  mutating func press(_ character: Character) { press(.character(character)) }

  mutating func mouse(_ kind: InputEvent.Kind, x: Int, y: Int, _ modifiers: InputEvent.Modifiers = []) {
    let event = InputEvent(kind: kind, location: Point(x: Double(x), y: Double(y)), modifiers: modifiers)
    if let effect = screen.handle(event, at: clock.now) { effects.append(effect) }
  }

  mutating func show(_ snapshot: Snapshot) {
    screen.show(snapshot, at: clock.now)
    paint()
  }

  mutating func resize(columns: Int, rows: Int) {
    buffer.resize(columns: columns, rows: rows)
    screen.resize(columns: columns, rows: rows)
    paint()
  }

  /// The first plot; `nil` while there is nothing to plot.
  var scene: PlotScene? { screen.context.plot(screen.state) }

  /// How the first plot is divided.
  var geometry: ScatterGeometry { screen.context.panes(screen.state).panes[0].geometry }

  /// The view with an identifier.
  func view(_ identifier: String) -> View? {
    func find(in view: View) -> View? {
      view.identifier == identifier ? view : view.subviews.lazy.compactMap(find).first
    }
    return find(in: screen.window.root)
  }

  /// The second plot; nothing while there is none.
  var otherPlot: CellRect { view("other plot")?.cellFrame ?? .zero }

  func page(_ panel: Panel) -> View? { view("page \(panel.title)") }

  var rows: [String] { Golden.rows(of: buffer) }

  var text: String { rows.joined(separator: "\n") }

  /// The cells of a rectangle, for comparing.
  func cells(in rects: CellRect...) -> CellBlock {
    CellBlock(
      cells: rects.flatMap { rect in
        (rect.y0..<rect.y1).flatMap { y in (rect.x0..<rect.x1).map { buffer[$0, y] } }
      })
  }
}

extension WindowFigures {
  /// What the reader's thread takes of a snapshot whose store has nothing older; `nil` without a run.
  static func taken(_ order: FiguresOrder, of snapshot: Snapshot) -> WindowFigures? {
    guard let run = snapshot.run?.id, snapshot.condition == .ready else { return nil }
    let places = order.places.map { place in
      let known = order.moment.map { snapshot.known(at: $0, since: place.window.lowerBound) } ?? snapshot
      return PlaceFigures(
        FigurePoints(known, window: place.window, targets: place.targets), threshold: order.threshold)
    }
    return WindowFigures(order, run: run, places: places)
  }
}

/// Cells to be compared; thousands of them are not worth printing.
struct CellBlock: Equatable, CustomTestStringConvertible {
  let cells: [Cell]

  var testDescription: String { "\(cells.count) cells" }
}
