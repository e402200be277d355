/// A state machine over input events. Attach one to a view with ``View/addGestureRecognizer(_:)``; its action runs on
/// each change of state that matters. Each kind hands itself to its action: a pan's closure gets a
/// ``PanGestureRecognizer``.
open class GestureRecognizer {
  /// How far the gesture has come.
  public enum State: Sendable, Hashable {
    case possible, began, changed, ended, cancelled, failed
  }

  public internal(set) weak var view: View?
  public internal(set) var state = State.possible

  /// A recognizer that is switched off in the middle of a gesture is cancelled.
  public var isEnabled = true {
    didSet { if !isEnabled, oldValue { window?.gestures.cancel(self) } }
  }

  /// Whether another recognizer may go on when this one has begun, or the other way round.
  public var simultaneousWith: (GestureRecognizer) -> Bool = { _ in false }

  var action: (GestureRecognizer) -> Void
  var requiredToFail: [WeakRecognizer] = []
  /// Where the pointer is, in window coordinates.
  var pointer = Point.zero
  /// Ready to begin or end, but waiting for another recognizer to fail.
  var heldState: State?
  /// Ends a gesture made of steps.
  var idleTimer: UInt64?

  public init(action: @escaping (GestureRecognizer) -> Void) {
    self.action = action
  }

  var window: Window? { view?.window }

  /// Where the pointer is in a view's coordinates, or the window's for nil.
  public func location(in view: View?) -> Point {
    view?.convertFromWindow(pointer) ?? pointer
  }

  /// This recognizer waits with its own recognition until `other` has failed.
  public func require(toFail other: GestureRecognizer) {
    requiredToFail.append(WeakRecognizer(other))
  }

  // MARK: For the kinds of recognizers

  /// Receives an event; changes state through ``enter(_:)``.
  /// - Returns: whether the event was one of its own.
  func receive(_ event: InputEvent, at time: MotionTime) -> Bool { false }

  /// Has seen part of a gesture and waits for the rest, though no button is down.
  var isWaiting: Bool { heldState != nil }

  /// A button that went down has begun it and a button that goes up is to end it.
  var followsPointer: Bool { false }

  /// Back to `possible`, ready for the next sequence.
  func reset() {
    stopIdleTimer()
    state = .possible
  }

  /// Goes into a state if arbitration allows.
  func enter(_ newState: State) {
    window?.gestures.transition(self, to: newState)
  }
}

extension GestureRecognizer {
  /// One step of a gesture made of wheel ticks or keys: it begins with the first, and ends when none has come for a
  /// while. `began` comes before the step, `changed` after it.
  func performStep(endsAfterIdle idle: Duration, _ step: () -> Void) {
    guard let window else { return }
    stopIdleTimer()
    window.gestures.follow(self)
    if state == .possible { enter(.began) }
    guard state == .began || state == .changed else {
      window.gestures.settle()
      return
    }
    step()
    enter(.changed)
    idleTimer = window.timeline.schedule(at: window.time + idle) { [weak self] in
      guard let self else { return }
      self.idleTimer = nil
      guard self.state == .began || self.state == .changed else { return }
      self.enter(.ended)
      self.window?.gestures.settle()
    }
  }

  func stopIdleTimer() {
    if let idleTimer { window?.timeline.cancelTimer(idleTimer) }
    idleTimer = nil
  }
}

extension View {
  /// Has the recognizer see the events of this view and of those in it. It belongs to one view at a time.
  public final func addGestureRecognizer(_ recognizer: GestureRecognizer) {
    recognizer.view?.removeGestureRecognizer(recognizer)
    gestureRecognizers.append(recognizer)
    recognizer.view = self
  }

  /// Removes the recognizer; a gesture under way is cancelled.
  public final func removeGestureRecognizer(_ recognizer: GestureRecognizer) {
    guard let index = gestureRecognizers.firstIndex(where: { $0 === recognizer }) else { return }
    window?.gestures.cancel(recognizer)
    gestureRecognizers.remove(at: index)
    recognizer.view = nil
  }
}

/// A reference that does not keep a recognizer alive.
struct WeakRecognizer {
  weak var recognizer: GestureRecognizer?

  init(_ recognizer: GestureRecognizer) { self.recognizer = recognizer }
}

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
        timer = window?.timeline.schedule(at: time + maximumInterval) { [weak self] in self?.expire() }
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
    if let timer { window?.timeline.cancelTimer(timer) }
    timer = nil
  }
}
