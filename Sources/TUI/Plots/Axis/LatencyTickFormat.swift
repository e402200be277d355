/// How the labels of one axis are written.
struct LatencyTickFormat: Sendable, Hashable {
  private let unit: DurationUnit
  private let decimals: Int

  /// For equal steps: the unit of the largest label, and as many decimals as the step needs in it.
  init(step: Int64, largest: Int64) {
    unit = DurationUnit(for: largest)
    var decimals = 0
    var whole = unit.microseconds
    while whole > 1 && step % whole != 0 {
      whole /= 10
      decimals += 1
    }
    self.decimals = decimals
  }

  func text(_ value: Int64) -> String { unit.text(value, decimals: decimals) }

  /// For 1…9 × 10ⁿ: the unit in which it is a whole number below 1 000.
  static func natural(_ value: Int64) -> String { DurationUnit(for: value).text(value, decimals: 0) }
}
