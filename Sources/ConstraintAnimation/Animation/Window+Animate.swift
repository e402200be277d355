extension Window {
  /// The block that changes are registered with at this moment.
  var currentBlock: AnimationBlock? { contexts.last ?? nil }

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
  ///   - completion: `finished` is false when the animation was cancelled or taken over.
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
      id: makeBlockID(),
      sampler: CurveSampler(curve, duration: level == .none ? 0 : length.inSeconds), options: options,
      start: level == .none ? time : time + wait, end: level == .none ? time : order, order: order,
      motionLevel: level, completion: completion)
    run(block, animations: animations)
    return block.id
  }

  /// The same with a spring that has come to rest after `duration`.
  /// - Parameters:
  ///   - duration: at its end the spring is within 0.001 of the distance and is set to the end.
  ///   - delay: passes before the spring is let go.
  ///   - dampingRatio: below 1 it overshoots, from 1 on it does not.
  ///   - initialVelocity: 1 = the whole distance in a second.
  ///   - options: see ``AnimationOptions``.
  ///   - animations: sets what is to be animated; runs at once.
  ///   - completion: `finished` is false when the animation was cancelled or taken over.
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
  public func performWithoutAnimation(_ body: () -> Void) {
    contexts.append(nil)
    body()
    contexts.removeLast()
  }

  /// Ends the animations of a view and of everything below it; the presentation jumps to the model. Animated constants
  /// of constraints that hold any of it end too. Blocks that animated nothing else complete.
  /// - Parameters:
  ///   - view: the top of what is to stand still.
  ///   - finishing: what their completions are told.
  public func cancelAnimations(of view: View, finishing: Bool = false) {
    if isAnimating {
      var removed: [AnimationTrack] = []
      view.forEachItem { item in
        removeTracks(of: item, finished: finishing, into: &removed)
        for constraint in item.attachedConstraints {
          removeTracks(of: constraint, finished: finishing, into: &removed)
        }
      }
      refresh(removed)
    }
    deliverInterrupted()
  }

  func makeBlockID() -> UInt64 {
    defer { nextBlockID += 1 }
    return nextBlockID
  }

  /// Opens the block, runs what it animates and puts it to the running ones.
  func run(_ block: AnimationBlock, animations: () -> Void) {
    noteAnimationBegins()
    let changedBefore = changedSinceLayout
    changedSinceLayout = false
    blocks.append(block)
    if block.driver == nil, block.end < MotionTime(nanoseconds: .max) { endings.insert(block) }
    contexts.append(block)
    animations()
    contexts.removeLast()
    if changedSinceLayout, !block.resolvesEachFrame, block.sampler.duration > 0 {
      report(.changeNotLaidOut)
    }
    changedSinceLayout = changedSinceLayout || changedBefore
    onMotionEvent?(.began(id: block.id))
    deliverInterrupted()
  }

  /// Takes the running animations of one property of one object out of their blocks.
  /// - Returns: what they add at this instant, and how fast that changes.
  func takeOver(
    _ property: AnimationTrack.Property, of object: any AnimatedObject, except block: AnimationBlock
  ) -> (delta: SIMD8<Double>, velocity: SIMD8<Double>) {
    var delta = SIMD8<Double>.zero
    var velocity = SIMD8<Double>.zero
    for place in object.trackPlaces {
      work.tracksVisited += 1
      let other = place.block
      guard place.property == property, other !== block else { continue }
      let track = other.removeTrack(at: place.index)
      let phase = other.phase(at: time)
      let speeds = other.phaseSpeeds(at: time)
      delta += track.delta * phase.remainder + track.velocity * phase.carried
      velocity += track.delta * speeds.remainder + track.velocity * speeds.carried
      retireIfEmpty(other)
    }
    return (delta, velocity)
  }

  /// How fast a view's edges move on screen at this instant, cells a second: left, top, right, bottom.
  func edgeSpeeds(of item: LayoutItem) -> SIMD4<Double> {
    var speed = SIMD4<Double>.zero
    for place in item.trackPlaces where place.property == .frame {
      let track = place.block.tracks[place.index]
      let speeds = place.block.phaseSpeeds(at: time)
      speed += track.delta.lowHalf * speeds.remainder + track.velocity.lowHalf * speeds.carried
    }
    return speed
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

  /// Takes all tracks of an object out of their blocks; blocks left empty wait in `interrupted`. The offsets are as
  /// they were: ``refresh(_:)`` works them out.
  func removeTracks(
    of object: any AnimatedObject, finished: Bool, into removed: inout [AnimationTrack]
  ) {
    while let place = object.trackPlaces.last {
      work.tracksVisited += 1
      removed.append(place.block.removeTrack(at: place.index))
      retireIfEmpty(place.block, finished: finished)
    }
  }

  /// The same for an object whose offsets have to be right at once.
  func endTracks(of object: any AnimatedObject) {
    guard !object.trackPlaces.isEmpty else { return }
    var removed: [AnimationTrack] = []
    removeTracks(of: object, finished: false, into: &removed)
    refresh(removed)
  }

  private func retireIfEmpty(_ block: AnimationBlock, finished: Bool = false) {
    guard block.isEmpty, block.driver == nil, !block.isRetired else { return }
    // A block that is still open may be about to animate something else.
    guard !contexts.contains(where: { $0 === block }) else { return }
    retire(block)
    block.isFinished = finished
    interrupted.append(block)
  }

  func deliverInterrupted() {
    dropRetiredBlocks()
    guard contexts.allSatisfy({ $0 == nil }) else { return }
    while interruptedHead < interrupted.count {
      let block = interrupted[interruptedHead]
      interruptedHead += 1
      if interruptedHead == interrupted.count {
        interrupted.removeAll()
        interruptedHead = 0
      }
      onMotionEvent?(.completed(id: block.id, finished: block.isFinished))
      block.completion?(block.isFinished)
    }
  }
}
