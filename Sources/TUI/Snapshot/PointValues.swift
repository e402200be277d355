import Analysis
import Measurement

/// The values of a key that notifications in memory have. Their points bear numbers of values (``SamplePoint/valueNumber``).
struct PointValues: Sendable, Equatable {
  /// Numbers of another division mean other values.
  let division: Int
  let key: BreakdownKey
  /// The texts of the values, escaped: that of number 1 first.
  private(set) var texts: [String] = []
  /// All numbers in the order of their values.
  private(set) var order: [UInt8] = []

  /// The number that values share which were found after so many that there are no more numbers.
  static let further = UInt8.max

  init(division: Int, key: BreakdownKey) { (self.division, self.key) = (division, key) }

  /// - Parameters:
  ///   - texts: not escaped; that of number 1 first.
  ///   - order: all numbers in the order of their values.
  mutating func set(_ texts: [String], order: [UInt8]) {
    (self.texts, self.order) = (texts.map { EscapedText.make($0) }, order)
  }

  func text(of number: UInt8) -> String {
    if number == Self.further { return "further values" }
    return number > 0 && Int(number) <= texts.count ? texts[Int(number) - 1] : ""
  }
}
