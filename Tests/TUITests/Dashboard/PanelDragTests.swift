import ConstraintAnimation
import Testing

@testable import TUI

@Suite("Panels are dragged")
struct PanelDragTests {
  /// Presses, drags by steps of `step` columns every frame, and lets go after a rest of some frames.
  private static func drag(
    _ stage: inout Stage, from x: Int, by step: Int, times: Int, every frames: Int = 1, rest: Int,
    vertically: Bool = false
  ) {
    let host = stage.screen.context.panelFrame
    var (column, row) = (host.x0 + x, host.y0 + (vertically ? x : host.height / 2))
    if vertically { column = host.x0 + 20 }
    stage.mouse(.mouseDown, x: column, y: row)
    for _ in 0..<times {
      if vertically { row += step } else { column += step }
      stage.frames(frames)
      stage.mouse(.mouseDrag, x: column, y: row)
    }
    stage.frames(rest)
    stage.mouse(.mouseUp, x: column, y: row)
    stage.frames(30)
  }

  @Test("a slow drag over more than half goes on, one of less goes back")
  func distance() throws {
    var stage = try Stage()
    // A column every other frame is slow: thirty a second.
    Self.drag(&stage, from: 90, by: -1, times: 40, every: 2, rest: 10)
    #expect(stage.screen.context.activePanel == .histogram)
    #expect(stage.page(.histogram)?.cellFrame == stage.screen.context.panelFrame)
    let host = stage.screen.context.panelFrame
    stage.mouse(.mouseDown, x: host.x0 + 100, y: host.y0 + 5)
    for step in 1...65 {
      stage.frames(2)
      stage.mouse(.mouseDrag, x: host.x0 + 100 - step, y: host.y0 + 5)
    }
    let page = try #require(stage.page(.histogram))
    #expect(abs(page.cellFrame.x0 - (host.x0 - 65)) <= 1, "it follows the pointer")
    #expect(stage.page(.log)?.cellFrame.x0 == page.cellFrame.x1)
    stage.frames(10)
    stage.mouse(.mouseUp, x: host.x0 + 35, y: host.y0 + 5)
    stage.frames(30)
    #expect(stage.screen.context.activePanel == .log && stage.screen.state.panel == .log)
    #expect(stage.rows[0].contains("[2 Log]"))
  }

  @Test("a fast swipe goes on however short it is")
  func velocity() throws {
    var stage = try Stage()
    Self.drag(&stage, from: 90, by: -4, times: 4, rest: 0)
    #expect(stage.screen.context.activePanel == .log)
    Self.drag(&stage, from: 20, by: 4, times: 4, rest: 0)
    #expect(stage.screen.context.activePanel == .histogram && stage.screen.state.panel == .histogram)
  }

  @Test("vertical slides are dragged vertically")
  func vertical() throws {
    var stage = try Stage()
    stage.press("O")
    Self.drag(&stage, from: 15, by: -2, times: 4, rest: 0, vertically: true)
    #expect(stage.screen.context.activePanel == .log)
    stage.press("4")
    stage.frames(7)
    let page = try #require(stage.page(.runs)).cellFrame
    let host = stage.screen.context.panelFrame
    #expect(page.x0 == host.x0 && page.y0 < host.y0, "a page further on comes down from above")
    stage.frames(20)
    #expect(stage.page(.runs)?.cellFrame == host)
  }

  @Test("a drag that a resize interrupts ends in its place")
  func resized() throws {
    var stage = try Stage()
    let host = stage.screen.context.panelFrame
    stage.mouse(.mouseDown, x: host.x0 + 60, y: host.y0 + 3)
    stage.mouse(.mouseDrag, x: host.x0 + 40, y: host.y0 + 3)
    stage.frame()
    stage.resize(columns: 90, rows: 30)
    stage.mouse(.mouseUp, x: 30, y: 20)
    stage.frames(30)
    #expect(stage.page(.histogram)?.cellFrame == stage.screen.context.panelFrame)
    #expect(Panel.allCases.filter { stage.page($0)?.isHidden == false } == [.histogram])
  }
}
