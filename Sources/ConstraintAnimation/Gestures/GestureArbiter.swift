/// Arbitrates between recognizers that follow the same pointer.
///
/// The rules: a recognizer that recognizes stops all others of the sequence, unless one of the two says they may go
/// on together, or both are taps and the other wants more of them. A recognizer that requires others to fail is held
/// back until they have, and fails when one of them recognizes.
final class GestureArbiter {
  /// Recognizers of the sequence in progress, from the view that was hit outwards.
  private(set) var following: [GestureRecognizer] = []

  /// Whether anything has begun and not ended.
  var isGestureInProgress: Bool {
    following.contains { $0.state == .began || $0.state == .changed }
  }

  func follow(_ recognizer: GestureRecognizer) {
    guard !following.contains(where: { $0 === recognizer }) else { return }
    following.append(recognizer)
  }

  func deliver(_ event: InputEvent, at time: MotionTime) {
    for recognizer in following where recognizer.isOpen {
      recognizer.pointer = event.location
      _ = recognizer.receive(event, at: time)
    }
  }

  /// Removes recognizers that are done; those that wait for more taps or for others stay.
  func settle() {
    for recognizer in following where !recognizer.isOpen { recognizer.reset() }
    following.removeAll { $0.state == .possible && !$0.isWaiting }
  }

  func transition(_ recognizer: GestureRecognizer, to state: GestureRecognizer.State) {
    let recognizes = recognizer.state == .possible && (state == .began || state == .ended)
    if recognizes {
      guard !mustWait(recognizer, with: state) else { return }
      guard mayRecognize(recognizer) else {
        transition(recognizer, to: .failed)
        return
      }
    }
    recognizer.heldState = nil
    recognizer.state = state
    if recognizes { stopOthers(than: recognizer) }
    if state != .failed { recognizer.action(recognizer) }
    if state == .failed { releaseHeld() }
  }

  /// Ends what is going on: begun gestures are cancelled with their action called, others forgotten.
  func cancelAll() {
    let all = following
    following = []
    for recognizer in all { abort(recognizer) }
  }

  /// Cancels recognizers that still follow the pointer because its release was not reported, before the next press.
  func cancelPointerGestures() {
    for recognizer in following
    where recognizer.followsPointer && (recognizer.state == .began || recognizer.state == .changed) {
      cancel(recognizer)
    }
  }

  func cancel(_ recognizer: GestureRecognizer) {
    following.removeAll { $0 === recognizer }
    abort(recognizer)
  }

  func forget(_ view: View) {
    for recognizer in view.gestureRecognizers { cancel(recognizer) }
  }

  private func abort(_ recognizer: GestureRecognizer) {
    if recognizer.state == .began || recognizer.state == .changed {
      recognizer.state = .cancelled
      recognizer.action(recognizer)
    }
    recognizer.heldState = nil
    recognizer.reset()
  }

  private func mustWait(_ recognizer: GestureRecognizer, with state: GestureRecognizer.State) -> Bool {
    for required in recognizer.requiredToFail {
      guard let other = required.recognizer, other !== recognizer else { continue }
      if following.contains(where: { $0 === other }), other.state == .possible {
        recognizer.heldState = state
        return true
      }
    }
    return false
  }

  private func mayRecognize(_ recognizer: GestureRecognizer) -> Bool {
    following.allSatisfy { other in
      other === recognizer || !other.hasRecognized || areSimultaneous(recognizer, other)
        || isEarlierTap(other, than: recognizer)
    }
  }

  private func stopOthers(than recognizer: GestureRecognizer) {
    for other in following where other !== recognizer && other.state == .possible {
      let waitsForThis = other.requiredToFail.contains { $0.recognizer === recognizer }
      if !waitsForThis {
        if areSimultaneous(recognizer, other) || isEarlierTap(recognizer, than: other) { continue }
      }
      transition(other, to: .failed)
    }
  }

  private func releaseHeld() {
    for recognizer in following {
      if let state = recognizer.heldState, recognizer.state == .possible {
        transition(recognizer, to: state)
      }
    }
  }

  private func areSimultaneous(_ one: GestureRecognizer, _ other: GestureRecognizer) -> Bool {
    one.simultaneousWith(other) || other.simultaneousWith(one)
  }

  private func isEarlierTap(_ one: GestureRecognizer, than other: GestureRecognizer) -> Bool {
    guard let one = one as? TapGestureRecognizer, let other = other as? TapGestureRecognizer else {
      return false
    }
    return one.numberOfTapsRequired < other.numberOfTapsRequired
  }
}

extension GestureRecognizer {
  /// Still takes events.
  var isOpen: Bool { state == .possible || state == .began || state == .changed }

  var hasRecognized: Bool { state == .began || state == .changed || state == .ended }
}
