extension Window {
  /// The block that changes are registered with at this moment.
  var currentBlock: AnimationBlock? { contexts.last ?? nil }

  /// Runs `animations` and lets what it changes move to its new values: alpha, colours, transforms and frames set by
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

  /// Ends the animations of a view and of everything below it; the presentation jumps to the model. Blocks that
  /// animated nothing else complete.
  /// - Parameters:
  ///   - view: the top of what is to stand still.
  ///   - finishing: what their completions are told.
  public func cancelAnimations(of view: View, finishing: Bool = false) {
    dropTracks(finished: finishing) { $0.hostView?.isDescendant(of: view) ?? false }
    deliverInterrupted()
  }

  func makeBlockID() -> UInt64 {
    defer { nextBlockID += 1 }
    return nextBlockID
  }

  /// Opens the block, runs what it animates and puts it to the running ones.
  func run(_ block: AnimationBlock, animations: () -> Void) {
    let changedBefore = changedSinceLayout
    changedSinceLayout = false
    blocks.append(block)
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

  /// Takes the running animations of one property of one item out of their blocks.
  /// - Returns: what they add at this instant, and how fast that changes.
  func takeOver(_ property: AnimationTrack.Property, of item: LayoutItem, except block: AnimationBlock)
    -> (delta: SIMD8<Double>, velocity: SIMD8<Double>)
  {
    var delta = SIMD8<Double>.zero
    var velocity = SIMD8<Double>.zero
    for other in blocks where other !== block {
      guard let index = other.tracks.firstIndex(where: { $0.item === item && $0.property == property })
      else { continue }
      let track = other.tracks.remove(at: index)
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
    for block in blocks {
      for track in block.tracks where track.item === item && track.property == .frame {
        let speeds = block.phaseSpeeds(at: time)
        speed += track.delta.lowHalf * speeds.remainder + track.velocity.lowHalf * speeds.carried
      }
    }
    return speed
  }

  /// Gives `view` and everything in it the animations that `other`'s frame has, so that the two move as one from now
  /// on.
  func shareFrameAnimations(of other: View, with view: View) {
    for block in blocks {
      guard let track = block.tracks.first(where: { $0.item === other && $0.property == .frame }) else {
        continue
      }
      view.forEachItem { item in
        block.tracks.append(
          AnimationTrack(.frame, item, delta: track.delta, velocity: track.velocity))
      }
    }
    view.forEachItem { item in
      item.offset += other.offset
      invalidate(item)
    }
  }

  /// Takes tracks out of all blocks; those left empty wait in `interrupted`.
  func dropTracks(finished: Bool, where matches: (LayoutItem) -> Bool) {
    for block in blocks where !block.tracks.isEmpty {
      let count = block.tracks.count
      block.tracks.removeAll { track in
        guard matches(track.item) else { return false }
        track.reset()
        invalidate(track.item)
        return true
      }
      if block.tracks.count != count { retireIfEmpty(block, finished: finished) }
    }
    sample()
  }

  private func retireIfEmpty(_ block: AnimationBlock, finished: Bool = false) {
    guard block.isEmpty, block.driver == nil, let index = blocks.firstIndex(where: { $0 === block }) else {
      return
    }
    // A block that is still open may be about to animate something else.
    guard !contexts.contains(where: { $0 === block }) else { return }
    blocks.remove(at: index)
    block.isFinished = finished
    interrupted.append(block)
  }

  func deliverInterrupted() {
    guard contexts.allSatisfy({ $0 == nil }) else { return }
    while !interrupted.isEmpty {
      let block = interrupted.removeFirst()
      onMotionEvent?(.completed(id: block.id, finished: block.isFinished))
      block.completion?(block.isFinished)
    }
  }
}
