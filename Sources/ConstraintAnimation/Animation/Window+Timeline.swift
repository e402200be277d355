extension Window {
  /// Goes to `target`: fires timers and completions in the order of their times, each at its own time, lays out
  /// what is pending and samples every animation.
  ///
  /// Because a completion runs at the end of its animation and not at the frame that notices, what it starts does
  /// not depend on the frame rate.
  /// - Parameter target: times before the window's are taken for its own.
  @discardableResult
  public func advance(to target: MotionTime) -> FrameChange {
    step(to: target)
    return makeFrameChange()
  }

  /// The same without looking for what changed on screen.
  func step(to target: MotionTime) {
    let goal = max(time, target)
    // A completion that starts an animation of no duration whose completion does the same would never end.
    var budget = 10_000
    while budget > 0, let due = nextEventTime, due <= goal {
      time = max(time, due)
      fireNextEvent()
      budget -= 1
    }
    time = goal
    layoutIfNeeded()
    sample()
  }

  /// When the next frame is due that can change a cell, or the next timer; nil when everything is at rest. It is the
  /// window's own time when something already waits to be drawn.
  public var nextDeadline: MotionTime? {
    if layoutPending || !damage.isEmpty || !invalidItems.isEmpty { return time }
    var deadline: MotionTime?
    func consider(_ candidate: MotionTime) {
      if deadline.map({ candidate < $0 }) ?? true { deadline = candidate }
    }
    let frame = wasStill ? nextVisibleFrame() : time + frameInterval
    for block in blocks where block.driver == nil {
      if block.start > time {
        consider(block.start + frameInterval)
      } else {
        consider(min(frame, max(block.end, time)))
      }
    }
    for driver in drivers where driver.isMoving {
      consider(driver.arrival.map { min(frame, max($0, time)) } ?? frame)
    }
    for timer in timers { consider(max(timer.deadline, time)) }
    return deadline
  }

  /// Whether anything moves or waits to.
  public var isAnimating: Bool { !blocks.isEmpty }

  func schedule(at deadline: MotionTime, action: @escaping () -> Void) -> UInt64 {
    defer { nextTimerID += 1 }
    timers.append(MotionTimer(id: nextTimerID, deadline: deadline, action: action))
    return nextTimerID
  }

  func cancelTimer(_ id: UInt64) {
    timers.removeAll { $0.id == id }
  }

  /// The next frame on which an edge crosses into another cell, looked for at most 32 frames ahead: a slow animation
  /// does not wake the program for frames that would come out alike.
  private func nextVisibleFrame() -> MotionTime {
    var candidate = time
    for _ in 0..<32 {
      candidate = candidate + frameInterval
      sampleTracks(at: candidate)
      if blocks.contains(where: \.changesWhatIsShown) { break }
    }
    sampleTracks(at: time)
    return candidate
  }

  private var nextEventTime: MotionTime? {
    var earliest: MotionTime?
    func consider(_ candidate: MotionTime) {
      if earliest.map({ candidate < $0 }) ?? true { earliest = candidate }
    }
    for timer in timers { consider(timer.deadline) }
    for block in blocks where block.driver == nil { consider(block.end) }
    for driver in drivers { if let arrival = driver.arrival { consider(arrival) } }
    return earliest
  }

  /// Fires one event that is due at the window's time: timers first, then completions by their order and number.
  private func fireNextEvent() {
    let dueTimer = timers.indices.filter { timers[$0].deadline <= time }.min {
      (timers[$0].deadline, timers[$0].id) < (timers[$1].deadline, timers[$1].id)
    }
    if let dueTimer {
      timers.remove(at: dueTimer).action()
      return
    }
    let dueBlock = blocks.indices.filter { blocks[$0].driver == nil && blocks[$0].end <= time }.min {
      (blocks[$0].order, blocks[$0].id) < (blocks[$1].order, blocks[$1].id)
    }
    if let dueBlock {
      let block = blocks.remove(at: dueBlock)
      end(block)
      onMotionEvent?(.completed(id: block.id, finished: true))
      block.completion?(true)
      return
    }
    drivers.first { $0.arrival.map { $0 <= time } ?? false }?.arrive(in: self)
  }

  /// Lets go of what a block animated; the model is what is on screen then, plus other blocks.
  func end(_ block: AnimationBlock) {
    for track in block.tracks {
      track.reset()
      invalidate(track.item)
    }
    for track in block.constantTracks { track.constraint.constantOffset = 0 }
    sample()
    for track in block.constantTracks { engine.setConstant(of: track.constraint) }
    if !block.constantTracks.isEmpty { constraintsChanged() }
  }

  /// Computes the offsets of everything that moves, for the window's time. Allocates nothing.
  func sample() {
    guard !blocks.isEmpty else { return }
    sampleTracks(at: time)
    var solves = false
    for block in blocks {
      for track in block.tracks { invalidate(track.item) }
      for track in block.constantTracks { track.constraint.constantOffset = 0 }
    }
    for block in blocks where !block.constantTracks.isEmpty {
      let phase = block.phase(at: time)
      for track in block.constantTracks {
        track.constraint.constantOffset += track.delta * phase.remainder
        solves = true
      }
    }
    if solves { solveAnimatedConstants() }
  }

  private func sampleTracks(at instant: MotionTime) {
    for block in blocks {
      for track in block.tracks { track.reset() }
    }
    for block in blocks {
      let phase = block.phase(at: instant)
      for track in block.tracks {
        track.add(track.delta * phase.remainder + track.velocity * phase.carried)
      }
    }
  }

  private func solveAnimatedConstants() {
    for block in blocks {
      for track in block.constantTracks { engine.setConstant(of: track.constraint) }
    }
    layoutPending = true
    contexts.append(nil)
    layoutIfNeeded()
    contexts.removeLast()
  }
}
