import Glibc
import Measurement

/// A finding whose end is looked for: what the bins since before its alarm counted in the cells between the levels of its
/// reference.
struct OpenFinding: Sendable, Hashable, Codable {
  let id: Finding.ID
  let reference: Reference
  /// The bin after the one that raised the alarm.
  let alarmBin: Int
  /// Where its start may lie at the earliest.
  let searchFrom: Int
  /// The quantile and the scale of the window that raised the alarm.
  let quantileIndex: Int
  let scale: Int
  private(set) var startBin: Int
  /// The reference's share of each cell.
  private let cells: [Double]
  /// Cumulative counts, up to and with each bin from `searchFrom` on, cell by cell; older ones are dropped.
  private var firstCounts: Int
  private var counts: [Double]
  private var atStart: [Double]

  /// - Parameters:
  ///   - range: from where on its start is looked for, up to the alarm.
  ///   - binCounts: what a bin counted, by cell.
  init(
    id: Finding.ID, reference: Reference, isShare: Bool, quantileIndex: Int, scale: Int, in range: Range<Int>,
    binCounts: (Int) -> [Double]
  ) {
    self.id = id
    self.reference = reference
    self.quantileIndex = quantileIndex
    self.scale = scale
    alarmBin = range.upperBound
    searchFrom = range.lowerBound
    startBin = range.lowerBound
    firstCounts = range.lowerBound
    cells = reference.cells(isShare: isShare)
    atStart = [Double](repeating: 0, count: cells.count)
    counts = atStart
    for bin in range { append(binCounts(bin)) }
  }

  private mutating func append(_ binCounts: [Double]) {
    let last = counts.count - cells.count
    for cell in cells.indices { counts.append(counts[last + cell] + binCounts[cell]) }
  }

  /// The cumulative counts before a bin.
  private func place(_ bin: Int) -> Int { (bin - firstCounts) * cells.count }
  private func before(_ bin: Int) -> [Double] { Array(counts[place(bin)..<place(bin + 1)]) }

  /// The design effect at its quantile and scale.
  var effect: Double { reference.effects[quantileIndex][scale] }

  /// Whether the counts reach back to an instant, the beginning of a bin.
  func reachesBack(to bin: Int) -> Bool { bin >= firstCounts }

  /// Whether the counts reach back to where its start may lie.
  var isWhole: Bool { firstCounts == searchFrom }

  /// Bytes of storage.
  var memory: Int { counts.count * 8 }

  /// Counts the next bin.
  ///
  /// - Parameter limit: about how many bins it has to look back on.
  mutating func follow(_ binCounts: [Double], keeping limit: Int) {
    append(binCounts)
    let excess = counts.count / cells.count - limit
    if excess > limit {
      firstCounts += excess
      counts.removeFirst(excess * cells.count)
    }
  }

  // MARK: - Start

  /// The bin from which on the evidence against the reference is strongest, and those that are nearly as likely.
  func mostLikelyStart(in range: Range<Int>, until end: Int) -> (start: Int, nearly: ClosedRange<Int>) {
    let last = place(end)
    let logCells = cells.map { log($0) }
    var best = -Double.infinity
    var start = range.lowerBound
    var scores: [Double] = []
    scores.reserveCapacity(range.count)
    for bin in range {
      let before = place(bin)
      var score = 0.0
      var sum = 0.0
      for cell in cells.indices {
        let k = counts[last + cell] - counts[before + cell]
        sum += k
        score += Likelihood.xlogx(k) - k * logCells[cell]
      }
      score = (score - Likelihood.xlogx(sum)) / effect
      scores.append(score)
      if score > best { (best, start) = (score, bin) }
    }
    let near = scores.indices.filter { scores[$0] >= best - 4 }
    return (start, range.lowerBound + (near.first ?? 0)...range.lowerBound + (near.last ?? 0))
  }

  /// Takes the most likely start, as the bins up to an end show it.
  ///
  /// - Parameter latest: no later than this.
  mutating func takeStart(until end: Int, atMost latest: Int) {
    let likely = mostLikelyStart(in: searchFrom..<max(end, searchFrom + 1), until: end)
    startBin = min(likely.start, latest)
    atStart = before(startBin)
  }

