import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("Looking at other times")
struct TimeTravelTests {
  private static func window(_ stage: Stage) throws -> TimeWindow {
    try #require(stage.screen.context.content?.window)
  }

  @Test("arrows move the window by eighths, back at the edge it follows again")
  func pan() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    let columns = stage.geometry.columns
    let start = try Self.window(stage)
    stage.press(.left)
    #expect(try Self.window(stage).firstColumn == start.firstColumn - Int64(columns / 8))
    stage.press(.left, .shift)
    #expect(try Self.window(stage).firstColumn == start.firstColumn - 5 * Int64(columns / 8))
    guard case .at = stage.screen.state.anchor else {
      Issue.record("still follows")
      return
    }
    for _ in 0..<5 { stage.press(.right) }
    #expect(stage.screen.state.anchor == .edge)
    #expect(try Self.window(stage) == start)
  }

  @Test("nobody gets lost before the run")
  func beforeTheRun() throws {
    var stage = try Stage()
    for _ in 0..<50 { stage.press(.left, .shift) }
    #expect(try Self.window(stage).contains(SampleRun.start))
    stage.frame()
    #expect(stage.rows[0].contains("looking back"))
    stage.press("f")
    stage.frame()
    #expect(stage.screen.state.anchor == .edge && !stage.rows[0].contains("looking back"))
  }

  @Test("plus and minus change the scale and go back to where they were")
  func zoom() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    let scale = try Self.window(stage).scale
    stage.press("+")
    #expect(try Self.window(stage).scale == scale.finer)
    stage.press("-")
    stage.press("-")
    #expect(try Self.window(stage).scale == scale.coarser)
    for _ in 0..<60 { stage.press("-") }
    for _ in 0..<120 { stage.press("+") }
    #expect(try Self.window(stage).scale.columnDuration == .milliseconds(1))
  }

  @Test("the wheel zooms about the pointer")
  func wheel() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    stage.press(.left, .shift)
    let before = try Self.window(stage)
    let plot = stage.screen.context.plotFrame
    let column = 70
    let moment = before.start + before.scale.columnDuration * column
    stage.mouse(.wheel(ticks: 1), x: plot.x0 + ScatterGeometry.gutter + column, y: plot.y0 + 5)
    let after = try Self.window(stage)
    #expect(after.scale == before.scale.finer)
    #expect(abs(after.column(of: moment) - column) <= 1)
  }

  @Test("a frozen picture stays while recording goes on, and says how much it does not show")
  func freeze() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 60).snapshot)
    stage.press(" ")
    stage.frames(40)
    let plot = stage.cells(in: stage.screen.context.plotFrame)
    var later = SampleRun(seconds: 90).snapshot
    later.number = 2
    let news = later.totals[0].due - stage.screen.context.shown.totals[0].due
    stage.show(later)
    stage.frames(40)
    #expect(stage.cells(in: stage.screen.context.plotFrame) == plot)
    #expect(stage.rows[0].contains("frozen, \(news) new"))
    stage.press(" ")
    stage.frames(40)
    #expect(stage.cells(in: stage.screen.context.plotFrame) != plot)
    #expect(!stage.rows[0].contains("frozen"))
    #expect(stage.screen.context.shown.number == 2)
  }

  @Test("a frozen picture that is moved gets what it lacked, once")
  func frozenPan() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 300).snapshot)
    stage.press(" ")
    stage.press(.left, .shift)
    let request = try #require(stage.screen.request)
    #expect(request.to != nil)
    var answer = SampleRun(seconds: 310).snapshot
    answer.number = 2
    stage.show(answer)
    #expect(stage.screen.context.shown.number == 1)
    answer.number = 3
    answer.request = request
    stage.show(answer)
    #expect(stage.screen.context.shown.number == 3)
    answer.number = 4
    stage.show(answer)
    #expect(stage.screen.context.shown.number == 3)
  }

  @Test("g end follows the newest again", arguments: ["end", "now", " END "], [false, true])
  func goToEnd(_ text: String, isFrozen: Bool) throws {
    var stage = try Stage(motion: .none, snapshot: SampleRun(seconds: 400).snapshot)
    let newest = try Self.window(stage)
    if isFrozen { stage.press(" ") }
    stage.press(.left, .shift)
    stage.press(.left, .shift)
    #expect(try Self.window(stage) != newest)
    stage.press("g")
    for character in text { stage.press(character) }
    stage.press(.enter)
    #expect(stage.screen.state.anchor == .edge && !stage.screen.state.isFrozen)
    #expect(try Self.window(stage) == newest)
    var later = SampleRun(seconds: 500).snapshot
    later.number = 2
    stage.show(later)
    stage.frame()
    #expect(try Self.window(stage).contains(later.edge) && !stage.rows[0].contains("looking back"))
  }

  @Test("in a replay g end goes to its end")
  func goToEndOfReplay() throws {
    let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
    var stage = try Stage(
      motion: .none, snapshot: SampleRun(phase: .ended(at: end, reason: "completed")).snapshot)
    stage.press("r")
    stage.press("g")
    for character in "end" { stage.press(character) }
    stage.press(.enter)
    #expect(stage.screen.state.replay?.position == stage.screen.context.latest.edge)
    stage.press("g")
    for character in "start" { stage.press(character) }
    stage.press(.enter)
    #expect(stage.screen.state.replay?.position == SampleRun.start)
  }

  @Test("the reader is asked for the window and the one before it")
  func request() throws {
    var stage = try Stage(snapshot: SampleRun(seconds: 400).snapshot)
    let window = try Self.window(stage)
    #expect(
      stage.screen.request
        == ReadRequest(
          from: window.previous.start, to: nil, tick: window.scale.columnDuration, start: window.start))
    stage.press(.left, .shift)
    let past = try Self.window(stage)
    #expect(stage.screen.request?.from == past.previous.start)
    #expect(stage.screen.request?.to == past.end)
  }

  @Test("nothing is said about time that has not been read; it says that it is reading")
  func reading() throws {
    var snapshot = SampleRun(seconds: 400).snapshot
    let whole = try Stage(snapshot: snapshot)
    #expect(!whole.text.contains("reading") && whole.text.contains("p50"))
    // The newest only, as at the first look.
    let since = snapshot.now.advanced(byMicroseconds: -20_000_000)
    var track = PointTrack(target: snapshot.tracks[0].target, firstSequence: 1)
    for index in snapshot.tracks[0].range(from: since, to: snapshot.now) {
      if track.isEmpty { track = PointTrack(target: track.target, firstSequence: Int64(index + 1)) }
      track.append(snapshot.tracks[0][index])
    }
    let complete = snapshot.tracks
    snapshot.tracks = [track]
    snapshot.covered = ReadStretch(from: since)
    var stage = try Stage(snapshot: snapshot)
    #expect(
      stage.rows[1].contains("reading") && !stage.text.contains("p50") && !stage.text.contains("planned"))
    snapshot.tracks = complete
    snapshot.covered = ReadStretch()
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(stage.rows.dropFirst() == whole.rows.dropFirst())
    // A window in the past that is not here yet.
    snapshot.covered = ReadStretch(from: since, to: nil)
    snapshot.tracks = [track]
    snapshot.number += 1
    stage.show(snapshot)
    for _ in 0..<4 { stage.press(.left, .shift) }
    stage.frame()
    #expect(stage.text.contains("reading") && !stage.text.contains("nothing was planned"))
    // Up to a moment before the window's end.
    snapshot.tracks = complete
    let window = try Self.window(stage)
    snapshot.covered = ReadStretch(from: window.previous.start, to: window.end.advanced(byMicroseconds: -1))
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(stage.rows[1].contains("reading"))
    snapshot.covered.to = window.end
    snapshot.number += 1
    stage.show(snapshot)
    stage.frame()
    #expect(!stage.text.contains("reading"))
  }

  @Test("a young run grows from the left; an old one steps on")
  func growth() throws {
    let young = try Self.window(Stage(snapshot: SampleRun(seconds: 5).snapshot))
    #expect(young.column(of: SampleRun.start) == 0)
    let old = try Self.window(Stage(snapshot: SampleRun(seconds: 1_000).snapshot))
    #expect(old.column(of: SampleRun.start) < 0)
    #expect(old.contains(SampleRun.start.advanced(byMicroseconds: 1_000_000_000)))
  }

  @Test("a run that is younger than its window would be is shown as a whole, also after a target was chosen")
  func youngRun() throws {
    let targets = (1...5).map { "target-\($0)" }
    for (seconds, columns) in [(35, 120), (60, 200), (150, 80), (150, 120)] {
      var stage = try Stage(
        columns: columns, motion: .none,
        snapshot: SampleRun(seconds: seconds, rate: 1, targets: targets).snapshot)
      for key in "0tf" {
        stage.press(key)
        let window = try Self.window(stage)
        let edge = window.column(of: stage.screen.context.shown.edge)
        #expect(
          edge >= window.columns * 7 / 10 && edge < window.columns, "\(key) \(edge) of \(window.columns)")
        #expect(window.start <= SampleRun.start, "\(key)")
      }
      #expect(stage.screen.state.anchor == .edge && stage.screen.state.target == 0)
    }
  }

  @Test("a run that is over opens as a whole, also where it just fits", arguments: 101...125)
  func wholeRun(seconds: Int) throws {
    let end = SampleRun.start.advanced(byMicroseconds: Int64(seconds) * 1_000_000)
    let run = SampleRun(seconds: seconds, phase: .ended(at: end, reason: "completed")).snapshot
    for columns in [49, 69, 109, 189] {
      let window = ViewState().window(in: run, columns: columns)
      #expect(window.start <= SampleRun.start && window.end >= end, "\(columns)")
    }
  }
}
