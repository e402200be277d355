/// Animations that can be taken in hand: paused, moved to and fro, turned round, given another timing.
///
/// The window keeps an animator alive while it is active. Values are continuous whatever is done to it; with springs
/// speed is too.
public final class PropertyAnimator {
  public let duration: Duration
  public let curve: TimingCurve

  public internal(set) var state = AnimatingState.inactive
  public internal(set) var isRunning = false

  /// Whether it runs towards its start. Changing it in flight turns the motion round.
  public var isReversed = false {
    didSet { if isReversed != oldValue { turnRound() } }
  }

  /// Whether `fractionComplete` means the way covered (and is set evenly by a finger) or the time spent.
  public var scrubsLinearly = true

  /// At either end it waits, active and paused, instead of finishing.
  public var pausesOnCompletion = false

  /// When false, pausing, scrubbing and turning round are refused.
  public var isInterruptible = true

  /// Constants, priorities and activations that the animations changed are put back when the animator ends at its
  /// start, so that the model says what the screen shows. What was changed before an animation and laid out by it
  /// counts as its own.
  ///
  /// An animator that ends at ``AnimatingPosition/current`` always sets constants to what is on screen. A priority or an
  /// activation has nothing between its ends and stays as it is; when that makes a view leap, or when the animations
  /// changed something an animator does not know of, the window reports ``LayoutDiagnostic/modelNotRestored(_:)``.
  public var restoresModelWhenReversed = true

  weak var window: Window?
  let sampler: CurveSampler
  var motion: Motion
  var pending: [(delayFactor: Double, body: () -> Void)] = []
  var completions: [(AnimatingPosition) -> Void] = []
  var blocks: [AnimationBlock] = []
  var changes = ModelChanges()
  /// The window's size when the animations began: after a resize their ways are no measure.
  var sizeAtStart = Size.zero

  /// How progress comes about.
  enum Motion {
    /// Standing at a fraction of the time; `scrubbed` once it has been set by hand.
    case held(fraction: Double, scrubbed: Bool)
    /// Along the curve, having been at `fraction` at `since`.
    case playing(fraction: Double, since: MotionTime, backwards: Bool)
    /// Away from the curve, from wherever each block was, to one of the ends.
    case gliding(Glide)
  }

  public init(
    window: Window, duration: Duration, curve: TimingCurve, animations: (() -> Void)? = nil
  ) {
    self.window = window
    self.duration = max(duration, .zero)
    self.curve = curve
    sampler = CurveSampler(
      curve, duration: window.motionLevel == .none ? 0 : max(duration, .zero).inSeconds)
    motion = .held(fraction: 0, scrubbed: false)
    if let animations { pending = [(0, animations)] }
  }

  /// A spring that has come to rest after `duration`.
  public convenience init(
    window: Window, duration: Duration, dampingRatio: Double, initialVelocity: Double = 0,
    animations: (() -> Void)? = nil
  ) {
    let spring = SpringTiming(
      dampingRatio: dampingRatio, duration: duration, initialVelocity: initialVelocity)
    self.init(window: window, duration: duration, curve: .spring(spring), animations: animations)
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
      motion = .held(fraction: min(max(newValue, 0), 1), scrubbed: true)
      window?.sample()
    }
  }
}
