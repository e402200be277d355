import ConstraintAnimation
import Terminal
import Testing

@testable import TUI

@Suite("Plot and panel below or beside each other")
struct ArrangeTests {
  @Test("o rotates in small steps, and there and back is where it was")
  func rotate() throws {
    var stage = try Stage(columns: 160, rows: 40)
    stage.press("2")
    stage.press(.up)
    stage.frames(30)
    let (plot, host) = (stage.screen.context.plotFrame, stage.screen.context.panelFrame)
    let before = stage.cells(in: stage.buffer.bounds)
    let state = stage.screen.state
    stage.press("o")
    var seen: Set<Int> = []
    for _ in 0..<20 {
      stage.frame()
      seen.insert(stage.screen.context.panelFrame.x0)
    }
    #expect(seen.count > 8, "it moves, it does not leap")
    let (beside, panel) = (stage.screen.context.plotFrame, stage.screen.context.panelFrame)
    #expect(beside.y0 == panel.y0 && beside.y1 == panel.y1 && beside.x1 + 1 == panel.x0)
    #expect(beside.width > panel.width && panel.width >= 50)
    #expect(stage.screen.context.activePanel == .log && stage.screen.state.lists.log == state.lists.log)
    #expect(stage.page(.log)?.cellFrame == panel)
    stage.press("o")
    stage.frames(30)
    #expect(stage.screen.context.plotFrame == plot && stage.screen.context.panelFrame == host)
    // What was said of it goes by itself.
    stage.wait(.seconds(5))
    #expect(stage.cells(in: stage.buffer.bounds) == before)
  }

  @Test("a slide goes on while it rotates, and ends in the panel's new place")
  func during() throws {
    var stage = try Stage(columns: 160, rows: 40)
    stage.press("3")
    stage.frames(4)
    stage.press("o")
    stage.frames(40)
    #expect(stage.page(.events)?.cellFrame == stage.screen.context.panelFrame)
    #expect(stage.page(.histogram)?.isHidden == true)
  }

  @Test(
    "wide and short terminals begin side by side, and a resize changes it only as long as nobody has chosen")
  func automatic() throws {
    var stage = try Stage(columns: 200, rows: 24, arrangement: nil)
    #expect(stage.screen.context.arrangement == .beside)
    #expect(stage.screen.context.panelFrame.y0 == stage.screen.context.plotFrame.y0)
    stage.resize(columns: 120, rows: 40)
    stage.frame()
    #expect(
      stage.screen.context.arrangement == .below
        && stage.screen.context.panelFrame.y0 > stage.screen.context.plotFrame.y0)
    stage.press("o")
    stage.frames(30)
    stage.resize(columns: 100, rows: 50)
    stage.frames(2)
    #expect(stage.screen.context.arrangement == .beside)
  }

  @Test(
    "side by side every size is drawn without a trap", arguments: [(60, 16), (61, 17), (500, 200), (140, 28)])
  func sizes(size: (Int, Int)) throws {
    var stage = try Stage(
      columns: size.0, rows: size.1, arrangement: .beside, snapshot: SampleRun(targets: ["a", "b"]).snapshot)
    for key: Character in ["2", "3", "4", "1", "c", ":"] {
      stage.press(key)
      stage.frames(25)
    }
    #expect(stage.screen.context.panelFrame.width > 10)
  }
}
