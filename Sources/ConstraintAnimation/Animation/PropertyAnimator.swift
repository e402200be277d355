/// Animations that can be controlled: paused, scrubbed, reversed, continued with another timing.
///
/// The window keeps an animator alive while it is active. Values are continuous whatever is done to it; with springs
/// speed is too.
public final class PropertyAnimator {
  public let duration: Duration
  public let curve: TimingCurve

  public private(set) var state = AnimatingState.inactive
  public private(set) var isRunning = false

  /// Whether it runs towards its start. Changing it while running reverses the motion.
  public var isReversed = false {
    didSet { if isReversed != oldValue { turnRound() } }
  }

  /// Whether `fractionComplete` means the way covered (and is set evenly by a finger) or the time spent.
  public var scrubsLinearly = true

  /// Whether the animator stays active and paused at either end instead of finishing.
  public var pausesOnCompletion = false

  /// When false, pausing, scrubbing and reversing are refused.
  public var isInterruptible = true

  /// Constants, priorities and activations that the animations changed are put back when the animator ends at its
  /// start, so that the model says what the screen shows. What was changed before an animation and laid out by it
  /// counts as its own.
  ///
  /// An animator that ends at ``AnimatingPosition/current`` always sets constants to what is on screen. A
  /// priority or an activation has nothing between its ends and stays as it is; when that makes a view leap,
  /// or when the animations changed something an animator does not know of, the window reports
  /// ``LayoutDiagnostic/modelNotRestored(_:)``.
  public var restoresModelWhenReversed = true

  private weak var window: Window?
  private var motion: AnimatorMotion
  private var pending: [(delayFactor: Double, body: () -> Void)] = []
  private var completions: [(AnimatingPosition) -> Void] = []
  private var blocks: [AnimationBlock] = []
  private var changes = ModelChanges()
  /// The window's size when the animations began: after a resize their ways are no measure.
  private var sizeAtStart = Size.zero

  public init(
    window: Window, duration: Duration, curve: TimingCurve, animations: (() -> Void)? = nil
  ) {
    self.window = window
    self.duration = max(duration, .zero)
    self.curve = curve
    motion = AnimatorMotion(
      CurveSampler(curve, duration: window.motionLevel == .none ? 0 : max(duration, .zero).inSeconds))
    if let animations { pending = [(0, animations)] }
  }

  /// Adds animations; when the animator is active already, they begin at once and end with it.
  /// - Parameters:
  ///   - delayFactor: the part of the (remaining) time that passes first, 0…1.
  ///   - body: sets what is to be animated.
  public func addAnimations(delayFactor: Double = 0, _ body: @escaping () -> Void) {
    let factor = min(max(delayFactor, 0), 0.999)
    switch state {
    case .inactive: pending.append((factor, body))
    case .active:
      let spent = currentFraction
      run(body, delayFactor: min(spent + factor * (1 - spent), 0.999))
    case .stopped: misuse("addAnimations")
    }
  }

  /// Calls the body when the animation has come to its end or its start, or was stopped; after those added before.
  public func addCompletion(_ body: @escaping (AnimatingPosition) -> Void) {
    completions.append(body)
  }

  /// The part of the way covered, 0…1; with `scrubsLinearly` off, of the time spent. Setting it pauses the animator
  /// there, activating it if need be.
  public var fractionComplete: Double {
    get { scrubsLinearly ? progress : currentFraction }
    set {
      guard newValue.isFinite, ready(for: "fractionComplete") else { return }
      activate()
      isRunning = false
      motion.hold(at: min(max(newValue, 0), 1), scrubbed: true)
      window?.sample()
    }
  }
}

extension PropertyAnimator {
  /// Starts, or goes on after a pause.
  public func startAnimation(afterDelay delay: Duration = .zero) {
    switch state {
    case .stopped: misuse("startAnimation")
    case .active: if !isRunning { continueAnimation() }
    case .inactive:
      guard let window else { return }
      activate()
      isRunning = true
      motion.play(from: isReversed ? 1 : 0, since: window.time + max(delay, .zero), backwards: isReversed)
    }
  }

