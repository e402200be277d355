/// The rest of a way that is no longer on its curve: every block goes from where it was, with the speed it had if the
/// timing is a spring, to one of the ends.
final class Glide {
  struct Leg {
    let from: Double
    let speed: Double
  }

  let sampler: CurveSampler
  let start: MotionTime
  /// What is left at the end: 0 at the animator's end, 1 at its start.
  let target: Double
  private(set) var legs: [UInt64: Leg] = [:]
  private(set) var frozenAt: MotionTime?

  init(sampler: CurveSampler, start: MotionTime, target: Double) {
    self.sampler = sampler
    self.start = start
    self.target = target
  }

  var end: MotionTime { start + .nanoseconds(Int64(min(sampler.duration, 9e8) * 1e9)) }

  func setLeg(of block: AnimationBlock, from: Double, speed: Double) {
    legs[block.id] = Leg(from: from, speed: sampler.isSpring ? speed : 0)
  }

  /// A block added on the way goes with the others.
  func join(_ block: AnimationBlock) {
    legs[block.id] = Leg(from: 1, speed: 0)
  }

  func freeze(at time: MotionTime) { frozenAt = frozenAt ?? time }

  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double {
    guard let leg = legs[block.id] else { return target }
    let seconds = (frozenAt ?? time).seconds(since: start)
    return target + (leg.from - target) * sampler.remainder(at: seconds)
      + leg.speed * sampler.carried(at: seconds)
  }

  func speed(of block: AnimationBlock, at time: MotionTime) -> Double {
    guard frozenAt == nil, let leg = legs[block.id] else { return 0 }
    let speeds = sampler.speeds(at: time.seconds(since: start))
    return (leg.from - target) * speeds.remainder + leg.speed * speeds.carried
  }
}
