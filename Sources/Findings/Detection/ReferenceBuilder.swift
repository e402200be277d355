/// Builds references from the bins of one series, and measures their design effects.
struct ReferenceBuilder: Sendable {
  private let layout: ScanLayout
  private let isShare: Bool
  /// The histogram of the bins that the last reference was taken from, of a share its events and notifications; empty before the
  /// first.
  private var histogram: [Int] = []
  private var histogramBins: [Range<Int>] = []

  /// How many times larger the excess of a design effect at p90 is taken.
  private static let bunching = 1.5

  init(_ layout: ScanLayout, isShare: Bool) {
    self.layout = layout
    self.isShare = isShare
  }

  /// The reference that some bins are, without design effects; `nil` when they have no values.
  ///
  /// Most of the bins are those of the last call, so that only the others are counted.
  /// - Parameter effect: the smallest change of a latency that is reported.
  mutating func reference(
    from segments: [Range<Int>], of history: BinHistory, effect: Double, _ settings: DetectorSettings
  ) -> Reference? {
    var reference: Reference?
    slideHistogram(to: segments, history)
    if isShare {
      reference = share(histogram, settings)
    } else {
      reference = latencies(histogram, effect: effect, settings)
    }
    reference?.bins = segments.reduce(0) { $0 + $1.count }
    return reference
  }

  /// The same, counted anew and not remembered.
  func separateReference(
    from segments: [Range<Int>], of history: BinHistory, effect: Double, _ settings: DetectorSettings
  ) -> Reference? {
    var histogram = emptyHistogram
    for segment in segments { add(segment, of: history, to: &histogram) }
    return isShare ? share(histogram, settings) : latencies(histogram, effect: effect, settings)
  }

  /// The bins are another scale's from now on: everything is counted anew.
  mutating func reset() { histogram = [] }

  private var emptyHistogram: [Int] { [Int](repeating: 0, count: isShare ? 2 : LogScale.levels) }

  /// Adds bins to a histogram, so many times.
  private func add(_ bins: Range<Int>, times: Int = 1, of history: BinHistory, to histogram: inout [Int]) {
    guard isShare else { return history.add(bins, times: times, to: &histogram) }
    for bin in bins {
      histogram[0] += times * history.above(0, bin)
      histogram[1] += times * history.count(bin)
    }
  }

  private func share(_ histogram: [Int], _ settings: DetectorSettings) -> Reference? {
    let (events, count) = (histogram[0], histogram[1])
    return count > 0 ? Reference(events: events, count: count, effect: settings.smallestShareEffect) : nil
  }

  private func latencies(_ histogram: [Int], effect: Double, _ settings: DetectorSettings) -> Reference? {
    let reference = Reference(histogram: histogram, effect: effect, floor: settings.floor)
    return reference.count > 0 ? reference : nil
  }

  /// Makes the histogram that of some bins.
  private mutating func slideHistogram(to segments: [Range<Int>], _ history: BinHistory) {
    if histogram.isEmpty || histogramBins.contains(where: { $0.lowerBound < history.first }) {
      histogram = emptyHistogram
      histogramBins = []
    }
    for bins in NormalStretches.difference(histogramBins, segments) {
      add(bins, times: -1, of: history, to: &histogram)
    }
    for bins in NormalStretches.difference(segments, histogramBins) {
      add(bins, of: history, to: &histogram)
    }
    histogramBins = segments
  }

  /// Sets a reference's design effects, as the bins show them that it was taken from.
  func measureEffects(of reference: inout Reference, _ segments: [Range<Int>], _ history: BinHistory) {
    let size = segments.reduce(0) { $0 + $1.count }
    var counts: [Int] = []
    counts.reserveCapacity(size)
    let quantiles = layout.isRecent ? [] : reference.levels
    let levels = isShare ? [0] : quantiles + reference.beyond.map(\.level)
    let order = levels.indices.sorted { levels[$0] > levels[$1] }
    let descending = order.map { levels[$0] }
    // By bin, then by level.
    var above: [Int] = []
    above.reserveCapacity(size * levels.count)
    for segment in segments {
      for bin in segment where !history.isAmbiguous(bin) {
        counts.append(history.count(bin))
        history.above(descending, side: .lower, bin) { above.append($1) }
      }
    }
    let count = Double(max(1, reference.count))
    func effects(_ index: Int, _ share: Double) -> [Double] {
      let first = order.firstIndex(of: index) ?? 0
      return Reference.designEffects(
        above: above, from: first, by: levels.count, counts: counts, share: share, scales: layout.scales)
    }
    guard !isShare else {
      reference.effects = [effects(0, Double(reference.events) / count)]
      reference.beyond[0].effects = reference.effects[0]
      return
    }
    let shares = reference.shares
    reference.effects = quantiles.indices.map { effects($0, shares[$0]) }
    // Of values that depend on each other slow ones come together: what lies above p90 varies by more than its variance says.
    if quantiles.count > 1 {
      reference.effects[1] = reference.effects[1].map { 1 + Self.bunching * ($0 - 1) }
    }
    let next = quantiles.count
    reference.beyond[0].effects = effects(next, Double(reference.beyond[0].count) / count)
    reference.beyond[1].effects = effects(next + 1, 1 - Double(reference.beyond[1].count) / count)
    // Few are far above p99: they come together at least as those above p99 do.
    reference.beyond[2].effects = effects(next + 2, Double(reference.beyond[2].count) / count)
    if let tail = reference.effects.last {
      reference.beyond[2].effects = zip(reference.beyond[2].effects, tail).map { max($0, $1) }
    }
  }
}
