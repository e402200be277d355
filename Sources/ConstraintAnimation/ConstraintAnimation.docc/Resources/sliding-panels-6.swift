import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Test func panelsTouchOnEveryFrame() throws {
  let dashboard = try Dashboard(size: Size(width: 80, height: 24))
  let pages = dashboard.host.subviews

  let key = InputEvent(kind: .key(.character("2")))
  dashboard.window.send(key, at: .zero)

  var recorder = FrameRecorder(dashboard.window)
  recorder.recordNow()
  recorder.runUntilIdle()

  try requireGlued(pages[0], pages[1], in: recorder)
  #expect(dashboard.panels.active == .log)
  #expect(pages[1].cellFrame == dashboard.host.cellFrame)
  #expect(pages[0].isHidden)
}
