import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("One selection in all panels")
struct SelectionTests {
  /// A stage with a crosshair on the first notification.
  private static func stage(columns: Int = 120, rows: Int = 40, profile: Profile = .trueColor) throws -> Stage
  {
    try Stage(columns: columns, rows: rows, profile: profile)
  }

  /// Cells of the screen where a place of the plot is.
  private static func screenPlace(_ stage: Stage, column: Int, y: Int) -> (x: Int, y: Int) {
    let frame = stage.screen.context.plotFrame
    return (frame.x0 + ScatterGeometry.gutter + column, frame.y0 + y)
  }

  /// Every notification with the cell that its mark has.
  private static func marks(_ stage: Stage) throws -> [PickedNotification] {
    let probe = try #require(stage.scene?.hitTester(of: 0))
    var picks: [PickedNotification] = []
    probe.forEachMark(in: 0...probe.geometry.columns - 1) { target, index, point, metric, column, y in
      picks.append(
        PickedNotification(
          target: target, sequence: Int64(index) + 1, point: point, metric: metric, column: column, y: y))
    }
    return picks
  }

  @Test("marks are found where they are drawn", arguments: Profile.allCases)
  func places(_ profile: Profile) throws {
    var stage = try Self.stage(profile: profile)
    for key in "aaa" { stage.press(key) }
    stage.frame()
    let scene = try #require(stage.scene)
    var kept = PaneCache()
    _ = scene.model(of: 0).redraw(&kept)
    let raster = kept.tiles.whole
    var cells = Set<Int>()
    for mark in try Self.marks(stage) where mark.y >= scene.geometry.firstRow {
      cells.insert((mark.y - scene.geometry.firstRow) * raster.columns + mark.column)
    }
    #expect(cells == Set(raster.counts.indices.filter { raster.counts[$0] > 0 }))
  }

  @Test(
    "a notification says the round trip of its path beside its latencies", arguments: [420, nil] as [Int64?])
  func path(_ path: Int64?) throws {
    let pick = PickedNotification(
      target: 0, sequence: 7,
      point: SamplePoint(
        plannedAt: SampleRun.start, plannedMonotonic: 0, scheduleLag: 10, acceptLatency: 4_100,
        deliveryLatency: nil, state: .accepted, path: path),
      metric: .accept, column: 0, y: 0)
    let line = NotificationText.spans(
      pick, target: nil, now: nil, zone: .utc, try Self.stage().screen.appearance
    ).map(\.text).joined()
    #expect(line.hasPrefix("#7 accepted, no receipt expected 4.10 ms  "))
    #expect(line.contains("  path 420 µs  ") == (path != nil) && line.contains("path") == (path != nil))
  }

  @Test("the pointer finds the nearest notification and says its fields")
  func hover() throws {
    var stage = try Self.stage()
    let lost = try #require(try Self.marks(stage).last { $0.point.state == .lost })
    let place = Self.screenPlace(stage, column: lost.column, y: lost.y)
    stage.mouse(.mouseMove, x: place.x, y: place.y)
    stage.frame()
    #expect(stage.text.contains("#\(lost.sequence) lost"))
    #expect(stage.screen.state.plot.crosshair == PlotPosition(pane: 0, column: lost.column, y: lost.y))
    // Away from the plot it goes.
    stage.mouse(.mouseMove, x: 3, y: 0)
    stage.frame()
    #expect(stage.screen.state.plot.crosshair == nil && !stage.text.contains("#\(lost.sequence)"))
  }

