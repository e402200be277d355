/// One or several clicks in one place. Discrete: its action runs once, in the state `ended`.
public final class TapGestureRecognizer: GestureRecognizer {
  public var numberOfTapsRequired = 1

  /// The longest time from one click to the next, 300 ms.
  public var maximumInterval: Duration = .milliseconds(300)

  /// The pointer must move less than this between press and release, in cells.
  public var allowableMovement = 1.0

  /// Keys that count as the whole gesture wherever the focus is, as long as the view is shown and enabled.
  public var keyEquivalents: Set<InputEvent.Key> = []

  private var start: Point?
  private var taps = 0
  private var timer: UInt64?

  /// - Parameter action: runs on each change of state that matters; see ``GestureRecognizer/state``.
  public override init(action: @escaping (TapGestureRecognizer) -> Void) {
    super.init { recognizer in
      if let own = recognizer as? TapGestureRecognizer { action(own) }
    }
  }

  override func receive(_ event: InputEvent, at time: MotionTime) -> Bool {
    switch event.kind {
    case .mouseDown:
      stopTimer()
      if taps > 0, let start, (event.location - start).magnitude > allowableMovement + 1 { taps = 0 }
      start = event.location
    case .mouseDrag:
      if let start, (event.location - start).magnitude >= allowableMovement { enter(.failed) }
    case .mouseUp:
      guard let start else { return false }
      guard (event.location - start).magnitude < allowableMovement else {
        enter(.failed)
        return true
      }
      taps += 1
      if taps >= numberOfTapsRequired {
        enter(.ended)
      } else {
        timer = window?.schedule(at: time + maximumInterval) { [weak self] in self?.expire() }
      }
    default:
      return false
    }
    return true
  }

  override var isWaiting: Bool { super.isWaiting || (taps > 0 && timer != nil) }

  override func reset() {
    super.reset()
    stopTimer()
    start = nil
    taps = 0
  }

  /// A key that stands for the gesture has been pressed.
  func recognizeKey() {
    guard state == .possible, heldState == nil else { return }
    state = .ended
    action(self)
    reset()
  }

  private func expire() {
    timer = nil
    enter(.failed)
    window?.gestures.settle()
  }

  private func stopTimer() {
    if let timer { window?.cancelTimer(timer) }
    timer = nil
  }
}
