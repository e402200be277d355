import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Titles and names, and what they keep where there is little room")
struct TitleTests {
  private static let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
  private static let five = ["apns", "fcm", "web", "ntfy", "loopback"]

  /// An ended run of which only the newest half was read.
  private static func cut(_ targets: [String] = ["loopback"]) -> Snapshot {
    var snapshot = SampleRun(targets: targets, phase: .ended(at: end, reason: "completed")).snapshot
    snapshot.tracks = snapshot.tracks.map { track in
      let first = track.count / 2
      var rest = PointTrack(target: track.target, firstSequence: Int64(first + 1))
      for index in first..<track.count { rest.append(track[index]) }
      return rest
    }
    snapshot.isTruncated = true
    return snapshot
  }

  @Test(
    "that only the newest were read is said with their number, at every width", arguments: [60, 80, 120, 200])
  func truncated(columns: Int) throws {
    let stage = try Stage(columns: columns, rows: 24, snapshot: Self.cut())
    let facts = try #require(stage.screen.context.content).facts
    #expect(facts.isTruncated && facts.counts.due > 100)
    #expect(stage.rows[1].contains("only newest \(facts.counts.due) · "), "\(stage.rows[1])")
    #expect(stage.rows[1].contains(" % delivered") && !stage.rows[1].contains("planned \(facts.counts.due)"))
    let title = try #require(stage.rows.first { $0.contains("histogram") })
    #expect(title.contains("of \(facts.counts.due) newest"), "\(title)")
  }

  @Test(
    "the share says what it is of: deliveries, answers, or both",
    arguments: [
      ([true, true], "delivered"), ([false, false], "accepted"), ([true, false], "delivered or accepted"),
    ])
  func share(expectReceipts: [Bool], word: String) throws {
    var snapshot = SampleRun(targets: ["fcm", "web"]).snapshot
    for (target, expects) in expectReceipts.enumerated() {
      snapshot.targets[target].expectsReceipts = expects
    }
    let title = try #require(try Stage(columns: 160, rows: 40, snapshot: snapshot).scene).model(of: 0).title
      .left
    #expect(TextSpan.text(of: title).contains(" % \(word)  "), "\(TextSpan.text(of: title))")
    // In a narrow terminal the word goes before the quantiles do.
    let row = try Stage(columns: 60, rows: 40, snapshot: snapshot).rows[1]
    #expect(row.contains(" % ") && row.contains("p50"), "\(row)")
  }

  @Test("panes say it too, and a window of which all was read does not")
  func truncatedParts() throws {
    let snapshot = Self.cut(Self.five)
    for columns in [100, 200] {
      var stage = try Stage(columns: columns, rows: 60, snapshot: snapshot)
      stage.press("M")
      stage.frame()
      let scene = try #require(stage.scene)
      for number in scene.panes.panes.indices {
        #expect(TextSpan.text(of: scene.model(of: number).title.left).contains("newest"), "\(columns)")
      }
    }
    let late = TimeWindow(
      around: Self.end, at: 1, scale: TimeScale(columnAtLeast: .milliseconds(100)), columns: 100)
    let facts = WindowStatistics(
      snapshot: snapshot, window: late, targets: [0], metric: .delivery, includesPending: false)
    #expect(!facts.isTruncated && facts.counts.due > 0)
  }

  @Test("a pane has its number of planned ones before p99", arguments: [100, 120, 160, 200])
  func panes(columns: Int) throws {
    var stage = try Stage(
      columns: columns, rows: 60, snapshot: SampleRun(rate: 8, targets: Self.five).snapshot)
    stage.press("M")
    stage.frame()
    let scene = try #require(stage.scene)
    #expect(scene.panes.panes.count == 5)
    for number in scene.panes.panes.indices {
      let facts = WindowStatistics(
        snapshot: scene.snapshot, window: scene.content.window, targets: [number], metric: .delivery,
        includesPending: false)
      let title = TextSpan.text(of: scene.model(of: number).title.left)
      let due = facts.counts.due
      #expect(title.contains("planned \(due)") || title.contains(" % of \(due)"), "\(title)")
    }
  }

