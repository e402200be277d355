import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct SlidingPanelsTests {
  @Test(
    "S1-01 the plot's cells do not change while a panel slides", arguments: [(80, 24), (120, 40), (200, 60)])
  func plotStays(columns: Int, rows: Int) throws {
    let scene = try PanelScene(columns: Double(columns), rows: Double(rows))
    let area = scene.plot.cellFrame
    let before = scene.draw().rows(in: area)
    for vertically in [false, true] {
      if vertically {
        try scene.manager.slideVertically(activate: .histogram)
      } else {
        try scene.manager.slideHorizontally(activate: .log)
      }
      var changed = false
      for _ in 0...16 {
        scene.window.advance(to: scene.window.time + .nanoseconds(16_666_667))
        let canvas = scene.draw()
        #expect(canvas.rows(in: area) == before)
        changed = changed || canvas.rows(in: scene.host.cellFrame).joined().contains("l")
      }
      #expect(changed)
    }
  }

  @Test("S1-11 a slide lasts 15 frames at 60 Hz and is half done at its half")
  func duration() throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    #expect(scene.page(.log).cellFrame.x0 == 80)
    scene.window.advance(to: .milliseconds(125))
    #expect(scene.page(.histogram).cellFrame.x0 == -40)
    #expect(scene.page(.log).cellFrame.x0 == 40)
    scene.window.advance(to: .frame(14))
    #expect(scene.manager.isSliding)
    scene.window.advance(to: .frame(15))
    #expect(!scene.manager.isSliding)
    #expect(scene.page(.log).cellFrame == scene.host.cellFrame)
    #expect(scene.page(.histogram).isHidden)
  }

  @Test("S1-14 both pages move together, without gap or overlap", arguments: [20.0, 80, 81, 133, 200])
  func together(columns: Double) throws {
    let scene = try PanelScene(columns: columns, rows: 31)
    try scene.manager.slideHorizontally(activate: .events)
    #expect(scene.page(.histogram).cellFrame.x1 == scene.page(.events).cellFrame.x0)
    for frame in 1..<15 {
      scene.window.advance(to: .frame(Int64(frame)))
      #expect(scene.page(.histogram).cellFrame.x1 == scene.page(.events).cellFrame.x0)
    }
  }
}
