/// Ranges of a series' values between levels, and the reference's share of each: how the values of a change fall into them says
/// when it began and when it was over.
struct ChangeCells: Sendable, Hashable, Codable {
  /// Ascending; of a share none.
  private(set) var levels: [Int]
  /// The reference's, one more than levels, the lowest values first; of a share those of not having and of having the property.
  let shares: [Double]

  /// Creates cells between levels of a latency; `above` counts the reference's values above a level.
  init(_ levels: [Int], count: Int, least: Double = 1e-3, above: (Int) -> Int) {
    self.levels = Set(levels).sorted()
    let ends = [count] + self.levels.map(above) + [0]
    shares = Self.normal(
      zip(ends, ends.dropFirst()).map { Double($0 - $1) / Double(max(1, count)) }, least: least)
  }

  /// Creates cells between the levels of a reference's quantiles; `above` has the share of it above each level.
  init(levels: [Int], above: [Double]) {
    self.levels = levels
    let ends = [1] + above + [0]
    shares = Self.normal(zip(ends, ends.dropFirst()).map { $0 - $1 }, least: 1e-4)
  }

  init(shareOf events: Int, of count: Int) {
    levels = []
    let share = max(Double(events), 0.5) / Double(max(1, count))
    shares = [1 - share, share]
  }

  private static func normal(_ parts: [Double], least: Double) -> [Double] {
    let parts = parts.map { max($0, least) }
    let sum = parts.reduce(0, +)
    return parts.map { $0 / sum }
  }

  var isShare: Bool { levels.isEmpty }
}
