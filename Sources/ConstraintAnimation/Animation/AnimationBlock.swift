/// Everything that one `animate` call changed, with its curve, start and end.
final class AnimationBlock {
  let id: UInt64
  let sampler: CurveSampler
  let options: AnimationOptions
  /// When the curve begins, after the delay.
  let start: MotionTime
  /// When it completes; `.max` for those that repeat or are driven by hand.
  let end: MotionTime
  private(set) var tracks: [AnimationTrack] = []
  /// Has ended or lost all it animated; the window's list drops it at the next opportunity.
  var isRetired = false
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

  var isEmpty: Bool { tracks.isEmpty }

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
    tracks.contains { track in
      switch track.target {
      case .frame(let item):
        guard let view = item as? View else { return false }
        return view.layoutCells != view.shown.cells
          || (view.edgeStyle == .eighths && view.offset != view.shown.offset)
      case .alpha(let view), .tint(let view), .background(let view), .transform(let view):
        return view.appearance?.isMoving ?? false
      case .constant: return true
      }
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

  // MARK: Tracks

  /// Moves an item whose model has just jumped: on screen it stays where it was and comes after.
  func addFrameTrack(_ item: LayoutItem, delta: SIMD4<Double>, window: Window) {
    guard motionLevel == .full else { return }
    register(AnimationTrack(.frame(item), delta: delta), in: window)
    window.invalidate(item)
  }

  func addAppearanceTrack(_ target: AnimationTrack.Target, _ view: View, delta: SIMD8<Double>, window: Window)
  {
    let track = AnimationTrack(target, delta: delta)
    guard motionLevel == .full || motionLevel == .basic && track.property != .transform else { return }
    register(track, in: window)
    window.invalidate(view)
  }

  /// Moves a constant that has just been set; for blocks that solve on each frame.
  func addConstantTrack(_ constraint: LayoutConstraint, delta: Double, window: Window) {
    register(AnimationTrack(.constant(constraint), delta: delta), in: window)
  }

  private func register(_ fresh: AnimationTrack, in window: Window) {
    var track = fresh
    if options.contains(.beginFromCurrentState) {
      let (delta, velocity) = window.timeline.removeTracks(track.property, of: track.object, except: self)
      track.delta += delta
      track.velocity = sampler.isSpring ? velocity : .zero
    }
    track.add(fresh.delta)
    insert(track)
  }

  /// Inserts a track, or adds it to the one of the same property and object.
  func insert(_ track: AnimationTrack) {
    let object = track.object
    let property = track.property
    if let place = object.trackPlaces.first(where: { $0.block === self && $0.property == property }) {
      tracks[place.index].delta += track.delta
      tracks[place.index].velocity += track.velocity
    } else {
      object.trackPlaces.append(TrackPlace(block: self, property: property, index: tracks.count))
      tracks.append(track)
    }
  }

  /// Removes the track at `index`; the last one moves into its place.
  func removeTrack(at index: Int) -> AnimationTrack {
    let track = tracks[index]
    forgetPlace(of: track)
    let moved = tracks.removeLast()
    if index < tracks.count {
      tracks[index] = moved
      let object = moved.object
      let property = moved.property
      if let entry = object.trackPlaces.firstIndex(where: { $0.block === self && $0.property == property }) {
        object.trackPlaces[entry].index = index
      }
    }
    return track
  }

  /// Removes all tracks.
  func removeTracks() -> [AnimationTrack] {
    let removed = tracks
    tracks = []
    for track in removed { forgetPlace(of: track) }
    return removed
  }

  private func forgetPlace(of track: AnimationTrack) {
    let property = track.property
    track.object.trackPlaces.removeAll { $0.block === self && $0.property == property }
  }
}

/// An object that blocks animate. It knows where its tracks are, so that taking one over costs the same
/// however much else is moving.
protocol AnimatedObject: AnyObject {
  /// One entry per running block and property; maintained by ``AnimationBlock``.
  var trackPlaces: [TrackPlace] { get set }
}

/// Where a block keeps a track of an object.
struct TrackPlace {
  /// The window holds running blocks, and a block that ends takes its places out.
  unowned let block: AnimationBlock
  let property: AnimationTrack.Property
  var index: Int
}

/// One animated property of one object: what is added to the model at the start of its animation. A block scales it
/// by what is left of its curve on each frame.
struct AnimationTrack {
  enum Property: UInt8 {
    case frame, alpha, tint, background, transform, constant
  }

