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
  let isDown: Bool
  private(set) var startBin: Int
  /// What was normal before a lasting finding; `nil` for any other.
  var normalBefore: NormalStretches?
  let cells: ChangeCells
  /// More than this share of a stretch lies beyond ``level`` where its quantile does, or is the share that is reported.
  private let leastShare: Double
  /// The level that a change at the quantile passes.
  private let level: Int
  /// Cumulative counts, up to and with each bin from `searchFrom` on, cell by cell and then of what lies beyond ``level``; older
  /// ones are dropped.
  private var firstCounts: Int
  private var counts: [Double]
  private var atStart: [Double]

  /// - Parameters:
  ///   - quantileIndex: of the alarm, as are the direction and the scale.
  ///   - range: from where on its start is looked for, up to the alarm.
  init(
    id: Finding.ID, reference: Reference, quantileIndex: Int, isDown: Bool, scale: Int, in range: Range<Int>,
    of history: BinHistory
  ) {
    self.id = id
    self.reference = reference
    self.quantileIndex = quantileIndex
    self.scale = scale
    self.isDown = isDown
    cells = reference.cells(quantile: quantileIndex, isDown: isDown)
    level = isDown ? reference.lower[quantileIndex] : reference.upper[quantileIndex]
    let quantile = Reference.quantiles[quantileIndex]
    leastShare = cells.isShare ? reference.shares[0] : isDown ? quantile : 1 - quantile
    alarmBin = range.upperBound
    searchFrom = range.lowerBound
    startBin = range.lowerBound
    firstCounts = range.lowerBound
    atStart = [Double](repeating: 0, count: cells.shares.count + 1)
    counts = atStart
    for bin in range { append(bin, of: history) }
  }

  private mutating func append(_ bin: Int, of history: BinHistory) {
    let last = counts.count - width
    for column in 0..<width { counts.append(counts[last + column]) }
    let next = last + width
    history.count(bin, by: cells, side: side) { counts[next + $0] += Double($1) }
    let above = history.above(level, side: side, bin)
    counts[next + width - 1] += Double(isDown ? history.count(bin) - above : above)
  }

  private var side: BinHistory.Side { isDown ? .lower : .upper }

  /// Counts of a bin.
  private var width: Int { cells.shares.count + 1 }

  /// The cumulative counts before a bin.
  private func place(_ bin: Int) -> Int { (bin - firstCounts) * width }
  private func before(_ bin: Int) -> [Double] { Array(counts[place(bin)..<place(bin + 1)]) }

  private var effects: [Double] { reference.effects(quantile: quantileIndex, isDown: isDown) }

  /// The design effect at its quantile and scale.
  var effect: Double { effects[scale] }

  /// Whether the counts reach back to an instant, the beginning of a bin.
  func reachesBack(to bin: Int) -> Bool { bin >= firstCounts }

  /// Whether the counts reach back to where its start may lie.
  var isWhole: Bool { firstCounts == searchFrom }

  /// Bytes of storage.
  var memory: Int { counts.count * 8 }

  /// Counts the next bin.
  ///
  /// - Parameter limit: about how many bins it has to look back on.
  mutating func follow(_ bin: Int, of history: BinHistory, keeping limit: Int) {
    append(bin, of: history)
    let excess = counts.count / width - limit
    if excess > limit {
      firstCounts += excess
      counts.removeFirst(excess * width)
    }
  }

  /// Counts the next bin of a lasting finding.
  ///
  /// - Returns: its id, and its end where it is over: the reference came back, or its stretch, which is looked at each time its length
  ///   doubles, differs by less than what is worth reporting.
  mutating func follow(
    _ bin: Int, of history: BinHistory, keeping limit: Int, _ scales: [Int]
  ) -> (id: Finding.ID, end: Int?) {
    follow(bin, of: history, keeping: limit)
    let now = bin + 1
    let length = now - alarmBin
    let end =
      length & (length - 1) == 0 && !hasEffect(until: now)
      ? shrunk(now: now) : returned(now: now, windows: scales, scales: scales, atLeast: 10)
    return (id, end)
  }

  // MARK: - Start

  /// The bin from which on the evidence against the reference is strongest, and those that are nearly as likely; `nil` where
  /// from none on the change is as large as what is reported.
  ///
  /// It is not later than the alarm, since the window that raised it has the effect.
  private func mostLikelyStart(
    in range: Range<Int>, until end: Int
  ) -> (start: Int, nearly: ClosedRange<Int>)? {
    let last = place(end)
    let columns = cells.shares.count
    let logCells = cells.shares.map { log($0) }
    var best = -Double.infinity
    var start = range.lowerBound
    var scores: [Double] = []
    scores.reserveCapacity(range.count)
    for bin in range {
      let before = place(bin)
      var score = 0.0
      var sum = 0.0
      for cell in 0..<columns {
        let k = counts[last + cell] - counts[before + cell]
        sum += k
        score += Likelihood.xlogx(k) - k * logCells[cell]
      }
      score = (score - Likelihood.xlogx(sum)) / effect
      if counts[last + columns] - counts[before + columns] <= leastShare * sum { score = -.infinity }
      scores.append(score)
      if score > best { (best, start) = (score, bin) }
    }
    guard best > -.infinity else { return nil }
    let near = scores.indices.filter { scores[$0] >= best - 4 }
    return (start, range.lowerBound + (near.first ?? 0)...range.lowerBound + (near.last ?? 0))
  }

  /// Moves to the most likely start, as the bins up to an end show it.
  ///
  /// - Parameter latest: no later than this.
  mutating func updateStart(until end: Int, atMost latest: Int) {
    let likely = mostLikelyStart(in: searchFrom..<max(min(end, alarmBin), searchFrom + 1), until: end)
    startBin = min(likely?.start ?? startBin, latest)
    atStart = before(startBin)
  }

  /// The bins that are nearly as likely a start; `nil` where the counts do not reach back to all of them.
  func startInterval(until end: Int) -> ClosedRange<Int>? {
    guard isWhole, searchFrom < end else { return nil }
    return mostLikelyStart(in: searchFrom..<min(end, alarmBin), until: end)?.nearly
  }

  // MARK: - Effect and end

  /// Whether what its stretch up to an end counted differs from the reference by what is worth reporting.
  func hasEffect(until end: Int) -> Bool {
    let counted = zip(before(end), atStart).map { $0 - $1 }
    return counted[width - 1] > leastShare * counted.dropLast().reduce(0, +)
  }

  /// What was counted by cell from the start to an end.
  private func counted(until end: Int) -> [Double] {
    zip(before(end), atStart).dropLast().map { max(0, $0 - $1) }
  }

  /// How many nats a value of each cell contributes to the change.
  private func weights(_ counted: [Double]) -> [Double] {
    let total = counted.reduce(0, +)
    return zip(counted, cells.shares).map { log(($0 + $1) / (total + 1) / $1) }
  }

  /// The bin at which the reference most likely came back, if some stretch that ends now and began after the alarm speaks
  /// for it.
  ///
  /// - Parameters:
  ///   - windows: lengths of stretches to try.
  ///   - scales: the detector's, for which design effects are known.
  ///   - nats: how clearly at least.
  func returned(now: Int, windows: [Int], scales: [Int], atLeast nats: Double) -> Int? {
    let shares = cells.shares
    var best = nats
    var found: Int?
    let top = place(now)
    for window in windows where window <= now - alarmBin && now - window >= firstCounts {
      let index = scales.firstIndex { $0 >= window } ?? scales.count - 1
      let effect =
        quantileIndex == 0
        ? effects[min(index, effects.count - 1)] : reference.effects.reduce(1) { max($0, $1[index]) }
      let middle = place(now - window)
      // What still differs by the effect did not come back.
      var recent = 0.0
      for cell in shares.indices { recent += counts[top + cell] - counts[middle + cell] }
      let passed = counts[top + shares.count] - counts[middle + shares.count]
      guard recent > 0, passed <= leastShare * recent else { continue }
      var total = 0.0
      for cell in shares.indices { total += counts[middle + cell] - atStart[cell] }
      let weight = 2 + 0.25 * total
      var score = 0.0
      for cell in shares.indices {
        let count = counts[top + cell] - counts[middle + cell]
        guard count != 0 else { continue }
        let own = counts[middle + cell] - atStart[cell]
        score += count * log(shares[cell] * (total + weight) / (own + weight * shares[cell]))
      }
      if score / effect > best { (best, found) = (score / effect, middle) }
    }
    return found.map { middle in
      let own = shares.indices.map { counts[middle + $0] - atStart[$0] }
      let total = own.reduce(0, +)
      let weight = 2 + 0.25 * total
      return mostLikelyEnd(now: now, shares: zip(own, shares).map { ($0 + weight * $1) / (total + weight) })
    }
  }

  /// The most likely end, which may lie before the alarm. If the stretch has the effect up to some bins, it is one of
  /// them.
  private func mostLikelyEnd(now: Int, shares: [Double]) -> Int {
    let top = place(now)
    let weights = zip(cells.shares, shares).map { log($0 / $1) }
    var end = now
    var most = -Double.infinity
    var hasEffect = false
    for bin in max(startBin + 1, firstCounts)..<max(startBin + 2, now) {
      let before = place(bin)
      var score = 0.0
      var sum = 0.0
      for cell in shares.indices {
        score += (counts[top + cell] - counts[before + cell]) * weights[cell]
        sum += counts[before + cell] - atStart[cell]
      }
      let isAsLarge = counts[before + shares.count] - atStart[shares.count] > leastShare * sum
      guard isAsLarge || !hasEffect else { continue }
      if score > most || isAsLarge != hasEffect { (most, end) = (score, bin) }
      hasEffect = isAsLarge
    }
    return end
  }

  /// Its most likely end, where its stretch up to now differs by less than what is worth reporting.
  func shrunk(now: Int) -> Int {
    let own = counted(until: now)
    let total = own.reduce(0, +)
    return mostLikelyEnd(now: now, shares: zip(own, cells.shares).map { ($0 + $1) / (total + 1) })
  }

  // MARK: - Description

  /// Start, effect and evidence as the bins up to `end` show them.
  func describe(_ finding: inout Finding, until end: Int, in history: BinHistory) {
    let width = history.width
    finding.seenUntil = history.start(end - 1) + width
    guard reachesBack(to: end), finding.count == 0 || hasEffect(until: end) else { return }
    finding.start = history.start(startBin)
    if let nearly = startInterval(until: end) {
      finding.startInterval =
        history.start(nearly.lowerBound) - width...history.start(nearly.upperBound) + width
    }
    let counted = counted(until: end)
    let total = counted.reduce(0, +)
    finding.count = Int(total)
    finding.effectiveCount = total / effect
    finding.evidence.weights = weights(counted)
    if cells.isShare {
      finding.before = Double(reference.events) / Double(max(1, reference.count))
      finding.after = total > 0 ? counted[1] / total : 0
      return
    }
    finding.before = LogScale.middle(reference.levels[quantileIndex])
    let stretch = max(startBin, history.first)..<max(end, startBin + 1)
    guard let after = history.quantile(Reference.quantiles[quantileIndex], of: stretch, side: side) else {
      return
    }
    finding.after = after
    finding.isGettingWorse = history.isRising(stretch, side: side)
    if finding.isGettingWorse { finding.startInterval = nil }
  }
}
