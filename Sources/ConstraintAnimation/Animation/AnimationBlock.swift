/// Everything one `animate` call changed, with its curve and its place in time.
final class AnimationBlock {
  let id: UInt64
  let sampler: CurveSampler
  let options: AnimationOptions
  /// When the curve begins, after the delay.
  let start: MotionTime
  /// When it completes; `.max` for those that repeat or are driven by hand.
  let end: MotionTime
  var tracks: [AnimationTrack] = []
  var constantTracks: [ConstantTrack] = []
  var completion: ((Bool) -> Void)?
  /// What the completion is told when the block was taken out before its time.
  var isFinished = true
  /// Says how far the block is when time alone does not.
  let driver: (any ProgressDriver)?
  /// Fraction of the driver's time that passes before this block begins.
  let delayFactor: Double
  /// Decides which of two blocks that end together completes first; the end it would have with full motion.
  let order: MotionTime
  /// The levels decide at creation what moves.
  let motionLevel: MotionLevel

  init(
    id: UInt64, sampler: CurveSampler, options: AnimationOptions, start: MotionTime, end: MotionTime,
    order: MotionTime, motionLevel: MotionLevel, driver: (any ProgressDriver)? = nil,
    delayFactor: Double = 0, completion: ((Bool) -> Void)? = nil
  ) {
    self.id = id
    self.sampler = sampler
    self.options = options
    self.start = start
    self.end = end
    self.motionLevel = motionLevel
    self.driver = driver
    self.order = order
    self.delayFactor = delayFactor
    self.completion = completion
  }

  var isEmpty: Bool { tracks.isEmpty && constantTracks.isEmpty }

  var resolvesEachFrame: Bool { options.contains(.resolveEachFrame) && motionLevel == .full }

  /// What is left of each delta, and what has become of each speed.
  func phase(at time: MotionTime) -> (remainder: Double, carried: Double) {
    if let driver { return (driver.remainder(of: self, at: time), 0) }
    let seconds = curveSeconds(at: time)
    return (sampler.remainder(at: seconds), sampler.carried(at: seconds))
  }

  /// Speeds of both, a second.
  func phaseSpeeds(at time: MotionTime) -> (remainder: Double, carried: Double) {
    if let driver { return (driver.remainderSpeed(of: self, at: time), 0) }
    let elapsed = time.seconds(since: start)
    let speeds = sampler.speeds(at: curveSeconds(at: time))
    return isRunningBack(elapsed) ? (-speeds.remainder, -speeds.carried) : speeds
  }

  /// Whether the offsets as they are now would come out differently from what was last shown.
  var changesWhatIsShown: Bool {
    if !constantTracks.isEmpty { return true }
    return tracks.contains { track in
      guard let view = track.item as? View else { return false }
      if track.property != .frame { return view.appearance?.isMoving ?? false }
      return view.layoutCells != view.shownCells
        || (view.edgeStyle == .eighths && view.offset != view.shownOffset)
    }
  }

  func addConstantTrack(_ constraint: LayoutConstraint, delta: Double) {
    if let index = constantTracks.firstIndex(where: { $0.constraint === constraint }) {
      constantTracks[index].delta += delta
    } else {
      constantTracks.append(ConstantTrack(constraint: constraint, delta: delta))
    }
  }

  /// Seconds into the curve, with repetitions and the way back folded in.
  private func curveSeconds(at time: MotionTime) -> Double {
    let elapsed = time.seconds(since: start)
    let duration = sampler.duration
    guard duration > 0 else { return elapsed }
    let reverses = options.contains(.autoreverse)
    if !options.contains(.repeat) {
      guard reverses else { return elapsed }
      // At the very end the model's value counts, as with Core Animation.
      if elapsed >= 2 * duration { return duration }
      return elapsed <= duration ? min(elapsed, duration.nextDown) : 2 * duration - elapsed
    }
    let period = reverses ? 2 * duration : duration
    let inPeriod = elapsed - (elapsed / period).rounded(.down) * period
    return inPeriod <= duration ? inPeriod : 2 * duration - inPeriod
  }

  private func isRunningBack(_ elapsed: Double) -> Bool {
    guard options.contains(.autoreverse), sampler.duration > 0 else { return false }
    return Int64((elapsed / sampler.duration).rounded(.down)) % 2 == 1
  }
}