  /// The bins that are nearly as likely a start; `nil` where the counts do not reach back to all of them.
  func startInterval(until end: Int) -> ClosedRange<Int>? {
    guard isWhole, searchFrom < end else { return nil }
    return mostLikelyStart(in: searchFrom..<end, until: end).nearly
  }

  // MARK: - Effect and end

  /// What was counted by cell from the start to an end.
  func counted(until end: Int) -> [Double] {
    zip(before(end), atStart).map { max(0, $0 - $1) }
  }

  /// By how many nats a value of each cell speaks for the change.
  func weights(_ counted: [Double]) -> [Double] {
    let total = counted.reduce(0, +)
    return zip(counted, cells).map { log(($0 + $1) / (total + 1) / $1) }
  }

  /// The bin at which the reference most likely came back, if some stretch that ends now and began after the alarm speaks
  /// for it.
  ///
  /// - Parameters:
  ///   - windows: lengths of stretches to try.
  ///   - scales: the detector's, for which design effects are known.
  ///   - nats: how clearly at least.
  func returned(now: Int, windows: [Int], scales: [Int], atLeast nats: Double) -> Int? {
    var best = nats
    var found: Int?
    let top = place(now)
    for window in windows where window <= now - alarmBin && now - window >= firstCounts {
      let index = scales.firstIndex { $0 >= window } ?? scales.count - 1
      let effect = reference.effects.reduce(1) { max($0, $1[index]) }
      let middle = place(now - window)
      var total = 0.0
      for cell in cells.indices { total += counts[middle + cell] - atStart[cell] }
      let weight = 2 + 0.25 * total
      var score = 0.0
      for cell in cells.indices {
        let count = counts[top + cell] - counts[middle + cell]
        guard count != 0 else { continue }
        let own = counts[middle + cell] - atStart[cell]
        score += count * log(cells[cell] * (total + weight) / (own + weight * cells[cell]))
      }
      if score / effect > best { (best, found) = (score / effect, middle) }
    }
    return found.map { middle in
      let own = cells.indices.map { counts[middle + $0] - atStart[$0] }
      let total = own.reduce(0, +)
      let weight = 2 + 0.25 * total
      return mostLikelyEnd(now: now, shares: zip(own, cells).map { ($0 + weight * $1) / (total + weight) })
    }
  }

  /// Before the alarm too.
  private func mostLikelyEnd(now: Int, shares: [Double]) -> Int {
    let top = place(now)
    let weights = zip(cells, shares).map { log($0 / $1) }
    var end = now
    var most = -Double.infinity
    for bin in max(startBin + 1, firstCounts)..<max(startBin + 2, now) {
      let before = place(bin)
      var score = 0.0
      for cell in cells.indices { score += (counts[top + cell] - counts[before + cell]) * weights[cell] }
      if score > most { (most, end) = (score, bin) }
    }
    return end
  }

  // MARK: - Description

  /// Start, effect and evidence as the bins up to `end` show them.
  func describe(_ finding: inout Finding, until end: Int, in history: BinHistory, isShare: Bool) {
    let width = history.width
    finding.start = history.start(startBin)
    finding.seenUntil = history.start(end - 1) + width
    guard reachesBack(to: end) else { return }
    if let nearly = startInterval(until: end) {
      finding.startInterval =
        history.start(nearly.lowerBound) - width...history.start(nearly.upperBound) + width
    }
    let counted = counted(until: end)
    let total = counted.reduce(0, +)
    finding.count = Int(total)
    finding.effectiveCount = total / effect
    finding.evidence.weights = weights(counted)
    if isShare {
      finding.before = Double(reference.events) / Double(max(1, reference.count))
      finding.after = total > 0 ? counted[1] / total : 0
      return
    }
    finding.before = LogScale.edge(reference.levels[quantileIndex] + 1)
    let stretch = max(startBin, history.first)..<max(end, startBin + 1)
    guard let after = history.quantile(Reference.quantiles[quantileIndex], of: stretch) else { return }
    finding.after = after
    finding.isGettingWorse = history.isRising(stretch)
    if finding.isGettingWorse { finding.startInterval = nil }
  }
}
