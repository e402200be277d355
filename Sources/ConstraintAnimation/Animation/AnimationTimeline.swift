/// State of the running animations and timers. Only this file changes it.
struct AnimationTimeline {
  /// The window's time.
  fileprivate(set) var time = MotionTime.zero
  /// Tracks looked at to take over or to end animations.
  fileprivate(set) var tracksVisited = 0

  /// Running blocks, and retired ones until they are dropped.
  fileprivate var blocks: [AnimationBlock] = []
  fileprivate var retiredCount = 0
  fileprivate var nextBlockID: UInt64 = 1
  /// Open blocks, the innermost last; nil where changes take effect at once.
  fileprivate var contexts: [AnimationBlock?] = []
  /// What blocks without a plain place in time are driven by.
  fileprivate var drivers: [any ProgressDriver] = []
  /// Blocks that end by themselves, in the order of their completions.
  fileprivate var endings = CompletionQueue()
  /// Blocks that have lost all they animated and whose completions are to be called, from `interruptedHead` on.
  fileprivate var interrupted: [AnimationBlock] = []
  fileprivate var interruptedHead = 0
  fileprivate var timers: [MotionTimer] = []
  fileprivate var nextTimerID: UInt64 = 1
  /// A completion, a timer or an arrival is being called.
  fileprivate var isStepping = false
  /// The last answer to ``Window/nextDeadline`` was that nothing is due soon, and the time has not been told since.
  fileprivate var wasToldToSleep = false
  /// An animation was begun in that state.
  fileprivate var beganUnawares = false

  /// A paused animator and its blocks refer to each other.
  func releaseDrivers() {
    for driver in drivers { driver.windowIsGone() }
  }
}

extension Window {
  /// The block that changes are registered with at this moment.
  var currentBlock: AnimationBlock? { timeline.contexts.last ?? nil }

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
      id: makeBlockID(),
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
  public func performWithoutAnimation(_ body: () -> Void) {
    timeline.contexts.append(nil)
    body()
    timeline.contexts.removeLast()
  }

