extension PropertyAnimator: ProgressDriver {
  /// The part of the time spent, 0…1.
  var currentFraction: Double {
    guard let window else { return 0 }
    return fraction(at: window.time)
  }

  /// The part of the way covered by what began at once.
  var progress: Double {
    guard let window, state != .inactive else { return 0 }
    guard let block = blocks.first(where: { $0.delayFactor == 0 }) ?? blocks.first else {
      return fraction(at: window.time)
    }
    return 1 - remainder(of: block, at: window.time)
  }

  func fraction(at time: MotionTime) -> Double {
    switch motion {
    case .held(let fraction, _): return fraction
    case .playing(let fraction, let since, let backwards):
      guard sampler.duration > 0 else { return backwards ? 0 : 1 }
      let spent = max(0, time.seconds(since: since)) / sampler.duration
      return min(max(backwards ? fraction - spent : fraction + spent, 0), 1)
    case .gliding: return min(max(progress, 0), 1)
    }
  }

  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double {
    switch motion {
    case .gliding(let glide): return glide.remainder(of: block, at: time)
    case .held(let fraction, scrubbed: true) where scrubsLinearly:
      return 1 - min(max((fraction - block.delayFactor) / (1 - block.delayFactor), 0), 1)
    case .held, .playing:
      let fraction = self.fraction(at: time)
      let own = (fraction - block.delayFactor) / (1 - block.delayFactor)
      guard sampler.duration > 0 else { return own >= 1 ? 0 : 1 - own }
      // The end of the time is the end of the way, whatever rounding says.
      return fraction >= 1 ? 0 : sampler.remainder(at: max(own, 0) * sampler.duration)
    }
  }

  func remainderSpeed(of block: AnimationBlock, at time: MotionTime) -> Double {
    guard isRunning else { return 0 }
    switch motion {
    case .held: return 0
    case .gliding(let glide): return glide.speed(of: block, at: time)
    case .playing(_, let since, let backwards):
      guard time >= since, sampler.duration > 0 else { return 0 }
      let scale = 1 / (1 - block.delayFactor)
      let own = (fraction(at: time) - block.delayFactor) * scale
      guard own >= 0 else { return 0 }
      let speed = sampler.speeds(at: own * sampler.duration).remainder * scale
      return backwards ? -speed : speed
    }
  }

  var isMoving: Bool { state == .active && isRunning }

  var arrival: MotionTime? {
    guard isMoving else { return nil }
    switch motion {
    case .held: return nil
    case .gliding(let glide): return glide.end
    case .playing(let fraction, let since, let backwards):
      let left = backwards ? fraction : 1 - fraction
      return since + .nanoseconds(Int64((left * min(sampler.duration, 9e8) * 1e9).rounded()))
    }
  }

  func arrive(in window: Window) {
    isRunning = false
    if pausesOnCompletion {
      motion = .held(fraction: isReversed ? 0 : 1, scrubbed: false)
      window.sample()
      return
    }
    let position = isReversed ? AnimatingPosition.start : .end
    release(at: position)
    tellCompletions(position)
  }

  func remember(_ change: ModelChange, in block: AnimationBlock, isEarlier: Bool) {
    changes.remember(change, block: block.id, isEarlier: isEarlier)
  }

  func windowIsGone() {
    pending = []
    completions = []
    rest()
  }

  /// Leaves the curve for a way of its own from what is on screen.
  func glide(_ timing: TimingCurve, durationFactor: Double) {
    guard let window else { return }
    let target = isReversed ? 1.0 : 0.0
    let left = abs(1 - progress - target)
    let full = window.motionLevel == .none ? 0 : duration.inSeconds
    var seconds = durationFactor > 0 ? durationFactor * full : min(left, 1) * full
    if case .spring(let spring) = timing, full > 0 {
      // A spring takes the time it takes.
      seconds = max(durationFactor > 0 ? durationFactor * full : full, spring.settlingDuration.inSeconds)
    }
    let glide = Glide(
      sampler: CurveSampler(timing, duration: seconds), start: window.time, target: target)
    for block in blocks {
      glide.setLeg(
        of: block, from: remainder(of: block, at: window.time),
        speed: remainderSpeed(of: block, at: window.time))
    }
    motion = .gliding(glide)
  }
}