  /// Pauses at the current position; an inactive animator is activated at its beginning.
  public func pauseAnimation() {
    guard ready(for: "pauseAnimation") else { return }
    if state == .inactive {
      activate()
      motion.hold(at: isReversed ? 1 : 0)
    } else if isRunning {
      hold()
    }
    isRunning = false
  }

  /// Continues from the current position.
  /// - Parameters:
  ///   - timing: another curve for the rest of the way; nil keeps the animator's.
  ///   - durationFactor: the rest takes this part of the animator's duration; 0 = the time that is left.
  public func continueAnimation(
    withTimingParameters timing: TimingCurve? = nil, durationFactor: Double = 0
  ) {
    switch state {
    case .stopped: misuse("continueAnimation")
    case .inactive: startAnimation()
    case .active:
      guard let window else { return }
      if timing == nil, durationFactor <= 0, let fraction = motion.pausedFraction {
        motion.play(from: fraction, since: window.time, backwards: isReversed)
      } else if timing != nil || durationFactor > 0 || !isRunning {
        retarget(timing ?? curve, durationFactor: durationFactor)
      }
      isRunning = true
    }
  }

  /// Stops at the current position.
  /// - Parameter withoutFinishing: true ends the animations at once, without completion; the model takes the values
  ///   that are on screen. False waits for ``finishAnimation(at:)``.
  public func stopAnimation(_ withoutFinishing: Bool) {
    guard state == .active else {
      misuse("stopAnimation")
      return
    }
    if isRunning { hold() }
    isRunning = false
    if withoutFinishing {
      release(at: .current)
      completions = []
    } else {
      state = .stopped
    }
  }

  /// Ends a stopped animator: the model takes its values of the start, of the end or of this moment.
  public func finishAnimation(at position: AnimatingPosition) {
    guard state == .stopped else {
      misuse("finishAnimation")
      return
    }
    release(at: position)
    callCompletions(position)
  }

  // MARK: Inside

  private func ready(for call: String) -> Bool {
    guard state != .stopped, isInterruptible || state == .inactive else {
      misuse(call)
      return false
    }
    return true
  }

  private func misuse(_ call: String) {
    window?.report(.animatorMisuse("\(call) while \(state)"))
  }

  private func activate() {
    guard state == .inactive, let window else { return }
    state = .active
    motion.hold(at: isReversed ? 1 : 0)
    window.timeline.add(self)
    sizeAtStart = window.size
    let bodies = pending
    pending = []
    for entry in bodies { run(entry.body, delayFactor: entry.delayFactor) }
  }

  private func run(_ body: () -> Void, delayFactor: Double) {
    guard let window else { return }
    let never = MotionTime(nanoseconds: .max)
    let block = AnimationBlock(
      id: window.timeline.makeBlockID(), sampler: motion.sampler, options: [], start: window.time, end: never,
      order: never, motionLevel: window.motionLevel == .basic ? .basic : .full, driver: self,
      delayFactor: delayFactor)
    blocks.append(block)
    window.run(block, animations: body)
    motion.join(block)
    window.sample()
  }

  private func hold() {
    guard let window else { return }
    motion.pause(at: window.time, leader: leader)
  }

  private func turnRound() {
    guard state == .active, isRunning, let window else { return }
    guard isInterruptible else {
      misuse("isReversed")
      return
    }
    if !motion.turn(at: window.time, backwards: isReversed) { retarget(curve, durationFactor: 0) }
  }

  /// Ends the blocks and sets the model to what `position` means.
  private func release(at position: AnimatingPosition) {
    guard let window else { return }
    var shares: [UInt64: Double] = [:]
    for block in blocks {
      shares[block.id] =
        switch position {
        case .start: 0
        case .end: 1
        case .current: 1 - remainder(of: block, at: window.time)
        }
    }
    let restoresConstraints = position == .current || position == .start && restoresModelWhenReversed
    let expected = restoresConstraints && window.size == sizeAtStart ? expectedEdges(shares) : []
    window.remove(self, blocks)
    if position != .end {
      window.performWithoutAnimation {
        changes.apply(shares: shares, restoringConstraints: restoresConstraints)
        window.layoutIfNeeded()
      }
    }
    rest()
    // More than rounding can make of two edges.
    let leapt = expected.first { entry in
      let distance = entry.edges - entry.item.snapped.values
      return (distance * distance).max() > 1.0001
    }
    if let leapt { window.report(.modelNotRestored(leapt.item.name)) }
  }