  /// Ends the animations of a view and its subtree; the presentation becomes the model. Animated constants
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
    defer { timeline.nextBlockID += 1 }
    return timeline.nextBlockID
  }

  /// Opens the block, runs `animations` and adds the block to the running ones.
  func run(_ block: AnimationBlock, animations: () -> Void) {
    noteAnimationBegins()
    timeline.blocks.append(block)
    if block.driver == nil, block.end < MotionTime(nanoseconds: .max) { timeline.endings.insert(block) }
    timeline.contexts.append(block)
    let leavesConstraintsUnlaid = leavesConstraintsUnlaid(animations)
    timeline.contexts.removeLast()
    if leavesConstraintsUnlaid, !block.resolvesEachFrame, block.sampler.duration > 0 {
      report(.changeNotLaidOut)
    }
    onMotionEvent?(.began(id: block.id))
    deliverInterrupted()
  }

  /// Asks `driver` from now on how far its blocks are.
  func add(_ driver: any ProgressDriver) { timeline.drivers.append(driver) }

  /// Removes a driver and its blocks, and with them their deltas.
  func remove(_ driver: any ProgressDriver, _ blocks: [AnimationBlock]) {
    timeline.drivers.removeAll { $0 === driver }
    timeline.blocks.removeAll { $0.driver === driver }
    for block in blocks { end(block) }
  }

  /// Takes the running animations of one property of one object out of their blocks.
  /// - Returns: what they add at this instant, and how fast that changes.
  func takeOver(
    _ property: AnimationTrack.Property, of object: any AnimatedObject, except block: AnimationBlock
  ) -> (delta: SIMD8<Double>, velocity: SIMD8<Double>) {
    var delta = SIMD8<Double>.zero
    var velocity = SIMD8<Double>.zero
    for place in object.trackPlaces {
      timeline.tracksVisited += 1
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

  /// Takes all tracks of an object out of their blocks; blocks left empty wait in
  /// `interrupted`. The offsets are as they were: ``refresh(_:)`` works them out.
  func removeTracks(
    of object: any AnimatedObject, finished: Bool, into removed: inout [AnimationTrack]
  ) {
    while let place = object.trackPlaces.last {
      timeline.tracksVisited += 1
      removed.append(place.block.removeTrack(at: place.index))
      retireIfEmpty(place.block, finished: finished)
    }
  }

  /// Ends the tracks of an object whose offsets have to be right at once.
  func endTracks(of object: any AnimatedObject) {
    guard !object.trackPlaces.isEmpty else { return }
    var removed: [AnimationTrack] = []
    removeTracks(of: object, finished: false, into: &removed)
    refresh(removed)
  }

  private func retireIfEmpty(_ block: AnimationBlock, finished: Bool = false) {
    guard block.isEmpty, block.driver == nil, !block.isRetired else { return }
    // A block that is still open may be about to animate something else.
    guard !timeline.contexts.contains(where: { $0 === block }) else { return }
    retire(block)
    block.isFinished = finished
    timeline.interrupted.append(block)
  }

  func deliverInterrupted() {
    dropRetiredBlocks()
    guard timeline.contexts.allSatisfy({ $0 == nil }) else { return }
    while timeline.interruptedHead < timeline.interrupted.count {
      let block = timeline.interrupted[timeline.interruptedHead]
      timeline.interruptedHead += 1
      if timeline.interruptedHead == timeline.interrupted.count {
        timeline.interrupted.removeAll()
        timeline.interruptedHead = 0
      }
      onMotionEvent?(.completed(id: block.id, finished: block.isFinished))
      block.completion?(block.isFinished)
    }
  }
}

extension Window {
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
    noteTimeIsTold(goal)
    // A completion that starts an animation of no duration whose completion does the same would never end.
    var budget = max(10_000, 2 * timeline.blocks.count)
    while budget > 0, let due = nextEventTime, due <= goal {
      timeline.time = max(time, due)
      fireNextEvent()
      budget -= 1
    }
    // A completion may have gone further than this call was to go.
    timeline.time = max(time, goal)
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
    timeline.wasToldToSleep = deadline.map { $0 > time + frameInterval * 3 } ?? true
    return deadline
  }

  private func findDeadline() -> MotionTime? {
    if layout.isPending || frames.hasChanges { return time }
    dropRetiredBlocks()
    var deadline: MotionTime?
    func consider(_ candidate: MotionTime) {
      if deadline.map({ candidate < $0 }) ?? true { deadline = candidate }
    }
    let frame = frames.wasStill ? nextVisibleFrame() : time + frameInterval
    for block in timeline.blocks where block.driver == nil {
      if block.start > time {
        consider(block.start + frameInterval)
      } else {
        consider(min(frame, max(block.end, time)))
      }
    }
    for driver in timeline.drivers where driver.isMoving {
      consider(driver.arrival.map { min(frame, max($0, time)) } ?? frame)
    }
    for timer in timeline.timers { consider(max(timer.deadline, time)) }
    return deadline
  }

  /// An animation begins at the window's time. If the program was told to sleep and has not advanced the
  /// window since, that may be long ago; the next step shows how long.
  func noteAnimationBegins() {
    if timeline.wasToldToSleep, !timeline.isStepping { timeline.beganUnawares = true }
  }

  private func noteTimeIsTold(_ goal: MotionTime) {
    if timeline.beganUnawares, goal > time + frameInterval * 8 { report(.timeNotAdvanced(goal - time)) }
    timeline.beganUnawares = false
    timeline.wasToldToSleep = false
  }

  /// Whether anything moves or waits to.
  public var isAnimating: Bool { timeline.blocks.count > timeline.retiredCount }

  func schedule(at deadline: MotionTime, action: @escaping () -> Void) -> UInt64 {
    defer { timeline.nextTimerID += 1 }
    timeline.timers.append(MotionTimer(id: timeline.nextTimerID, deadline: deadline, action: action))
    return timeline.nextTimerID
  }

  func cancelTimer(_ id: UInt64) {
    timeline.timers.removeAll { $0.id == id }
  }

  /// The next frame on which an edge crosses into another cell, looked for at most 32 frames ahead: a slow animation
  /// does not wake the program for frames that would come out alike.
  private func nextVisibleFrame() -> MotionTime {
    var candidate = time
    for _ in 0..<32 {
      candidate = candidate + frameInterval
      sampleTracks(at: candidate)
      if timeline.blocks.contains(where: \.changesWhatIsShown) { break }
    }
    sampleTracks(at: time)
    return candidate
  }

  private var nextEventTime: MotionTime? {
    var earliest = timeline.endings.next()?.end
    func consider(_ candidate: MotionTime) {
      if earliest.map({ candidate < $0 }) ?? true { earliest = candidate }
    }
    for timer in timeline.timers { consider(timer.deadline) }
    for driver in timeline.drivers { if let arrival = driver.arrival { consider(arrival) } }
    return earliest
  }

  /// Fires one event that is due at the window's time: timers first, then completions by their order and
  /// number.
  private func fireNextEvent() {
    let wasStepping = timeline.isStepping
    timeline.isStepping = true
    defer { timeline.isStepping = wasStepping }
    let dueTimer = timeline.timers.indices.filter { timeline.timers[$0].deadline <= time }.min {
      (timeline.timers[$0].deadline, timeline.timers[$0].id) < (
        timeline.timers[$1].deadline, timeline.timers[$1].id
      )
    }
    if let dueTimer {
      timeline.timers.remove(at: dueTimer).action()
      return
    }
    if let block = timeline.endings.next(), block.end <= time {
      retire(block)
      end(block)
      onMotionEvent?(.completed(id: block.id, finished: true))
      block.completion?(true)
      return
    }
    timeline.drivers.first { $0.arrival.map { $0 <= time } ?? false }?.arrive(in: self)
  }

  func retire(_ block: AnimationBlock) {
    block.isRetired = true
    timeline.retiredCount += 1
  }

  func dropRetiredBlocks() {
    guard timeline.retiredCount > 0 else { return }
    timeline.blocks.removeAll(where: \.isRetired)
    timeline.retiredCount = 0
  }

  /// Removes the tracks of a block; what is on screen is then the model plus the other blocks.
  func end(_ block: AnimationBlock) { refresh(block.removeTracks()) }

  /// Computes the offsets of what `removed` animated from the remaining tracks.
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
    if solves { layOutMovedConstants() }
  }

  /// Computes the offsets of everything that moves, for the window's time. Allocates nothing.
  func sample() {
    guard !timeline.blocks.isEmpty else { return }
    sampleTracks(at: time)
    var solves = false
    for block in timeline.blocks {
      for track in block.tracks where present(track) { solves = true }
    }
    if solves { layOutMovedConstants() }
  }

  private func sampleTracks(at instant: MotionTime) {
    for block in timeline.blocks {
      for track in block.tracks { track.reset() }
    }
    for block in timeline.blocks where !block.isEmpty {
      let phase = block.phase(at: instant)
      for track in block.tracks {
        track.add(track.delta * phase.remainder + track.velocity * phase.carried)
      }
    }
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

/// An action and when it is due.
private struct MotionTimer {
  let id: UInt64
  let deadline: MotionTime
  let action: () -> Void
}
