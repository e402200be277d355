import Configuration
import Measurement

/// A push service of known behavior, in simulated time.
struct SimulatedService {
  /// From the request to its answer.
  var delay = DelayDistribution.none
  /// How many requests it takes at once.
  var streams = 1000
  /// Nothing is answered or delivered in this time after the first planned instant; what is due comes at its end.
  var freeze: Range<Duration>?
  /// `nil`: it has no device.
  var device: Device?

  /// The way to the device and back.
  struct Device {
    var delay = DelayDistribution.constant(.milliseconds(20))
    var lost = 0.0
    var duplicated = 0.0
    var reordered = 0.0
    var heldBack = Duration.milliseconds(120)
    /// Error answers; none of these is delivered.
    var rejected = 0.0
  }

  /// What it decided about one request.
  struct ScriptedOutcome {
    var answerAfter: Duration
    var isRejected = false
    /// From the request to each receipt: none for a lost one, two for a duplicated one.
    var deliveries: [Duration] = []
    var isReordered = false
  }

  /// Decides; how many numbers it takes does not depend on what it decides.
  func fate(using generator: inout SeededGenerator) -> ScriptedOutcome {
    var fate = ScriptedOutcome(answerAfter: delay.sample(using: &generator))
    guard let device else { return fate }
    let draws = (0..<4).map { _ in generator.unit() }
    let ways = (0..<2).map { _ in device.delay.sample(using: &generator) }
    fate.isRejected = draws[0] < device.rejected
    guard !fate.isRejected, draws[1] >= device.lost else { return fate }
    fate.isReordered = draws[2] < device.reordered
    fate.deliveries = [ways[0] + (fate.isReordered ? device.heldBack : .zero)]
    if draws[3] < device.duplicated { fate.deliveries.append(fate.deliveries[0] + ways[1]) }
    return fate
  }

  /// When something that is due comes about, freezes considered.
  func comesAt(_ due: MonotonicTime, start: MonotonicTime) -> MonotonicTime {
    guard let freeze, due >= start + freeze.lowerBound, due < start + freeze.upperBound else { return due }
    return start + freeze.upperBound
  }
}
