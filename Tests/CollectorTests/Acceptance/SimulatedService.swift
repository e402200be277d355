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
  func outcome(using generator: inout SeededGenerator) -> ScriptedOutcome {
    var outcome = ScriptedOutcome(answerAfter: delay.sample(using: &generator))
    guard let device else { return outcome }
    let draws = (0..<4).map { _ in generator.unit() }
    let ways = (0..<2).map { _ in device.delay.sample(using: &generator) }
    outcome.isRejected = draws[0] < device.rejected
    guard !outcome.isRejected, draws[1] >= device.lost else { return outcome }
    outcome.isReordered = draws[2] < device.reordered
    outcome.deliveries = [ways[0] + (outcome.isReordered ? device.heldBack : .zero)]
    if draws[3] < device.duplicated { outcome.deliveries.append(outcome.deliveries[0] + ways[1]) }
    return outcome
  }

  /// When something that is due comes about, freezes considered.
  func comesAt(_ due: MonotonicTime, start: MonotonicTime) -> MonotonicTime {
    guard let freeze, due >= start + freeze.lowerBound, due < start + freeze.upperBound else { return due }
    return start + freeze.upperBound
  }
}