  /// The edges that the model must have so that nothing jumps on screen.
  private func expectedEdges(_ shares: [UInt64: Double]) -> [(item: LayoutItem, edges: SIMD4<Double>)] {
    var places: [ObjectIdentifier: Int] = [:]
    var expected: [(item: LayoutItem, edges: SIMD4<Double>)] = []
    for block in blocks {
      for track in block.tracks {
        guard case .frame(let item) = track.target else { continue }
        let place = places[ObjectIdentifier(item)] ?? expected.count
        if place == expected.count {
          places[ObjectIdentifier(item)] = place
          expected.append((item, item.snapped.values))
        }
        expected[place].edges += track.delta.lowHalf * (1 - (shares[block.id] ?? 0))
      }
    }
    return expected
  }

  /// Resets the animator so that it can be started again, without touching the window.
  private func rest() {
    blocks = []
    changes.removeAll()
    state = .inactive
    isRunning = false
    motion.hold(at: 0)
  }

  private func callCompletions(_ position: AnimatingPosition) {
    let bodies = completions
    completions = []
    for body in bodies { body(position) }
  }
}

extension PropertyAnimator: ProgressDriver {
  /// The block that stands for all where one number is wanted: one that began at once, if there is one.
  private var leader: AnimationBlock? { blocks.first { $0.delayFactor == 0 } ?? blocks.first }

  /// The part of the time spent, 0…1.
  private var currentFraction: Double {
    guard let window else { return 0 }
    return motion.fraction(at: window.time, leader: leader)
  }

  /// The part of the way covered by what began at once.
  private var progress: Double {
    guard let window, state != .inactive else { return 0 }
    guard let leader else { return currentFraction }
    return 1 - remainder(of: leader, at: window.time)
  }

  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double {
    motion.remainder(of: block, at: time, scrubsLinearly: scrubsLinearly)
  }

  func remainderSpeed(of block: AnimationBlock, at time: MotionTime) -> Double {
    isRunning ? motion.speed(of: block, at: time) : 0
  }

  var isMoving: Bool { state == .active && isRunning }

  var arrival: MotionTime? { isMoving ? motion.arrival : nil }

  func arrive(in window: Window) {
    isRunning = false
    if pausesOnCompletion {
      motion.hold(at: isReversed ? 0 : 1)
      window.sample()
      return
    }
    let position = isReversed ? AnimatingPosition.start : .end
    release(at: position)
    callCompletions(position)
  }

  func remember(_ change: ModelChange, in block: AnimationBlock, isEarlier: Bool) {
    changes.remember(change, block: block.id, isEarlier: isEarlier)
  }

  func windowIsGone() {
    pending = []
    completions = []
    rest()
  }

  /// Leaves the curve and goes from what is on screen to the end.
  private func retarget(_ timing: TimingCurve, durationFactor: Double) {
    guard let window else { return }
    let target = isReversed ? 1.0 : 0.0
    let left = abs(1 - progress - target)
    let full = window.motionLevel == .none ? 0 : duration.inSeconds
    var seconds = durationFactor > 0 ? durationFactor * full : min(left, 1) * full
    if case .spring(let spring) = timing, full > 0 {
      // A spring takes the time it takes.
      seconds = max(durationFactor > 0 ? durationFactor * full : full, spring.settlingDuration.inSeconds)
    }
    let rest = RetargetedMotion(
      sampler: CurveSampler(timing, duration: seconds), start: window.time, target: target)
    for block in blocks {
      rest.setSegment(
        of: block, from: remainder(of: block, at: window.time),
        speed: remainderSpeed(of: block, at: window.time))
    }
    motion.retarget(rest)
  }
}

/// The state of a ``PropertyAnimator``.
public enum AnimatingState: Sendable, Hashable {
  /// The animator has not started, or has finished.
  case inactive
  /// Running or paused.
  case active
  /// Stopped in the middle; waits for `finishAnimation(at:)`.
  case stopped
}

/// The position at which an animator ended.
public enum AnimatingPosition: Sendable, Hashable {
  case start, end, current
}
