/// When the bins that a detector keeps begin, as stretches without a gap.
struct RecordedBins: Sendable, Hashable, Codable {
  private struct Stretch: Sendable, Hashable, Codable {
    /// µs since 1970.
    var start: Int64
    /// The number of bins.
    var count: Int
  }

  private var stretches: [Stretch] = []

  init() {}

  // A plain list, as checkpoints have always had it.
  init(from decoder: any Decoder) throws {
    stretches = try decoder.singleValueContainer().decode([Stretch].self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stretches)
  }

  /// The beginning of the first bin, µs since 1970; `nil` without one.
  var firstStart: Int64? { stretches.first?.start }

  /// The beginnings of all bins, µs since 1970, ascending.
  ///
  /// - Parameter width: of a bin, µs.
  func starts(width: Int64) -> [Int64] {
    stretches.flatMap { stretch in (0..<stretch.count).map { stretch.start + Int64($0) * width } }
  }

  /// - Parameters:
  ///   - start: the beginning of the next bin, µs since 1970.
  ///   - width: of a bin, µs.
  mutating func append(_ start: Int64, width: Int64) {
    if let last = stretches.indices.last,
      stretches[last].start + Int64(stretches[last].count) * width == start
    {
      stretches[last].count += 1
    } else {
      stretches.append(Stretch(start: start, count: 1))
    }
  }

  /// Forgets the first bins.
  ///
  /// - Parameter width: of a bin, µs.
  mutating func removeFirst(_ count: Int, width: Int64) {
    var rest = count
    while rest > 0, let stretch = stretches.first {
      guard stretch.count > rest else {
        rest -= stretch.count
        stretches.removeFirst()
        continue
      }
      stretches[0].count -= rest
      stretches[0].start += Int64(rest) * width
      rest = 0
    }
  }
}