  @Test("panes beside each other have a line between them", arguments: ["M", "dd"])
  func lines(keys: String) throws {
    var stage = try Stage(columns: 200, rows: 60, snapshot: SampleRun(targets: Self.five).snapshot)
    for key in keys { stage.press(key) }
    stage.frame()
    let panes = try #require(stage.scene).panes.panes
    let frame = stage.screen.context.plotFrame
    #expect(panes.contains { $0.x > 0 })
    for pane in panes where pane.x > 0 {
      for y in pane.y..<pane.y + pane.geometry.height {
        let cell = stage.buffer[frame.x0 + pane.x - 1, frame.y0 + y].text
        #expect(cell == (y == pane.y ? "┬" : "│"), "\(pane.x) \(y) \(cell)")
      }
    }
  }

  @Test("of many targets, the header names as many as fit and counts the others")
  func names() throws {
    let names = (1...12).map { "target-\($0)" }
    for isEnded in [false, true] {
      var stage = try Stage(
        columns: isEnded ? 100 : 120, rows: 30,
        snapshot: SampleRun(
          targets: names, phase: isEnded ? .ended(at: Self.end, reason: "completed") : .live
        ).snapshot)
      if !isEnded { stage.press(.left, .shift) }
      stage.frame()
      let header = stage.rows[0]
      #expect(header.contains("\(stage.screen.appearance.targetSign(0)) targ…"), "\(header)")
      #expect((1..<12).contains { header.contains(" +\($0) ") }, "\(header)")
      #expect(header.contains(isEnded ? "ended" : "looking back"), "\(header)")
    }
  }

  @Test("shorter texts are taken one after the other")
  func further() {
    var item = LineItem(
      priority: 2, [TextSpan("one two three", .plain)],
      short: LineItem.Short(priority: 2, spans: [TextSpan("one two +1", .plain)]))
    item.further = [LineItem.Short(priority: 2, spans: [TextSpan("one +2", .plain)])]
    func text(_ width: Int) -> String {
      let last = LineItem(priority: 9, [TextSpan("p50", .plain)])
      return TextSpan.text(
        of: FittedLine(left: [item], right: [last], width: width, gap: 1, middle: 1).left)
    }
    #expect(text(17) == "one two three" && text(16) == "one two +1" && text(13) == "one +2")
    #expect(text(10) == "one +2" && text(9) == "")
  }

  @Test("the heat map of hours says what it needs where there are no sums")
  func noHours() throws {
    var stage = try Stage(columns: 60, rows: 16)
    stage.press("H")
    let order = try #require(stage.screen.order.calendar)
    let run = try #require(stage.screen.context.shown.run?.id)
    stage.screen.show(CalendarFigures(order: order, run: run, hours: []), at: stage.screen.window.time)
    stage.frame()
    #expect(stage.text.contains("no sums of this run: they are written after a minute"))
  }

  @Test(
    "labels of the time axis keep away from the names of percentiles",
    arguments: [GlyphRepertoire.braille, .ascii])
  func bands(glyphs: GlyphRepertoire) throws {
    var stage = try Stage(columns: 100, rows: 30, glyphs: glyphs, snapshot: SampleRun(seconds: 900).snapshot)
    stage.press("B")
    let frame = stage.screen.context.plotFrame
    let legend = glyphs == .ascii ? 9 : 8
    for _ in 0..<30 {
      stage.press(.left)
      stage.frame()
      let row = stage.rows[frame.y1 - 1].dropFirst(frame.x0)
      #expect(row.prefix(legend).contains("50") && row.prefix(legend).contains("99"), "\(row)")
      #expect(!row.prefix(legend).contains(":") && row.dropFirst(legend).first == " ", "\(row)")
    }
  }

  @Test("a comparison in the smallest terminal has counts, quantiles and the intervals of their differences")
  func comparison() throws {
    var stage = try Stage(
      columns: 60, rows: 16, motion: .none,
      snapshot: SampleRun(
        rate: 8, targets: ["ios", "android"], phase: .ended(at: Self.end, reason: "completed")
      ).snapshot)
    stage.press("c")
    stage.frames(3)
    let panel = Golden.rows(of: stage.part(stage.screen.context.panelFrame))
    for label in ["planned", "arrived", "p50", "p90", "p99"] {
      #expect(panel.contains { $0.hasPrefix(" \(label) ") }, "\(panel)")
    }
    let median = try #require(panel.first { $0.hasPrefix(" p50 ") })
    #expect(median.contains(" ms ") && median.contains(" to "), "\(median)")
    #expect(panel.allSatisfy { $0.contains { $0 != " " } }, "\(panel)")
  }
}
