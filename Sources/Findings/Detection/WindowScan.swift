import Glibc
import Measurement

/// Which windows are tested, and at which levels: each combination is a cell of the scan.
struct ScanLayout: Sendable {
  /// Lengths of windows in bins: powers of two.
  let scales: [Int]
  let isShare: Bool
  /// Whether windows are tested against the hours just before them.
  let isRecent: Bool
  let quantiles: Int
  /// The number of directions: 1 (up) for a share, 2 (up and down) for a latency.
  let directions: Int
  /// The band of each scale: windows of up to 4 min, up to 32 min, and longer ones have alarm levels of their own.
  private let bands: [Int]

  static let bandCount = 3

  /// - Parameter isRecent: of windows against the hours before them: of the median only, up to an hour.
  init(_ settings: DetectorSettings, isShare: Bool, isRecent: Bool = false) {
    scales = settings.scales.filter {
      !isRecent || $0 == 1 || Int64($0) * settings.binWidth <= settings.longestRecentWindow
    }
    self.isShare = isShare
    self.isRecent = isRecent
    quantiles = isShare || isRecent ? 1 : Reference.quantiles.count
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
  /// The tests, one for each column of `sums` after the first.
  private let tests: [Test]
  /// Cumulative counts by bin: all values, then those above each upper and each lower level.
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
    var tests = (0..<layout.directions).flatMap { direction in
      (0..<layout.quantiles).map { Test(reference, quantile: $0, isDown: direction == 1, layout) }
    }
    if layout.quantiles > 2, !reference.isYoung { tests.append(Test(tailOf: reference, layout)) }
    self.tests = tests
    width = 1 + tests.count
    sums = [Int](repeating: 0, count: width)
    let all = tests.map(\.level)
    let order = all.indices.sorted { all[$0] > all[$1] }
    levels = order.map { all[$0] }
    columns = order.map { 1 + $0 }
  }

  /// Counts bins, for which storage is set aside.
  mutating func append(_ bins: Range<Int>, of history: BinHistory) {
    sums.reserveCapacity(sums.count + bins.count * width)
    for bin in bins { append(bin, of: history) }
  }

