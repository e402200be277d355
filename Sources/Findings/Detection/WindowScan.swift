import Measurement

/// Which windows are tested, and at which levels: each combination is a cell of the scan.
struct ScanLayout: Sendable {
  /// Lengths of windows in bins: powers of two.
  let scales: [Int]
  let isShare: Bool
  let quantiles: Int
  /// Up only for a share; up and down for a latency.
  let directions: Int
  /// By scale: windows of up to 4 min, up to 32 min, and longer ones have alarm levels of their own.
  private let bands: [Int]

  static let bandCount = 3

  init(_ settings: DetectorSettings, isShare: Bool) {
    scales = settings.scales
    self.isShare = isShare
    quantiles = isShare ? 1 : Reference.quantiles.count
    directions = isShare ? 1 : 2
    bands = scales.map {
      let length = Int64($0) * settings.binWidth
      return length <= 240_000_000 ? 0 : length <= 1_920_000_000 ? 1 : 2
    }
  }

  var longest: Int { scales.last ?? 1 }
  /// How many alarm levels there are.
  var cells: Int { quantiles * directions * Self.bandCount }
  /// The bands that some window falls into.
  var usedBands: [Int] { (0..<Self.bandCount).filter(bands.contains) }

  /// What a cell tests.
  func tested(_ cell: Int) -> (quantile: Int, isDown: Bool) {
    let test = cell / Self.bandCount
    return (test / directions, test % directions == 1)
  }

  func cell(quantile: Int, isDown: Bool, band: Int) -> Int {
    (quantile * directions + (isDown ? 1 : 0)) * Self.bandCount + band
  }

  func cell(quantile: Int, isDown: Bool, scale: Int) -> Int {
    cell(quantile: quantile, isDown: isDown, band: bands[scale])
  }
}

/// The test of windows against a reference, on cumulative counts by bin: of all values, and of those above each level that
/// a change must pass.
struct WindowScan: Sendable {
  private let layout: ScanLayout
  private let reference: Reference
  /// By bin: all, then those above each upper and each lower level.
  private var sums: [Int]
  /// Counts of a bin.
  private let width: Int
  /// The levels, descending, and where each is counted.
  private let levels: [Int]
  private let columns: [Int]
  /// The bin that the counts begin with.
  private var first: Int

  init(_ reference: Reference, _ layout: ScanLayout, startingAt first: Int) {
    self.reference = reference
    self.layout = layout
    self.first = first
    width = 1 + layout.quantiles * layout.directions
    sums = [Int](repeating: 0, count: width)
    let all =
      reference.upper.prefix(layout.quantiles)
      + (layout.directions == 2 ? reference.lower.prefix(layout.quantiles) : [])
    let order = all.indices.sorted { all[$0] > all[$1] }
    levels = order.map { all[$0] }
    columns = order.map { 1 + $0 }
  }

  /// Counts a bin.
  mutating func append(_ bin: Int, of history: BinHistory) {
    let last = sums.count - width
    for column in 0..<width { sums.append(sums[last + column]) }
    let next = last + width
    sums[next] += history.count(bin)
    history.above(levels, bin) { sums[next + columns[$0]] += $1 }
  }

  /// Forgets what no window reaches.
  ///
  /// - Parameter keep: the number of bins to keep at least.
  mutating func trim(keeping keep: Int) {
    let excess = sums.count / width - 2 * keep
    guard excess > 0 else { return }
    sums.removeFirst(excess * width)
    first += excess
  }

  /// Whether the counts are as well those of another reference: its levels are the same.
  func counts(for other: Reference) -> Bool {
    other.upper == reference.upper && other.lower == reference.lower
  }

  /// The same counts, tested against another reference with the same levels.
  func tested(against other: Reference) -> WindowScan {
    var scan = WindowScan(other, layout, startingAt: first)
    scan.sums = sums
    return scan
  }

  /// Bytes of storage.
  var memory: Int { 8 * sums.capacity }

  /// The largest nats among a cell's windows, and the scale of the window that has them.
  struct Maximum: Equatable {
    /// To begin with: what is not larger is of no interest.
    var nats: Double
    var scale: Int?
  }

  /// Raises each cell's maximum to the largest nats of its windows that end before a bin.
  ///
  /// Most windows are far below their cell's maximum: a bound of their nats says so without a logarithm.
  ///
  /// - Parameter notBefore: windows do not begin before it.
  func raise(_ maxima: inout [Maximum], endingAt end: Int, notBefore: Int) {
    let total = Double(reference.count)
    let least = max(notBefore, first)
    sums.withUnsafeBufferPointer { sums in
      let top = (end - first) * width
      let count = sums[top]
      for quantile in 0..<layout.quantiles {
        let share = reference.shares[quantile]
        let effects = reference.effects[quantile]
        guard let longest = effects.last else { continue }
        let all = total / longest
        let leastExpected = !layout.isShare && quantile == 2 ? 1.5 : 0.4
        for direction in 0..<layout.directions {
          let column = 1 + direction * layout.quantiles + quantile
          let above = sums[top + column]
          let isDown = direction == 1
          for (index, scale) in layout.scales.enumerated() {
            let begin = end - scale
            guard begin >= least else { break }
            let bottom = (begin - first) * width
            let n = Double(count - sums[bottom])
            let k = Double(above - sums[bottom + column])
            // Nothing is to be computed where the shares differ the other way.
            guard isDown ? k < share * n : k > share * n else { continue }
            let effect = effects[index]
            guard n * share >= leastExpected * effect, isDown || k >= 3 else { continue }
            let cell = layout.cell(quantile: quantile, isDown: isDown, scale: index)
            let most = Likelihood.twoSharesBound(k / effect, n / effect, share * all, all)
            guard most > maxima[cell].nats else { continue }
            let nats = Likelihood.twoShares(k / effect, n / effect, share * all, all)
            if nats > maxima[cell].nats { maxima[cell] = Maximum(nats: nats, scale: index) }
          }
        }
      }
    }
  }
}
