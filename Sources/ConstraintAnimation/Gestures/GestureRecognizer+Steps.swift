extension GestureRecognizer {
  /// One step of a gesture made of wheel ticks or keys: it begins with the first, and ends when none has come for a
  /// while. `began` comes before the step, `changed` after it.
  func takeStep(endsAfterIdle idle: Duration, _ step: () -> Void) {
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
    idleTimer = window.schedule(at: window.time + idle) { [weak self] in
      guard let self else { return }
      self.idleTimer = nil
      guard self.state == .began || self.state == .changed else { return }
      self.enter(.ended)
      self.window?.gestures.settle()
    }
  }

  func stopIdleTimer() {
    if let idleTimer { window?.cancelTimer(idleTimer) }
    idleTimer = nil
  }
}
