/// The time of a window, its running animations and its timers. It calls nothing of the window: what follows from a change, the
/// window does.
final class AnimationTimeline {
  private(set) var time = MotionTime.zero
  /// Tracks looked at to take over or to end animations.
  private(set) var tracksVisited = 0

  /// Running blocks, and retired ones until they are dropped.
  private var blocks: [AnimationBlock] = []
  private var retiredCount = 0
  private var nextBlockID: UInt64 = 1
  /// Open blocks, the innermost last; nil where changes take effect at once.
  private var contexts: [AnimationBlock?] = []
  /// What blocks without a plain place in time are driven by.
  private var drivers: [any ProgressDriver] = []
  /// Blocks that end by themselves, in the order of their completions.
  private var endings = CompletionQueue()
  /// Blocks that have lost all they animated and whose completions are to be called, from `interruptedHead` on.
  private var interrupted: [AnimationBlock] = []
  private var interruptedHead = 0
  private var timers: [MotionTimer] = []
  private var nextTimerID: UInt64 = 1
  /// A completion, a timer or an arrival is being called.
  private var isStepping = false
  /// The last deadline was that nothing is due soon, and the time has not been told since.
  private var wasToldToSleep = false
  /// An animation was begun in that state.
  private var beganWithStaleTime = false

  // MARK: Blocks

  /// The block that changes are registered with at this moment.
  var currentBlock: AnimationBlock? { contexts.last ?? nil }

  /// Whether anything moves or waits to.
  var isAnimating: Bool { blocks.count > retiredCount }

  func makeBlockID() -> UInt64 {
    defer { nextBlockID += 1 }
    return nextBlockID
  }

  /// Adds a block to the running ones.
  ///
  /// It begins at the window's time. If the program was told to sleep and has not advanced the window since, that may be long
  /// ago; the next step shows how long.
  func begin(_ block: AnimationBlock) {
    if wasToldToSleep, !isStepping { beganWithStaleTime = true }
    blocks.append(block)
    if block.driver == nil, block.end < MotionTime(nanoseconds: .max) { endings.insert(block) }
  }

  /// Runs `body` with changes registered with a block, or taking effect at once without one.
  func within<Result>(_ block: AnimationBlock?, _ body: () -> Result) -> Result {
    contexts.append(block)
    defer { contexts.removeLast() }
    return body()
  }

  /// Asks `driver` from now on how far its blocks are.
  func add(_ driver: any ProgressDriver) { drivers.append(driver) }

  /// Removes a driver and its blocks, whose deltas are still to be ended.
  func remove(_ driver: any ProgressDriver) {
    drivers.removeAll { $0 === driver }
    blocks.removeAll { $0.driver === driver }
  }

  /// A paused animator and its blocks refer to each other.
  func releaseDrivers() {
    for driver in drivers { driver.windowIsGone() }
  }

  func dropRetiredBlocks() {
    guard retiredCount > 0 else { return }
    blocks.removeAll(where: \.isRetired)
    retiredCount = 0
  }

  private func retire(_ block: AnimationBlock) {
    block.isRetired = true
    retiredCount += 1
  }

  private func retireIfEmpty(_ block: AnimationBlock, finished: Bool = false) {
    guard block.isEmpty, block.driver == nil, !block.isRetired else { return }
    // A block that is still open may be about to animate something else.
    guard !contexts.contains(where: { $0 === block }) else { return }
    retire(block)
    block.isFinished = finished
    interrupted.append(block)
  }

  /// A block that has lost all it animated, to call its completion; nil for none, and while a block is open.
  func removeInterrupted() -> AnimationBlock? {
    guard contexts.allSatisfy({ $0 == nil }), interruptedHead < interrupted.count else { return nil }
    let block = interrupted[interruptedHead]
    interruptedHead += 1
    if interruptedHead == interrupted.count {
      interrupted.removeAll()
      interruptedHead = 0
    }
    return block
  }

  // MARK: Tracks

