import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct TestKitTests {
  @Test("a layout that differs is shown as a difference")
  func difference() throws {
    let window = Window(size: Size(width: 20, height: 5))
    let view = View(identifier: "box")
    view.frame = Rect(x: 1, y: 1, width: 4, height: 2)
    window.root.addSubview(view)
    window.advance(to: .zero)
    try requireLayout(of: window.root, "root 0,0 20×5\n  box 1,1 4×2")
    let mismatch = #expect(throws: Mismatch.self) {
      try requireLayout(of: window.root, "root 0,0 20×5\n  box 1,1 4×3\n  lamp 0,0 1×1")
    }
    #expect(
      mismatch?.difference == "  root 0,0 20×5\n-   box 1,1 4×3\n-   lamp 0,0 1×1\n+   box 1,1 4×2")
    view.isHidden = true
    try requireLayout(of: window.root, "root 0,0 20×5\n  box 1,1 4×2 hidden")
  }

  @Test("the recorder keeps every frame, and gluing is checked on all of them")
  func recorder() throws {
    let scene = try PanelScene()
    try scene.manager.slideHorizontally(activate: .log)
    var recorder = FrameRecorder(scene.window)
    recorder.recordNow()
    let frames = recorder.runUntilIdle()
    #expect(frames >= 15 && frames <= 16)
    #expect(recorder.cells(of: scene.page(.log)).first?.x0 == 80)
    #expect(recorder.cells(of: scene.page(.log)).last?.x0 == 0)
    try requireGlued(scene.page(.histogram), scene.page(.log), in: recorder)
    #expect(throws: Mismatch.self) {
      try requireGlued(scene.page(.log), scene.page(.histogram), in: recorder)
    }
  }

  @Test("the canvas clips, keeps backgrounds under text and makes control characters visible")
  func canvas() throws {
    let canvas = TextCanvas(columns: 6, rows: 2)
    canvas.fill(canvas.bounds, glyph: ".", style: CellStyle(background: Color(1, 2, 3)))
    canvas.clip = CellRect(x0: 1, y0: 0, x1: 5, y1: 1)
    #expect(canvas.write("a\u{1B}\u{202E}bcdef", x: 0, y: 0, style: .plain) == 8)
    try requireText(on: canvas, ".\u{FFFD}\u{FFFD}bc.\n......")
    #expect(canvas.style(x: 3, y: 0).background == Color(1, 2, 3))
    canvas.fade(canvas.bounds, towards: Color(0, 0, 0), alpha: 0)
    #expect(canvas.style(x: 1, y: 0).background == Color(0, 0, 0))
    #expect(canvas.style(x: 0, y: 1).background == Color(1, 2, 3))
    canvas.clear()
    #expect(canvas.text == "      \n      ")
  }
}
