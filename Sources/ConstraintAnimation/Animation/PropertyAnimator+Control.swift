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
      motion = .playing(
        fraction: isReversed ? 1 : 0, since: window.time + max(delay, .zero), backwards: isReversed)
    }
  }

  /// Stands still where it is; from rest, at the beginning.
  public func pauseAnimation() {
    guard ready(for: "pauseAnimation") else { return }
    if state == .inactive {
      activate()
      motion = .held(fraction: isReversed ? 1 : 0, scrubbed: false)
    } else if isRunning {
      hold()
    }
    isRunning = false
  }

  /// Goes on from where it stands.
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
      if timing == nil, durationFactor <= 0, case .held(let fraction, scrubbed: false) = motion {
        motion = .playing(fraction: fraction, since: window.time, backwards: isReversed)
      } else if timing != nil || durationFactor > 0 || !isRunning {
        glide(timing ?? curve, durationFactor: durationFactor)
      }
      isRunning = true
    }
  }

  /// Stops where it is.
  /// - Parameter withoutFinishing: true lets everything go at once, with no completion; the model takes the values
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
    tellCompletions(position)
  }

  // MARK: Inside

  func ready(for call: String) -> Bool {
    guard state != .stopped, isInterruptible || state == .inactive else {
      misuse(call)
      return false
    }
    return true
  }

  func misuse(_ call: String) {
    window?.report(.animatorMisuse("\(call) while \(state)"))
  }

  func activate() {
    guard state == .inactive, let window else { return }
    state = .active
    motion = .held(fraction: isReversed ? 1 : 0, scrubbed: false)
    window.drivers.append(self)
    sizeAtStart = window.size
    let bodies = pending
    pending = []
    for entry in bodies { run(entry.body, delayFactor: entry.delayFactor) }
  }

  func run(_ body: () -> Void, delayFactor: Double) {
    guard let window else { return }
    let never = MotionTime(nanoseconds: .max)
    let block = AnimationBlock(
      id: window.makeBlockID(), sampler: sampler, options: [], start: window.time, end: never,
      order: never, motionLevel: window.motionLevel == .basic ? .basic : .full, driver: self,
      delayFactor: delayFactor)
    blocks.append(block)
    window.run(block, animations: body)
    if case .gliding(let glide) = motion { glide.join(block) }
    window.sample()
  }

  func hold() {
    if case .playing = motion {
      motion = .held(fraction: currentFraction, scrubbed: false)
    } else if case .gliding(let glide) = motion, let window {
      glide.freeze(at: window.time)
    }
  }

  func turnRound() {
    guard state == .active, isRunning, let window else { return }
    guard isInterruptible else {
      misuse("isReversed")
      return
    }
    if case .playing(_, let since, _) = motion, !sampler.isSpring || window.time <= since {
      motion = .playing(
        fraction: currentFraction, since: max(window.time, since), backwards: isReversed)
    } else {
      glide(curve, durationFactor: 0)
    }
  }

  /// Lets go of the blocks and makes the model say what `position` means.
  func release(at position: AnimatingPosition) {
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
    window.drivers.removeAll { $0 === self }
    window.blocks.removeAll { $0.driver === self }
    for block in blocks { window.end(block) }
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

  /// Where the model has to come to lie if nothing is to leap.
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

  /// Back to where it can be started from again, without touching the window.
  func rest() {
    blocks = []
    changes.removeAll()
    state = .inactive
    isRunning = false
    motion = .held(fraction: 0, scrubbed: false)
  }

  func tellCompletions(_ position: AnimatingPosition) {
    let bodies = completions
    completions = []
    for body in bodies { body(position) }
  }
}
