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
    noteTimeIsTold(goal)
    // A completion that starts an animation of no duration whose completion does the same would never end.
    var budget = max(10_000, 2 * blocks.count)
    while budget > 0, let due = nextEventTime, due <= goal {
      time = max(time, due)
      fireNextEvent()
      budget -= 1
    }
    // A completion may have gone further than this call was to go.
    time = max(time, goal)
    dropRetiredBlocks()
    layoutIfNeeded()
    sample()
    deliverInterrupted()
  }

  /// When the next frame is due that can change a cell, or the next timer; nil when everything is at rest. It is the
  /// window's own time when something already waits to be drawn.
  public var nextDeadline: MotionTime? {
    let deadline = findDeadline()
    // Who is told to sleep for long has to tell the time before animating again.
    wasToldToSleep = deadline.map { $0 > time + frameInterval * 3 } ?? true
    return deadline
  }

  private func findDeadline() -> MotionTime? {
    if layoutPending || !damage.isEmpty || !invalidItems.isEmpty { return time }
    dropRetiredBlocks()
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

  /// An animation begins at the window's time. If the program was told to sleep and has not told the time since, that
  /// may lie far back; the next step shows how far.
  func noteAnimationBegins() {
    if wasToldToSleep, !isStepping { beganUnawares = true }
  }

  private func noteTimeIsTold(_ goal: MotionTime) {
    if beganUnawares, goal > time + frameInterval * 8 { report(.timeNotAdvanced(goal - time)) }
    beganUnawares = false
    wasToldToSleep = false
  }

  /// Whether anything moves or waits to.
  public var isAnimating: Bool { blocks.count > retiredCount }

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
    var earliest = endings.next()?.end
    func consider(_ candidate: MotionTime) {
      if earliest.map({ candidate < $0 }) ?? true { earliest = candidate }
    }
    for timer in timers { consider(timer.deadline) }
    for driver in drivers { if let arrival = driver.arrival { consider(arrival) } }
    return earliest
  }

  /// Fires one event that is due at the window's time: timers first, then completions by their order and number.
  private func fireNextEvent() {
    let wasStepping = isStepping
    isStepping = true
    defer { isStepping = wasStepping }
    let dueTimer = timers.indices.filter { timers[$0].deadline <= time }.min {
      (timers[$0].deadline, timers[$0].id) < (timers[$1].deadline, timers[$1].id)
    }
    if let dueTimer {
      timers.remove(at: dueTimer).action()
      return
    }
    if let block = endings.next(), block.end <= time {
      retire(block)
      end(block)
      onMotionEvent?(.completed(id: block.id, finished: true))
      block.completion?(true)
      return
    }
    drivers.first { $0.arrival.map { $0 <= time } ?? false }?.arrive(in: self)
  }

  func retire(_ block: AnimationBlock) {
    block.isRetired = true
    retiredCount += 1
  }

  func dropRetiredBlocks() {
    guard retiredCount > 0 else { return }
    blocks.removeAll(where: \.isRetired)
    retiredCount = 0
  }

  /// Lets go of what a block animated; the model is what is on screen then, plus other blocks.
  func end(_ block: AnimationBlock) { refresh(block.removeTracks()) }

  /// Works out the offsets of what `removed` animated from the tracks that are left.
  func refresh(_ removed: [AnimationTrack]) {
    var solves = false
    for track in removed {
      track.reset()
      let property = track.property
      for place in track.object.trackPlaces where place.property == property {
        let other = place.block.tracks[place.index]
        let phase = place.block.phase(at: time)
        other.add(other.delta * phase.remainder + other.velocity * phase.carried)
      }
      if present(track) { solves = true }
    }
    if solves { layoutWithoutAnimation() }
  }

  /// Computes the offsets of everything that moves, for the window's time. Allocates nothing.
  func sample() {
    guard !blocks.isEmpty else { return }
    sampleTracks(at: time)
    var solves = false
    for block in blocks {
      for track in block.tracks where present(track) { solves = true }
    }
    if solves { layoutWithoutAnimation() }
  }

  private func sampleTracks(at instant: MotionTime) {
    for block in blocks {
      for track in block.tracks { track.reset() }
    }
    for block in blocks where !block.isEmpty {
      let phase = block.phase(at: instant)
      for track in block.tracks {
        track.add(track.delta * phase.remainder + track.velocity * phase.carried)
      }
    }
  }

  /// Has what a track moves compared with what is shown, or handed to the solver.
  /// - Returns: whether the layout has to be solved.
  private func present(_ track: AnimationTrack) -> Bool {
    switch track.target {
    case .frame(let item): invalidate(item)
    case .alpha(let view), .tint(let view), .background(let view), .transform(let view): invalidate(view)
    case .constant(let constraint):
      guard constraint.handle != nil else { return false }
      engine.setConstant(of: constraint)
      return true
    }
    return false
  }

  /// Solves for constants that animations have moved: nothing new is animated by that.
  private func layoutWithoutAnimation() {
    layoutPending = true
    contexts.append(nil)
    isMovingConstants = true
    layoutIfNeeded()
    isMovingConstants = false
    contexts.removeLast()
  }
}