  /// Removes the running animations of one property of one object from their blocks.
  /// - Returns: what they add at this instant, and how fast that changes.
  func removeTracks(
    _ property: AnimationTrack.Property, of object: any AnimatedObject, except block: AnimationBlock
  ) -> (delta: SIMD8<Double>, velocity: SIMD8<Double>) {
    var delta = SIMD8<Double>.zero
    var velocity = SIMD8<Double>.zero
    for place in object.trackPlaces {
      tracksVisited += 1
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

  /// Removes all tracks of an object from their blocks; blocks left empty wait in
  /// `interrupted`. The offsets are as they were: ``refresh(_:)`` works them out.
  func removeTracks(
    of object: any AnimatedObject, finished: Bool, into removed: inout [AnimationTrack]
  ) {
    while let place = object.trackPlaces.last {
      tracksVisited += 1
      removed.append(place.block.removeTrack(at: place.index))
      retireIfEmpty(place.block, finished: finished)
    }
  }

  /// Computes the offset of what a removed track animated from the remaining tracks.
  func restore(_ removed: AnimationTrack) {
    removed.reset()
    let property = removed.property
    for place in removed.object.trackPlaces where place.property == property {
      let other = place.block.tracks[place.index]
      let phase = place.block.phase(at: time)
      other.add(other.delta * phase.remainder + other.velocity * phase.carried)
    }
  }

  /// Computes the offsets of everything that moves, for the window's time. Allocates nothing.
  /// - Parameter present: called with each track.
  func sample(_ present: (AnimationTrack) -> Void) {
    guard !blocks.isEmpty else { return }
    sampleTracks(at: time)
    for block in blocks {
      for track in block.tracks { present(track) }
    }
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

  // MARK: Time

  /// Moves the time on; it never goes back.
  func move(to goal: MotionTime) { time = max(time, goal) }

  /// Called when the program has set the time.
  /// - Returns: how long ago an animation began whose time nobody had told; nil when that is not worth a word.
  func staleTime(at goal: MotionTime, frameInterval: Duration) -> Duration? {
    defer { (beganWithStaleTime, wasToldToSleep) = (false, false) }
    return beganWithStaleTime && goal > time + frameInterval * 8 ? goal - time : nil
  }

  /// Who is told to sleep for long has to tell the time before animating again.
  func recordDeadline(_ deadline: MotionTime?, frameInterval: Duration) {
    wasToldToSleep = deadline.map { $0 > time + frameInterval * 3 } ?? true
  }

  /// When the next frame is due that can change a cell, or the next timer; nil when everything is at rest.
  /// - Parameter isStill: the last frame changed no cell.
  func deadline(frameInterval: Duration, isStill: Bool) -> MotionTime? {
    dropRetiredBlocks()
    var deadline: MotionTime?
    func consider(_ candidate: MotionTime) {
      if deadline.map({ candidate < $0 }) ?? true { deadline = candidate }
    }
    let frame = isStill ? nextVisibleFrame(frameInterval) : time + frameInterval
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

  /// The next frame on which an edge crosses into another cell, looked for at most 32 frames ahead: a slow animation
  /// does not wake the program for frames that would come out alike.
  private func nextVisibleFrame(_ frameInterval: Duration) -> MotionTime {
    var candidate = time
    for _ in 0..<32 {
      candidate = candidate + frameInterval
      sampleTracks(at: candidate)
      if blocks.contains(where: \.changesWhatIsShown) { break }
    }
    sampleTracks(at: time)
    return candidate
  }

  // MARK: Events

  func schedule(at deadline: MotionTime, action: @escaping () -> Void) -> UInt64 {
    defer { nextTimerID += 1 }
    timers.append(MotionTimer(id: nextTimerID, deadline: deadline, action: action))
    return nextTimerID
  }

  func cancelTimer(_ id: UInt64) {
    timers.removeAll { $0.id == id }
  }

  /// Events that a step fires at most: a completion that starts an animation of no duration whose completion does the same would
  /// never end.
  var eventBudget: Int { max(10_000, 2 * blocks.count) }

  /// When the next timer, completion or arrival is due; nil for none.
  var nextEventTime: MotionTime? {
    var earliest = endings.next()?.end
    func consider(_ candidate: MotionTime) {
      if earliest.map({ candidate < $0 }) ?? true { earliest = candidate }
    }
    for timer in timers { consider(timer.deadline) }
    for driver in drivers { if let arrival = driver.arrival { consider(arrival) } }
    return earliest
  }

  enum Event {
    case timer(() -> Void)
    /// A block has ended; it is retired.
    case ending(AnimationBlock)
    case arrival(any ProgressDriver)
  }

  /// Fires one event that is due at the window's time: timers first, then completions by their order and number.
  func fireNextEvent(_ fire: (Event) -> Void) {
    let wasStepping = isStepping
    isStepping = true
    defer { isStepping = wasStepping }
    let dueTimer = timers.indices.filter { timers[$0].deadline <= time }.min {
      (timers[$0].deadline, timers[$0].id) < (timers[$1].deadline, timers[$1].id)
    }
    if let dueTimer {
      fire(.timer(timers.remove(at: dueTimer).action))
    } else if let block = endings.next(), block.end <= time {
      retire(block)
      fire(.ending(block))
    } else if let driver = drivers.first(where: { $0.arrival.map { $0 <= time } ?? false }) {
      fire(.arrival(driver))
    }
  }
}

/// An action and when it is due.
private struct MotionTimer {
  let id: UInt64
  let deadline: MotionTime
  let action: () -> Void
}