  @Test("the nearest is the nearest of all, by brute force")
  func nearest() throws {
    let stage = try Self.stage()
    let probe = try #require(stage.scene?.hitTester(of: 0))
    let marks = try Self.marks(stage)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<300 {
      let column = Int.random(in: 0..<probe.geometry.columns, using: &generator)
      let y = Int.random(in: 1..<probe.geometry.axisRow, using: &generator)
      func distance(_ mark: PickedNotification) -> Int {
        (mark.column - column) * (mark.column - column) + 4 * (mark.y - y) * (mark.y - y)
      }
      let near = marks.filter { abs($0.column - column) <= 12 }
      let found = probe.nearest(to: column, y: y)
      let nearest = near.filter { distance($0) == near.map(distance).min() }
      #expect(found.map(distance) == nearest.first.map(distance))
      // Of equally near ones the worst, then the newest.
      func order(_ mark: PickedNotification) -> (Int, Int64) {
        (MarkClass(mark.point.state).map { Int($0.rawValue) } ?? 0, mark.point.plannedAt)
      }
      #expect(found.map(order) ?? (0, 0) == nearest.map(order).max(by: <) ?? (0, 0))
    }
  }

  @Test("a box selects what is in it, and all panels show the same ones")
  func brush() throws {
    var stage = try Self.stage()
    let geometry = stage.geometry
    let marks = try Self.marks(stage)
    let from = Self.screenPlace(stage, column: 10, y: geometry.firstRow)
    let to = Self.screenPlace(stage, column: 40, y: geometry.axisRow - 1)
    stage.mouse(.mouseDown, x: from.x, y: from.y, .alt)
    stage.mouse(.mouseDrag, x: to.x, y: to.y, .alt)
    stage.frame()
    #expect(stage.screen.state.plot.box?.columns == 10...40)
    stage.mouse(.mouseUp, x: to.x, y: to.y, .alt)
    stage.frame()
    let expected = Set(
      marks.filter { (10...40).contains($0.column) && $0.y >= geometry.firstRow }.map(\.sequence))
    let selection = try #require(stage.screen.state.plot.selection)
    #expect(Set(selection.sequences.values.joined()) == expected && expected.count > 20)
    // The histogram counts those of them that have a latency.
    let content = try #require(stage.screen.context.content)
    let values = selection.values(
      in: stage.screen.context.shown, window: content.window, targets: [0], metric: .delivery)
    let model = try #require(stage.screen.context.histogram(stage.screen.state, width: 118, height: 18))
    #expect(model.selected.count == values.count && values.count > 10)
    #expect(model.buckets?.selected.reduce(0, +) == values.count)
    #expect(stage.text.contains("selected \(values.count)"))
    // Events about them are marked, others are not.
    let selectionMarks = try #require(stage.screen.context.selectionMarks(stage.screen.state))
    for entry in stage.screen.context.shown.events {
      guard let sequence = entry.row.sequence else { continue }
      #expect(selectionMarks.contains(entry.row) == expected.contains(sequence))
    }
    stage.press(.escape)
    #expect(stage.screen.state.plot.selection == nil)
  }