  /// Counts a bin.
  mutating func append(_ bin: Int, of history: BinHistory) {
    let last = sums.count - width
    for column in 0..<width { sums.append(sums[last + column]) }
    let next = last + width
    sums[next] += history.count(bin)
    guard history.isAmbiguous(bin) else {
      return history.above(levels, side: .lower, bin) { sums[next + columns[$0]] += $1 }
    }
    // Each direction starts from what is the more usual for it.
    for side in [BinHistory.Side.lower, .upper] {
      history.above(levels, side: side, bin) { place, count in
        guard tests[columns[place] - 1].isDown == (side == .lower) else { return }
        sums[next + columns[place]] += count
      }
    }
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

  /// The bin after the last one that is counted.
  var end: Int { first + sums.count / width - 1 }

  /// Bytes of storage.
  var memory: Int { 8 * sums.capacity }

  /// The largest nats among a cell's windows, and the scale of the window that has them.
  struct Maximum: Equatable {
    /// The largest nats found. The initial value is a threshold: smaller ones are ignored.
    var nats: Double
    var scale: Int?
    /// Whether more than half of the window lies beyond the level.
    var isMost = false
  }

  /// Raises each cell's maximum to the largest nats of its windows that end before a bin.
  ///
  /// Most windows are far below their cell's maximum: a bound of their nats says so without a logarithm.
  ///
  /// - Parameters:
  ///   - maxima: those of its cells, after `offset` others.
  ///   - notBefore: windows do not begin before it.
  func raise(_ maxima: inout [Maximum], after offset: Int = 0, endingAt end: Int, notBefore: Int) {
    let least = max(notBefore, first)
    guard end <= self.end else {
      assertionFailure("windows end with the last bin that is counted")
      return
    }
    sums.withUnsafeBufferPointer { sums in
      // Used in place: a copy of a test counts references to its storage.
      tests.withUnsafeBufferPointer { tests in
        let top = (end - first) * width
        for column in tests.indices where !tests[column].isIdle {
          let reference = tests[column].share * tests[column].all
          for (index, scale) in layout.scales.enumerated() {
            let begin = end - scale
            guard begin >= least else { break }
            let bottom = (begin - first) * width
            let n = Double(sums[top] - sums[bottom])
            let above = Double(sums[top + 1 + column] - sums[bottom + 1 + column])
            let k = tests[column].isDown ? n - above : above
            guard let (effect, isMost) = tests[column].effect(k, n, index) else { continue }
            let cell = offset + tests[column].cell(index)
            let (few, all) = (k / effect, n / effect)
            guard Likelihood.twoSharesBound(few, all, reference, tests[column].all) > maxima[cell].nats else {
              continue
            }
            let nats = Likelihood.twoShares(few, all, reference, tests[column].all)
            if nats > maxima[cell].nats { maxima[cell] = Maximum(nats: nats, scale: index, isMost: isMost) }
          }
        }
      }
    }
  }

  // MARK: - Power

  /// How far a series that changed lies beyond each level.
  struct Change {
    /// How many bins it lasts.
    var bins: Double
    /// The size: a ratio, or a difference of shares.
    var size: Double
  }

  /// How a change is seen.
  struct Sight {
    /// The probability that some window raises an alarm.
    var probability = 0.0
    /// The number of bins after which one did in nine of ten cases.
    var delay = Double.infinity
  }

  /// The fewest values beyond the level that raise an alarm, by test and scale; infinite where none do.
  ///
  /// - Parameter alarm: the alarm level of a cell, nats.
  func leastCounts(alarm: (_ cell: Int) -> Double) -> [[Double]] {
    let perBin = valuesPerBin
    return tests.map { test in
      // Of one that wanders for longer than it is recorded nothing is known.
      let isKnown = !reference.isYoung || !test.effectsGrow
      return layout.scales.enumerated().map { index, scale in
        let n = perBin * Double(scale)
        guard isKnown, !test.isDown, !test.isIdle, n >= 1 else { return .infinity }
        let doubt = reference.isYoung ? Self.doubt.young : Self.doubt.old
        let level = alarm(test.cell(index)) * (1 + doubt * (1 - 1 / test.effects[index]))
        func isSeen(_ k: Double) -> Bool { test.nats(k, n, index).map { $0 >= level } ?? false }
        // The evidence grows with the count.
        var (few, many) = (0.0, (n + 1e-6).rounded(.down))
        guard isSeen(many) else { return .infinity }
        while many - few > 1 {
          let middle = ((few + many) / 2).rounded(.down)
          if isSeen(middle) { many = middle } else { few = middle }
        }
        // Of values that depend on each other nearly all are beyond a level, or many fewer: a size alone does not say which.
        return many > Self.mostOfDependent * n && test.effects[index] > 1.5 ? .infinity : many
      }
    }
  }

  /// How clearly a change for the worse would be seen: by windows that lie in it, of which it has several, and by longer ones that
  /// contain it, whatever its place among the bins.
  ///
  /// - Parameter leastCounts: see ``leastCounts(alarm:)``.
  func sight(of change: Change, leastCounts: [[Double]]) -> Sight {
    let perBin = valuesPerBin
    var best = Sight()
    for (column, test) in tests.enumerated() where !test.isDown && !test.isIdle {
      let now = share(beyond: test, after: change.size)
      for (index, scale) in layout.scales.enumerated() {
        let least = leastCounts[column][index]
        guard least < .infinity else { continue }
        let length = Double(scale)
        let n = perBin * length
        let covered = max(0, min(length, change.bins) - Self.lostToPlace(length, change.bins))
        let share = (covered * now + (length - covered) * test.usual) / length
        let dispersion = test.dispersion(share, index)
        let one = Likelihood.probability(atLeast: least, of: n, share: share, effect: dispersion)
        guard one > 0 else { continue }
        let octaves = Glibc.log2(max(1, change.bins / length))
        let whole = test.dispersion(share, min(index + Int(octaves.rounded()), layout.scales.count - 1))
        // What is hardly more than the effect is seen where a window has more of it than the others: they have most of it in common.
        let isNear = layout.isShare && now < Self.nearEffect * test.leastShare
        let overlap = (isNear ? Self.overlapNearEffect : Self.overlap) * (2 - one)
        let windows = 1 + overlap * max(0, max(1, change.bins / length) * dispersion / whole - 1)
        let probability = 1 - Glibc.pow(1 - one, windows)
        best.probability = max(best.probability, probability)
        guard probability >= Self.confidence else { continue }
        let needed = max(1, Glibc.log(1 - Self.confidence) / Glibc.log(max(1e-12, 1 - one)) / overlap)
        best.delay = min(best.delay, min(length * needed, change.bins) + 1)
      }
    }
    return best
  }

  /// The probability from which on a change is promised to be found. It is more than nine of ten, which a change is found of at least:
  /// what is known of the series is not exact, and windows of one change have more in common than is computed.
  static let confidence = 0.96

  /// How many windows are as good as independent where one after the other fits in once.
  private static let overlap = 2.0
  /// The share by which the design effects of a reference that varies much may turn out larger, that of a young one by more.
  private static let doubt = (young: 0.8, old: 0.12)

  /// Nothing is promised where more than this share of a window of dependent values would have to be beyond the level.
  private static let mostOfDependent = 0.9
  /// A share is hardly more than the effect up to so many times the least that counts.
  private static let nearEffect = 1.5
  private static let overlapNearEffect = 1.2

  private var valuesPerBin: Double { Double(reference.count) / Double(max(1, reference.bins ?? 1)) }

  /// How many bins of a change are outside of the window that fits it best, by its place among the bins; the
  /// median of what it can be.
  private static func lostToPlace(_ window: Double, _ change: Double) -> Double {
    let slack = abs(window - change)
    return slack >= 1 ? 0 : 0.5 * (1 - slack) / 2
  }

  private func share(beyond test: Test, after size: Double) -> Double {
    guard !layout.isShare else {
      return min(1, Double(reference.events) / Double(max(1, reference.count)) + size)
    }
    let level = Double(test.level)
    // Two levels more: where values lie in a level is not known, nor just where the reference's quantile does.
    return reference.shareAbove(level: level + 2 - Glibc.log(size) / LogScale.step)
  }

  /// What is tested at one quantile in one direction: whether more than usual lies beyond the level that a change must pass.
  private struct Test {
    /// The fewest values beyond a level at which anything is said of the median.
    private static let fewestBeyond = 6.0

    var quantile: Int
    var isDown: Bool
    /// The level that a change must pass.
    private(set) var level: Int
    /// The reference's share beyond the level, and its effective count.
    var share: Double
    var all: Double
    /// Design effects by scale.
    var effects: [Double]
    /// More than this share of a window lies beyond the level where its quantile does.
    var leastShare: Double
    var leastCount: Double
    /// How many values a window has at least, in design effects: so many that the reference has some above its quantile.
    var leastValues: Double
    /// The number of values beyond the level that suffices where they are most of a window; 0 where none does.
    var leastOfMost = 0.0
    /// Design effects of the median by scale, for windows whose values are mostly beyond the level.
    var medianEffects: [Double] = []
    /// Design effects of what lies above each of the reference's quantiles.
    private var levelEffects: [[Double]] = []
    /// Whether nothing is tested, since the reference varies too much.
    var isIdle = false
    /// The reference's share beyond the level that a change must pass, which at p90 and p99 is less than ``share``.
    var usual = 0.0
    private var cells: [Int]

    init(_ reference: Reference, quantile: Int, isDown: Bool, _ layout: ScanLayout) {
      self.quantile = quantile
      self.isDown = isDown
      level = isDown ? reference.lower[quantile] : reference.upper[quantile]
      cells = layout.scales.indices.map { layout.cell(quantile: quantile, isDown: isDown, scale: $0) }
      let isBeyond = quantile == 0 && (layout.isShare || !reference.isYoung)
      effects = isBeyond ? reference.effects(quantile: 0, isDown: isDown) : reference.effects[quantile]
      all = Double(reference.count) / (effects.last ?? 1)
      if isBeyond {
        share = reference.beyond[isDown ? 1 : 0].share(of: reference.count)
        leastShare = layout.isShare ? reference.shares[0] : 0.5
        leastCount = layout.isShare ? 3 : Self.fewestBeyond
        isIdle =
          layout.isRecent
          && Double(reference.beyond[isDown ? 1 : 0].count) > RecentScan.largestShare
            * Double(reference.count)
        leastValues = 0
      } else {
        // The reference lies at the level itself, the window beyond what is an effect away from it.
        let above = reference.shareAbove(quantile: quantile)
        share = isDown ? 1 - above : above
        leastShare = isDown ? Reference.quantiles[quantile] : 1 - Reference.quantiles[quantile]
        leastCount = isDown ? 0 : 3
        leastOfMost = isDown || quantile != 2 || reference.isYoung ? 0 : Self.fewestBeyond
        medianEffects = reference.effects(quantile: 0, isDown: isDown)
        leastValues = (quantile == 2 ? 1.5 : 0.4) / max(above, 1e-9)
      }
      usual = isBeyond ? share : min(share, reference.shareAbove(level: Double(reference.upper[quantile])))
      if !layout.isShare { levelEffects = reference.effects }
    }

    /// Creates the test of what lies far above p99, where the reference has next to nothing: of a few in a hundred that take several
    /// times as long many are there.
    init(tailOf reference: Reference, _ layout: ScanLayout) {
      self.init(reference, quantile: 2, isDown: false, layout)
      let tail = reference.beyond[2]
      level = tail.level
      effects = tail.effects
      all = Double(reference.count) / (effects.last ?? 1)
      share = tail.share(of: reference.count)
      usual = share
      leastCount = Self.fewestBeyond
      leastOfMost = 0
    }

    /// Whether the longest windows that are known vary more than shorter ones.
    var effectsGrow: Bool {
      guard effects.count > 1, let last = effects.last else { return false }
      return last > 1.15 * effects[effects.count - 2]
    }

    /// How many times more the count beyond the level varies than if values were independent, when that is a share of a window.
    ///
    /// Where little is beyond the level, little is known from it; where much is, it varies as what lies beyond the reference's own
    /// quantiles does.
    func dispersion(_ share: Double, _ index: Int) -> Double {
      let own = effects[min(index, effects.count - 1)]
      guard share > 0.25, levelEffects.count == Reference.quantiles.count else { return own }
      // As in the middle, at nine of ten and at ninety-nine of a hundred, by the logarithm of what is not beyond.
      let place = min(2, max(0, Glibc.log(0.5 / max(1e-9, 1 - share)) / Glibc.log(5)))
      let low = min(1, Int(place))
      let (from, to) = (levelEffects[low][index], levelEffects[low + 1][index])
      return max(own, from + (to - from) * (place - Double(low)))
    }

    func cell(_ scale: Int) -> Int { cells[scale] }

    /// The design effect of a window with `k` of `n` values beyond the level, and whether most of it is; `nil` where it does
    /// not count: its own quantile, or share, has not moved by the effect, or it has too few values.
    @inline(__always)
    func effect(_ k: Double, _ n: Double, _ index: Int) -> (effect: Double, isMost: Bool)? {
      guard k > leastShare * n, k > share * n, k >= leastCount else { return nil }
      let effect = effects[index]
      // Where even most of a window lies beyond the level, its median does, and few values say so.
      let isMost = leastOfMost > 0 && k >= leastOfMost && k > 0.5 * n
      guard isMost else { return n >= leastValues * effect ? (effect, false) : nil }
      let most = max(effect, medianEffects[index])
      return k >= 3 * most ? (most, true) : nil
    }

    /// The nats of such a window.
    func nats(_ k: Double, _ n: Double, _ index: Int) -> Double? {
      effect(k, n, index).map { effect, _ in Likelihood.twoShares(k / effect, n / effect, share * all, all) }
    }
  }
}