  enum Target {
    case frame(LayoutItem)
    case alpha(View)
    case tint(View)
    case background(View)
    case transform(View)
    /// A constraint's constant, for blocks that solve on each frame.
    case constant(LayoutConstraint)
  }

  let target: Target
  /// Start minus end.
  var delta: SIMD8<Double>
  /// Speed at the start, a second; only springs carry it over.
  var velocity = SIMD8<Double>.zero

  init(_ target: Target, delta: SIMD8<Double>) {
    self.target = target
    self.delta = delta
  }

  init(_ target: Target, delta: SIMD4<Double>) {
    self.init(target, delta: SIMD8(lowHalf: delta, highHalf: .zero))
  }

  init(_ target: Target, delta: Double) {
    self.init(target, delta: SIMD8(delta, 0, 0, 0, 0, 0, 0, 0))
  }

  var property: Property {
    switch target {
    case .frame: .frame
    case .alpha: .alpha
    case .tint: .tint
    case .background: .background
    case .transform: .transform
    case .constant: .constant
    }
  }

  var object: any AnimatedObject {
    switch target {
    case .frame(let item): item
    case .alpha(let view), .tint(let view), .background(let view), .transform(let view): view
    case .constant(let constraint): constraint
    }
  }

  /// Adds `amount` to the object's offsets.
  func add(_ amount: SIMD8<Double>) {
    switch target {
    case .frame(let item): item.offset += amount.lowHalf
    case .alpha(let view): view.animatedAppearance.alpha += amount[0]
    case .tint(let view): view.animatedAppearance.tint += amount.lowHalf
    case .background(let view): view.animatedAppearance.background += amount.lowHalf
    case .transform(let view): view.animatedAppearance.transform += amount
    case .constant(let constraint): constraint.constantOffset += amount[0]
    }
  }

  /// Removes what all tracks of this property have added to the object.
  func reset() {
    switch target {
    case .frame(let item): item.offset = .zero
    case .alpha(let view): view.appearance?.alpha = 0
    case .tint(let view): view.appearance?.tint = .zero
    case .background(let view): view.appearance?.background = .zero
    case .transform(let view): view.appearance?.transform = .zero
    case .constant(let constraint): constraint.constantOffset = 0
    }
  }
}

/// Determines the progress of blocks that time alone does not: what a ``PropertyAnimator`` is to the window.
protocol ProgressDriver: AnyObject {
  /// What is left of the block's deltas.
  func remainder(of block: AnimationBlock, at time: MotionTime) -> Double

  /// Change of the block's remainder a second.
  func remainderSpeed(of block: AnimationBlock, at time: MotionTime) -> Double

  /// Whether frames are needed.
  var isMoving: Bool { get }

  /// When it arrives if nothing interferes; nil while it waits or is scrubbed.
  var arrival: MotionTime? { get }

  /// Called once, at the arrival.
  func arrive(in window: Window)

  /// The model has been changed inside one of its blocks, or before it (`isEarlier`) and laid out there.
  func remember(_ change: ModelChange, in block: AnimationBlock, isEarlier: Bool)

  /// The window is being deallocated.
  func windowIsGone()
}

/// Running blocks that end by themselves, the one that completes next in front: a binary heap.
struct CompletionQueue {
  private var heap: [AnimationBlock] = []

  /// The block that completes next. Blocks retired before their time are dropped on the way.
  mutating func next() -> AnimationBlock? {
    while let first = heap.first {
      if !first.isRetired { return first }
      removeFirst()
    }
    return nil
  }

  mutating func insert(_ block: AnimationBlock) {
    heap.append(block)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(heap[child], heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(heap[child], heap[smallest]) {
        smallest = child
      }
      guard smallest != parent else { return }
      heap.swapAt(smallest, parent)
      parent = smallest
    }
  }

  /// The order of blocks that end together: first the one that would end first with full motion, then the older one.
  private func precedes(_ one: AnimationBlock, _ other: AnimationBlock) -> Bool {
    (one.end, one.order, one.id) < (other.end, other.order, other.id)
  }
}
