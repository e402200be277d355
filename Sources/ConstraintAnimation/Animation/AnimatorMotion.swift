/// How an animator's progress comes about: standing, along its curve, or off the curve to one of the ends.
struct AnimatorMotion {
  private enum Course {
    /// Standing at a fraction of the time; `scrubbed` once it has been set by hand.
    case held(fraction: Double, scrubbed: Bool)
    /// The animator follows its curve and was at `fraction` at `since`.
    case playing(fraction: Double, since: MotionTime, backwards: Bool)
    /// The animator moves off its curve, from where each block was, to one of the ends.
    case retargeted(RetargetedMotion)
  }

  let sampler: CurveSampler
  private var course = Course.held(fraction: 0, scrubbed: false)

  init(_ sampler: CurveSampler) { self.sampler = sampler }

  // MARK: Changes

  mutating func hold(at fraction: Double, scrubbed: Bool = false) {
    course = .held(fraction: fraction, scrubbed: scrubbed)
  }

  mutating func play(from fraction: Double, since: MotionTime, backwards: Bool) {
    course = .playing(fraction: fraction, since: since, backwards: backwards)
  }

  /// Stands still where it is.
  /// - Parameter leader: as in ``fraction(at:leader:)``.
  mutating func pause(at time: MotionTime, leader: AnimationBlock?) {
    switch course {
    case .held: break
    case .playing: hold(at: fraction(at: time, leader: leader))
    case .retargeted(let rest): rest.freeze(at: time)
    }
  }

  /// Plays the curve in the other direction, if the motion stays continuous that way: a spring has a speed, unless it has not
  /// begun.
  /// - Returns: whether it does.
  mutating func turn(at time: MotionTime, backwards: Bool) -> Bool {
    guard case .playing(_, let since, _) = course, !sampler.isSpring || time <= since else { return false }
    play(from: fraction(at: time, leader: nil), since: max(time, since), backwards: backwards)
    return true
  }

  mutating func retarget(_ rest: RetargetedMotion) { course = .retargeted(rest) }

  /// A block that was added on the way.
  func join(_ block: AnimationBlock) {
    if case .retargeted(let rest) = course { rest.join(block) }
  }

  // MARK: Progress

  /// The fraction of the time at which it was paused, and not set by hand.
  var pausedFraction: Double? {
    if case .held(let fraction, scrubbed: false) = course { fraction } else { nil }
  }

  /// The part of the time spent, 0…1.
  /// - Parameter leader: the block whose way says it once the curve is left; `nil` when there is none.
  func fraction(at time: MotionTime, leader: AnimationBlock?) -> Double {
    switch course {
    case .held(let fraction, _): return fraction
    case .playing(let fraction, let since, let backwards):
      guard sampler.duration > 0 else { return backwards ? 0 : 1 }
      let spent = max(0, time.seconds(since: since)) / sampler.duration
      return min(max(backwards ? fraction - spent : fraction + spent, 0), 1)
    case .retargeted(let rest):
      return min(max(1 - (leader.map { rest.remainder(of: $0, at: time) } ?? rest.target), 0), 1)
    }
  }

  /// The part of a block's way that is left.
  /// - Parameter scrubsLinearly: whether a fraction set by hand means the way and not the time.
  func remainder(of block: AnimationBlock, at time: MotionTime, scrubsLinearly: Bool) -> Double {
    switch course {
    case .retargeted(let rest): return rest.remainder(of: block, at: time)
    case .held(let fraction, scrubbed: true) where scrubsLinearly:
      return 1 - min(max((fraction - block.delayFactor) / (1 - block.delayFactor), 0), 1)
    case .held, .playing:
      let fraction = fraction(at: time, leader: nil)
      let own = (fraction - block.delayFactor) / (1 - block.delayFactor)
      guard sampler.duration > 0 else { return own >= 1 ? 0 : 1 - own }
      // The end of the time is the end of the way, whatever rounding says.
      return fraction >= 1 ? 0 : sampler.remainder(at: max(own, 0) * sampler.duration)
    }
  }

  /// How fast ``remainder(of:at:scrubsLinearly:)`` changes, per second.
  func speed(of block: AnimationBlock, at time: MotionTime) -> Double {
    switch course {
    case .held: return 0
    case .retargeted(let rest): return rest.speed(of: block, at: time)
    case .playing(_, let since, let backwards):
      guard time >= since, sampler.duration > 0 else { return 0 }
      let scale = 1 / (1 - block.delayFactor)
      let own = (fraction(at: time, leader: nil) - block.delayFactor) * scale
      guard own >= 0 else { return 0 }
      let speed = sampler.speeds(at: own * sampler.duration).remainder * scale
      return backwards ? -speed : speed
    }
  }

  /// When it comes to the end it moves to; `nil` while it stands.
  var arrival: MotionTime? {
    switch course {
    case .held: return nil
    case .retargeted(let rest): return rest.end
    case .playing(let fraction, let since, let backwards):
      let left = backwards ? fraction : 1 - fraction
      return since + .nanoseconds(Int64((left * min(sampler.duration, 9e8) * 1e9).rounded()))
    }
  }
}

/// Motion that has left the animator's curve: every block goes from where it was, with the speed it had if the timing is
/// a spring, to one of the ends.
final class RetargetedMotion {
  struct Segment {
    let from: Double
    let speed: Double
  }

  let sampler: CurveSampler
  let start: MotionTime
  /// What is left at the end: 0 at the animator's end, 1 at its start.
  let target: Double
  private(set) var segments: [UInt64: Segment] = [:]
  private(set) var frozenAt: MotionTime?

  init(sampler: CurveSampler, start: MotionTime, target: Double) {
    self.sampler = sampler
    self.start = start
    self.target = target
  }

  var end: MotionTime { start + .nanoseconds(Int64(min(sampler.duration, 9e8) * 1e9)) }

  func setSegment(of block: AnimationBlock, from: Double, speed: Double) {
    segments[block.id] = Segment(from: from, speed: sampler.isSpring ? speed : 0)
  }

  /// A block added on the way goes with the others.
  func join(_ block: AnimationBlock) {
    segments[block.id] = Segment(from: 1, speed: 0)
  }

  func freeze(at time: MotionTime) { frozenAt = frozenAt ?? time }

  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double {
    guard let segment = segments[block.id] else { return target }
    let seconds = (frozenAt ?? time).seconds(since: start)
    return target + (segment.from - target) * sampler.remainder(at: seconds)
      + segment.speed * sampler.carried(at: seconds)
  }

  func speed(of block: AnimationBlock, at time: MotionTime) -> Double {
    guard frozenAt == nil, let segment = segments[block.id] else { return 0 }
    let speeds = sampler.speeds(at: time.seconds(since: start))
    return (segment.from - target) * speeds.remainder + segment.speed * speeds.carried
  }
}
