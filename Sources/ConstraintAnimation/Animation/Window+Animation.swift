extension Window {
  /// The block that changes are registered with at this moment.
  var currentBlock: AnimationBlock? { timeline.currentBlock }

  /// Runs `animations` and lets what it changes move to its new values: alpha, colors, transforms and frames set by
  /// hand at once, constraints as soon as the block calls `layoutIfNeeded()`.
  ///
  /// Animations of the same property add up, so that one that begins while another runs turns the motion round
  /// without a jump in place or, with smooth curves, in speed.
  /// - Parameters:
  ///   - duration: 0 changes at once; the completion still comes, at the next `advance(to:)`.
  ///   - delay: passes before the curve begins; what is on screen stays until then.
  ///   - curve: how the duration is spent.
  ///   - options: see ``AnimationOptions``.
  ///   - animations: sets what is to be animated; runs at once.
  ///   - completion: `finished` is false when the animation was cancelled or replaced.
  /// - Returns: a number that names the animation in ``MotionEvent``.
  @discardableResult
  public func animate(
    withDuration duration: Duration, delay: Duration = .zero, curve: TimingCurve = .easeInOut,
    options: AnimationOptions = [], animations: () -> Void,
    completion: ((_ finished: Bool) -> Void)? = nil
  ) -> UInt64 {
    if options.contains(.layoutFirst) { performWithoutAnimation { layoutIfNeeded() } }
    let level = motionLevel
    let wait = max(delay, .zero)
    let length = max(duration, .zero)
    let rounds = options.contains(.autoreverse) ? length + length : length
    let order = options.contains(.repeat) ? MotionTime(nanoseconds: .max) : time + wait + rounds
    let block = AnimationBlock(
      id: timeline.makeBlockID(),
      sampler: CurveSampler(curve, duration: level == .none ? 0 : length.inSeconds), options: options,
      start: level == .none ? time : time + wait, end: level == .none ? time : order, order: order,
      motionLevel: level, completion: completion)
    run(block, animations: animations)
    return block.id
  }

  /// Animates changes with a spring that has come to rest after `duration`.
  /// - Parameters:
  ///   - duration: at its end the spring is within 0.001 of the distance and is set to the end.
  ///   - delay: passes before the spring is let go.
  ///   - dampingRatio: below 1 it overshoots, from 1 on it does not.
  ///   - initialVelocity: 1 = the whole distance in a second.
  ///   - options: see ``AnimationOptions``.
  ///   - animations: sets what is to be animated; runs at once.
  ///   - completion: `finished` is false when the animation was cancelled or replaced.
  /// - Returns: a number that names the animation in ``MotionEvent``.
  @discardableResult
  public func animate(
    withDuration duration: Duration, delay: Duration = .zero, usingSpringWithDamping dampingRatio: Double,
    initialSpringVelocity initialVelocity: Double, options: AnimationOptions = [],
    animations: () -> Void, completion: ((_ finished: Bool) -> Void)? = nil
  ) -> UInt64 {
    let spring = SpringTiming(
      dampingRatio: dampingRatio, duration: duration, initialVelocity: initialVelocity)
    return animate(
      withDuration: duration, delay: delay, curve: .spring(spring), options: options,
      animations: animations, completion: completion)
  }

  /// Runs `body` with changes taking effect at once, also inside an animation block.
  public func performWithoutAnimation(_ body: () -> Void) { timeline.within(nil, body) }

  /// Ends the animations of a view and its subtree; the presentation becomes the model. Animated constants
  /// of constraints that hold any of it end too. Blocks that animated nothing else complete.
  /// - Parameters:
  ///   - view: the top of what is to stand still.
  ///   - finishing: what their completions are told.
  public func cancelAnimations(of view: View, finishing: Bool = false) {
    if isAnimating {
      var removed: [AnimationTrack] = []
      view.forEachItem { item in
        timeline.removeTracks(of: item, finished: finishing, into: &removed)
        for constraint in item.attachedConstraints {
          timeline.removeTracks(of: constraint, finished: finishing, into: &removed)
        }
      }
      refresh(removed)
    }
    deliverInterrupted()
  }

  /// Opens the block, runs `animations` and adds the block to the running ones.
  func run(_ block: AnimationBlock, animations: () -> Void) {
    timeline.begin(block)
    let leavesConstraintsUnlaid = timeline.within(block) { self.leavesConstraintsUnlaid(animations) }
    if leavesConstraintsUnlaid, !block.resolvesEachFrame, block.sampler.duration > 0 {
      report(.changeNotLaidOut)
    }
    onMotionEvent?(.began(id: block.id))
    deliverInterrupted()
  }

  /// Removes a driver and its blocks, and with them their deltas.
  func remove(_ driver: any ProgressDriver, _ blocks: [AnimationBlock]) {
    timeline.remove(driver)
    for block in blocks { end(block) }
  }

  /// Gives `view` and everything in it the animations that `other`'s frame has, so that the two move as one from now
  /// on.
  func shareFrameAnimations(of other: View, with view: View) {
    for place in other.trackPlaces where place.property == .frame {
      let track = place.block.tracks[place.index]
      view.forEachItem { item in
        var copy = AnimationTrack(.frame(item), delta: track.delta)
        copy.velocity = track.velocity
        place.block.insert(copy)
      }
    }
    view.forEachItem { item in
      item.offset += other.offset
      invalidate(item)
    }
  }

  /// Ends the tracks of an object whose offsets have to be right at once.
  func endTracks(of object: any AnimatedObject) {
    guard !object.trackPlaces.isEmpty else { return }
    var removed: [AnimationTrack] = []
    timeline.removeTracks(of: object, finished: false, into: &removed)
    refresh(removed)
  }

  func deliverInterrupted() {
    timeline.dropRetiredBlocks()
    while let block = timeline.removeInterrupted() {
      onMotionEvent?(.completed(id: block.id, finished: block.isFinished))
      block.completion?(block.isFinished)
    }
  }

  /// Goes to `target`: fires timers and completions in the order of their times, each at its own
  /// time, lays out pending changes and samples every animation.
  ///
  /// Because a completion runs at the end of its animation and not at the frame that notices, what it starts does
  /// not depend on the frame rate.
  /// - Parameter target: times before the window's count as the window's time.
  @discardableResult
  public func advance(to target: MotionTime) -> FrameChange {
    step(to: target)
    return makeFrameChange()
  }

  /// Advances to a time without determining what changed on screen.
  func step(to target: MotionTime) {
    let goal = max(time, target)
    if let late = timeline.staleTime(at: goal, frameInterval: frameInterval) {
      report(.timeNotAdvanced(late))
    }
    var budget = timeline.eventBudget
    while budget > 0, let due = timeline.nextEventTime, due <= goal {
      timeline.move(to: due)
      timeline.fireNextEvent(carryOut)
      budget -= 1
    }
    // A completion may have gone further than this call was to go.
    timeline.move(to: goal)
    timeline.dropRetiredBlocks()
    layoutIfNeeded()
    sample()
    deliverInterrupted()
  }

  private func carryOut(_ event: AnimationTimeline.Event) {
    switch event {
    case .timer(let action): action()
    case .ending(let block):
      end(block)
      onMotionEvent?(.completed(id: block.id, finished: true))
      block.completion?(true)
    case .arrival(let driver): driver.arrive(in: self)
    }
  }

  /// When the next frame is due that can change a cell, or the next timer; nil when everything is at rest. It is the
  /// window's own time when something already waits to be drawn.
  public var nextDeadline: MotionTime? {
    let deadline =
      layout.isPending || frames.hasChanges
      ? time : timeline.deadline(frameInterval: frameInterval, isStill: frames.wasStill)
    timeline.recordDeadline(deadline, frameInterval: frameInterval)
    return deadline
  }

  /// Whether anything moves or waits to.
  public var isAnimating: Bool { timeline.isAnimating }

  /// Removes the tracks of a block; what is on screen is then the model plus the other blocks.
  func end(_ block: AnimationBlock) { refresh(block.removeTracks()) }

  /// Computes the offsets of what `removed` animated from the remaining tracks.
  func refresh(_ removed: [AnimationTrack]) {
    var solves = false
    for track in removed {
      timeline.restore(track)
      if present(track) { solves = true }
    }
    if solves { layOutMovedConstants() }
  }

  /// Computes the offsets of everything that moves, for the window's time. Allocates nothing.
  func sample() {
    var solves = false
    timeline.sample { if present($0) { solves = true } }
    if solves { layOutMovedConstants() }
  }

  /// Marks what a track moves for comparison with the screen, or passes its constant to the solver.
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
}