  @Test("buckets, log lines and events select by click and by key")
  func panels() throws {
    var stage = try Self.stage()
    let host = stage.screen.context.panelFrame
    let model = try #require(
      stage.screen.context.histogram(stage.screen.state, width: host.width, height: host.height))
    let buckets = try #require(model.buckets)
    let fullest = try #require(buckets.now.indices.max { buckets.now[$0] < buckets.now[$1] })
    let x = host.x0 + HistogramModel.gutter + fullest * buckets.width
    stage.mouse(.mouseDown, x: x, y: host.y0 + 4)
    stage.mouse(.mouseUp, x: x, y: host.y0 + 4)
    #expect(stage.screen.state.plot.choice == .bucket(fullest))
    #expect(stage.screen.state.plot.selection?.count == buckets.now[fullest])
    stage.press("J")
    #expect(stage.screen.state.plot.choice != .bucket(fullest))
    stage.press("3")
    stage.frames(40)
    stage.press("K")
    let last = try #require(stage.screen.context.shown.events.last)
    #expect(stage.screen.state.plot.choice == .event(last.place))
    for _ in 0..<2 { stage.press("K") }
    stage.frame()
    // 4.312 s late: the event names its notification.
    let late = try #require(stage.screen.context.shown.events.last { $0.row.kind == .late })
    #expect(stage.screen.state.plot.choice == .event(late.place))
    #expect(stage.screen.state.plot.selection?.sequences.values.first == [290])
    // The third row of the list by mouse.
    stage.mouse(.mouseDown, x: host.x0 + 5, y: host.y0 + 4)
    stage.mouse(.mouseUp, x: host.x0 + 5, y: host.y0 + 4)
    #expect(stage.screen.state.plot.choice == .event(stage.screen.context.shown.events[2].place))
    stage.press("2")
    stage.frames(40)
    stage.press("K")
    guard case .logLine = stage.screen.state.plot.choice else {
      Issue.record("no line was chosen")
      return
    }
    #expect((stage.screen.state.plot.selection?.count ?? 0) > 0)
  }

  @Test(
    "an event that stands for several selects as many of its state; one of a connection what was under way")
  func events() throws {
    let snapshot = SampleRun().snapshot
    let track = snapshot.tracks[0]
    let failed = (0..<track.count).filter { track[$0].state == .failed }.map { Int64($0) + 1 }
    let event = Event(
      at: snapshot.now, kind: .failed, target: track.target, sequence: failed[0], count: 2)
    #expect(Selection(of: event, in: snapshot).sequences[track.target] == Array(failed.prefix(2)))
    let at = SampleRun.start.advanced(byMicroseconds: 65_000_000)
    let goaway = Selection(of: Event(at: at, kind: .goaway, target: track.target), in: snapshot)
    #expect(!goaway.isEmpty)
    for sequence in goaway.sequences[track.target] ?? [] {
      let point = track[Int(sequence - 1)]
      #expect(point.plannedAt <= at.microseconds)
      #expect(point.plannedAt + (point.life(until: snapshot.now) ?? 0) >= at.microseconds)
    }
    // Nothing under way: the last before.
    let early = Selection(
      underWayAt: SampleRun.start.advanced(byMicroseconds: 200_000_000), target: nil, in: snapshot, label: "")
    #expect(early.sequences[track.target]?.last == track.endSequence - 1)
  }

  @Test("the keyboard does all of it: crosshair, steps, box, list, zoom")
  func keyboard() throws {
    var stage = try Self.stage()
    stage.press("i")
    let start = try #require(stage.screen.state.plot.crosshair)
    stage.press(.right)
    stage.press(.down)
    stage.press(.left, .shift)
    #expect(
      stage.screen.state.plot.crosshair == PlotPosition(pane: 0, column: start.column - 7, y: start.y + 1))
    #expect(stage.screen.state.anchor == .edge)
    stage.press(",")
    let first = try #require(stage.screen.state.plot.stepped)
    stage.press(".")
    let second = try #require(stage.screen.state.plot.stepped)
    #expect(second.point.plannedAt >= first.point.plannedAt && second != first)
    stage.press(",")
    #expect(stage.screen.state.plot.stepped == first)
    stage.press(.enter)
    stage.frame()
    #expect(stage.screen.state.plot.selection?.sequences.values.first == [first.sequence])
    #expect(stage.text.contains("selected at the crosshair") && stage.text.contains(" delivery"))
    stage.press(.escape)
    stage.frame()
    #expect(stage.screen.overlay == nil && !stage.text.contains("selected at the crosshair"))
    stage.press("z")
    stage.press(.right, .shift)
    stage.press(.up, .shift)
    #expect(stage.screen.state.plot.box?.columns.count == 9 && stage.screen.state.plot.box?.rows.count == 5)
    let before = try #require(stage.screen.context.content?.window)
    stage.press("Z")
    let after = try #require(stage.screen.context.content?.window)
    #expect(after.scale < before.scale)
    guard case .fixed = stage.screen.state.range else {
      Issue.record("the range was not taken from the box")
      return
    }
  }

  @Test("of many marks in a cell each can be stepped to, read and opened, until the crosshair is moved away")
  func stepsInCell() throws {
    let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
    var stage = try Stage(
      snapshot: SampleRun(rate: 60, phase: .ended(at: end, reason: "completed")).snapshot)
    stage.press(".")
    stage.frame()
    let first = try #require(stage.screen.state.plot.stepped)
    for step in 1...30 {
      stage.press(",")
      stage.frame()
      #expect(stage.text.contains("#\(first.sequence - Int64(step)) "))
    }
    for step in (10..<30).reversed() {
      stage.press(".")
      stage.frame()
      #expect(stage.text.contains("#\(first.sequence - Int64(step)) "))
    }
    let here = try #require(stage.screen.state.plot.stepped)
    let place = try #require(stage.screen.state.plot.crosshair)
    let nearest = try #require(stage.scene?.hitTester(of: 0)?.nearest(to: place.column, y: place.y))
    // Else it would prove nothing.
    #expect((nearest.column, nearest.y) == (here.column, here.y) && nearest.sequence != here.sequence)
    stage.press(.enter)
    stage.frame()
    #expect(stage.screen.state.plot.selection?.sequences.values.first == [here.sequence])
    stage.press(.escape)
    // A crosshair that was moved by cells points at what is nearest.
    stage.press(.right)
    stage.press(.left)
    #expect(stage.screen.state.plot.crosshair == place)
    stage.frame()
    #expect(stage.text.contains("#\(nearest.sequence) ") && !stage.text.contains("#\(here.sequence) "))
  }

  @Test("a crosshair on a notification goes with it when the window moves")
  func crosshairFollows() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 300, rate: 60).snapshot)
    stage.press(",")
    stage.frame()
    let stepped = try #require(stage.screen.state.plot.stepped)
    var later = SampleRun(seconds: 310, rate: 60).snapshot
    later.number += 1
    stage.show(later)
    stage.wait(.seconds(1))
    let (place, pick) = try #require(stage.scene?.crosshair)
    #expect(pick?.sequence == stepped.sequence && place.column < stepped.column - 5)
    #expect(place == PlotPosition(pane: 0, column: try #require(pick).column, y: try #require(pick).y))
    #expect(stage.text.contains("#\(stepped.sequence) "))
    let cell = Self.screenPlace(stage, column: place.column, y: place.y)
    #expect(stage.buffer[cell.x, cell.y].style.attributes.contains(.reverse))
    // Where keys begin is where it is now.
    stage.press(",")
    stage.frame()
    #expect(stage.text.contains("#\(stepped.sequence - 1) "))
    stage.press("-")
    stage.frame()
    #expect(stage.text.contains("#\(stepped.sequence - 1) "))
    let column = try #require(stage.scene?.crosshair).place.column
    stage.press(.left)
    #expect(stage.screen.state.plot.crosshair?.column == column - 1 && stage.screen.state.plot.stepped == nil)
  }

  @Test("Enter is for box, crosshair and selection first, then for the row of a table; the last line says so")
  func besideTable() throws {
    var stage = try Stage(columns: 200, motion: .none, snapshot: RunsPanelTests.snapshot(3))
    func isListed(_ stage: Stage) -> Bool {
      stage.screen.overlay is SelectionList
    }
    stage.press("4")
    stage.press(.down)
    stage.press("i")
    stage.press(",")
    stage.frame()
    #expect(stage.rows.last?.contains("Enter select ") == true)
    stage.press(.enter)
    #expect(isListed(stage) && stage.screen.state.plot.selection?.label == "at the crosshair")
    stage.press(.escape)
    stage.frame()
    #expect(stage.rows.last?.contains("Enter list selected") == true)
    stage.press("z")
    for _ in 0..<3 { stage.press(.left, .shift) }
    stage.press(.enter)
    #expect(isListed(stage) && stage.screen.state.plot.selection?.label == "in the box")
    stage.press(.escape)
    stage.press(.escape)
    stage.frame()
    #expect(!stage.screen.state.plot.holdsCrosshair && stage.screen.state.plot.selection != nil)
    let last = try #require(stage.rows.last)
    #expect(last.contains("Enter list selected  Esc deselect") && !last.contains("Enter open"), "\(last)")
    stage.press(.enter)
    #expect(isListed(stage) && stage.screen.order.subject.run == nil)
    stage.press(.escape)
    stage.press(.escape)
    stage.frame()
    #expect(stage.rows.last?.contains("Enter open") == true)
    stage.press(.enter)
    #expect(stage.screen.overlay == nil && stage.screen.order.subject.run == RunsPanelTests.id(1))
  }

  @Test("a click selects what is under the pointer; beside everything it lets go")
  func click() throws {
    var stage = try Self.stage()
    let mark = try #require(try Self.marks(stage).last { $0.point.state == .lost })
    let place = Self.screenPlace(stage, column: mark.column, y: mark.y)
    stage.mouse(.mouseDown, x: place.x, y: place.y)
    stage.mouse(.mouseUp, x: place.x, y: place.y)
    #expect(stage.screen.state.plot.selection?.contains(mark.sequence, of: TargetID(rawValue: 1)) == true)
    let far = Self.screenPlace(stage, column: 105, y: stage.geometry.firstRow)
    stage.mouse(.mouseDown, x: far.x, y: far.y)
    stage.mouse(.mouseUp, x: far.x, y: far.y)
    #expect(stage.screen.state.plot.selection == nil)
  }

  @Test("dragging pans by the columns it covers, or draws a box when it is told to")
  func drag() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    let window = try #require(stage.screen.context.content?.window)
    let from = Self.screenPlace(stage, column: 50, y: 6)
    stage.mouse(.mouseDown, x: from.x, y: from.y)
    stage.mouse(.mouseDrag, x: from.x + 11, y: from.y)
    stage.mouse(.mouseDrag, x: from.x + 20, y: from.y + 2)
    stage.mouse(.mouseUp, x: from.x + 20, y: from.y + 2)
    #expect(stage.screen.context.content?.window.firstColumn == window.firstColumn - 20)
    #expect(stage.screen.state.range == .automatic)
    stage.press("D")
    stage.frame()
    #expect(stage.rows.last?.contains("zooms to a box") == true)
    stage.mouse(.mouseDown, x: from.x, y: from.y)
    stage.mouse(.mouseDrag, x: from.x + 20, y: from.y + 4)
    stage.mouse(.mouseUp, x: from.x + 20, y: from.y + 4)
    let zoomed = try #require(stage.screen.context.content?.window)
    #expect(zoomed.scale < window.scale)
    guard case .fixed = stage.screen.state.range else {
      Issue.record("the range was not taken from the box")
      return
    }
    // Now that the range is held, dragging moves it too.
    stage.press("D")
    stage.press("D")
    let axis = try #require(stage.scene?.axis)
    stage.mouse(.mouseDown, x: from.x, y: from.y)
    stage.mouse(.mouseDrag, x: from.x, y: from.y + 3)
    stage.mouse(.mouseUp, x: from.x, y: from.y + 3)
    let moved = try #require(stage.scene?.axis)
    #expect(moved.lower > axis.lower && moved.upper > axis.upper)
  }

  @Test("the wheel zooms latency with Alt or on the axis, both with Control, about the pointer")
  func wheel() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    let geometry = stage.geometry
    let place = Self.screenPlace(stage, column: 30, y: 5)
    for (modifiers, x) in [(InputEvent.Modifiers.alt, place.x), ([], place.x - 33)] {
      let window = try #require(stage.screen.context.content?.window)
      let axis = try #require(stage.scene?.axis)
      stage.mouse(.wheel(ticks: 1), x: x, y: place.y, modifiers)
      let zoomed = try #require(stage.scene?.axis)
      #expect(zoomed.lower >= axis.lower && zoomed.upper <= axis.upper && zoomed != axis)
      #expect(stage.screen.context.content?.window == window)
      let share = (Double(geometry.axisRow - 1 - 5) + 0.5) / Double(geometry.rows)
      #expect(abs(zoomed.value(at: share) / axis.value(at: share) - 1) < 0.01)
    }
    let scale = try #require(stage.screen.context.content?.window.scale)
    let axis = try #require(stage.scene?.axis)
    stage.mouse(.wheel(ticks: 1), x: place.x, y: place.y, .control)
    #expect(stage.screen.context.content?.window.scale == scale.finer && stage.scene?.axis != axis)
  }

  @Test("the list scrolls through all that is selected, and e asks for exactly these")
  func list() throws {
    var stage = try Self.stage()
    let geometry = stage.geometry
    let from = Self.screenPlace(stage, column: 0, y: geometry.bandRow)
    let to = Self.screenPlace(stage, column: geometry.columns - 1, y: geometry.axisRow - 1)
    stage.mouse(.mouseDown, x: from.x, y: from.y, .alt)
    stage.mouse(.mouseDrag, x: to.x, y: to.y, .alt)
    stage.mouse(.mouseUp, x: to.x, y: to.y, .alt)
    stage.press(.enter)
    stage.frame()
    let selection = try #require(stage.screen.state.plot.selection)
    let sequences = try #require(selection.sequences.values.first)
    #expect(sequences.count > 100)
    #expect(stage.rows.contains { $0.contains(" \(sequences[0]) ") })
    stage.press(.end)
    stage.frame()
    #expect(stage.rows.contains { $0.contains(" \(sequences[sequences.count - 1]) ") })
    stage.press("e")
    let ids = sequences.map { SampleID(target: TargetID(rawValue: 1), sequence: $0) }
    #expect(stage.effects == [.exportSamples(ids)])
    stage.press(.enter)
    #expect(
      stage.screen.overlay?.isEqual(to: NotificationSheet(id: ids[ids.count - 1], place: ids.count - 1))
        == true)
    stage.press("q")
    #expect(stage.screen.overlay != nil)
    stage.press("q")
    stage.frame()
    #expect(stage.screen.overlay == nil)
    try Golden.expect(stage.plot, named: "plots/scatter-all-selected-truecolor")
  }

  @Test("without a selection its keys say how to get one")
  func nothing() throws {
    var stage = try Self.stage()
    for key in [InputEvent.Key.enter, .character("e")] {
      stage.press(key)
      stage.frame()
      #expect(stage.rows.last?.contains("nothing is selected") == true && stage.effects.isEmpty)
      stage.press("l")
      stage.frame()
      #expect(stage.rows.last?.contains("nothing is selected") == false)
    }
  }

  @Test("crosshair, selection and list look as recorded", arguments: Profile.allCases)
  func recorded(_ profile: Profile) throws {
    var stage = try Stage(profile: profile)
    let geometry = stage.geometry
    stage.press("i")
    for _ in 0..<4 { stage.press(.left, .shift) }
    stage.press("z")
    for _ in 0..<2 { stage.press(.right, .shift) }
    stage.press(.up, .shift)
    stage.frame()
    try Golden.expect(stage.plot, named: "plots/crosshair-box-\(profile.rawValue)")
    stage.press(.enter)
    stage.frames(2)
    try Golden.expect(stage.buffer, named: "plots/selection-list-\(profile.rawValue)")
    stage.press(.escape)
    stage.press(.escape)
    stage.frames(2)
    try Golden.expect(stage.plot, named: "plots/scatter-selected-\(profile.rawValue)")
    try Golden.expect(stage.panel, named: "plots/histogram-selected-\(profile.rawValue)")
    stage.press("3")
    stage.frames(40)
    try Golden.expect(stage.panel, named: "plots/events-selected-\(profile.rawValue)")
    #expect(geometry.rows > 0)
  }
}
