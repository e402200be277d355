import Measurement

/// The length of one pause after the other: doubling from ``first`` up to ``longest``, each drawn between once and one and
/// a half times that, so that many collectors do not come back together.
struct ExponentialDelay: Sendable {
  let first: Duration
  let longest: Duration
  /// Pauses in a row.
  private(set) var repeats = 0
  private var generator: SeededGenerator

  init(first: Duration, longest: Duration, seed: UInt64) {
    self.first = first
    self.longest = longest
    generator = SeededGenerator(seed: seed)
  }

  /// - Parameter least: what the first one is to be at the least.
  mutating func next(atLeast least: Duration = .zero) -> Duration {
    let shortest = max(first, least).nanoseconds
    let doubled = shortest.multipliedReportingOverflow(by: 1 << Int64(min(repeats, 20)))
    let full = doubled.overflow ? longest.nanoseconds : min(longest.nanoseconds, doubled.partialValue)
    repeats += 1
    return .nanoseconds(full + Int64(Double(full) / 2 * generator.unit()))
  }

  /// All is well again: the next pause is the first one.
  mutating func reset() { repeats = 0 }
}
