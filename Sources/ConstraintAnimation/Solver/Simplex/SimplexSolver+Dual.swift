/// Repairing rows whose value went to a side of zero with another slope: the dual simplex method.
extension SimplexSolver {
  /// Coefficients smaller than this are not pivoted on.
  static var pivotTolerance: Double { 1e-9 }

  enum DualStep {
    case impossible
    case bend
    case enter(symbol: Int, position: Int, multiplier: Int8, moves: Bool)
  }

  /// Finds the optimum from where the batch's edits have left the tableau.
  mutating func optimize() throws(SolverError) {
    largestError = 0
    do {
      try search()
    } catch {
      // Rounding may have built a contradiction; a tableau made afresh from the constraints tells.
      guard error.code == .pivotLimit || largestResidual() > 1e-10 else { throw error }
      rebuild()
      try search()
    }
    var isRisky = false
    for _ in 0..<Self.maximumRebuilds {
      guard upkeep.isDue || upkeep.pivots >= 64 || upkeep.moves >= 2048 else { break }
      isRisky = isRisky || upkeep.isDue
      let rebuilds = upkeep.isDue || refresh() > 1e-11
      upkeep.pivots = 0
      upkeep.moves = 0
      guard rebuilds else { break }
      rebuild()
      // What the rebuilding itself went through is not the search's to answer for.
      upkeep.isDue = false
      upkeep.pivots = 0
      try search()
    }
    upkeep.isDue = false
    if isRisky {
      polish()
      try repairRows()
      var isLeast = confirmOptimum()
      if !isLeast {
        try improve()
        try repairRows()
        polish()
        try repairRows()
        isLeast = confirmOptimum()
      }
      upkeep.isDue = false
      mayImprove = false
      largestError = isLeast ? missedBy() : .infinity
    }
  }

  /// A search that needs more fresh tableaus than this will not come out better with another.
  private static var maximumRebuilds: Int { 3 }

  private mutating func search() throws(SolverError) {
    upkeep.limit = upkeep.totalPivots + 50 * (variableCount + constraintCount) + 200
    if mayImprove {
      if hasRowOffSlope() {
        hideImprovements()
        try repairRows()
        recomputeObjective()
      }
      try improve()
      mayImprove = false
    }
    try repairRows()
  }

  @inline(__always)
  mutating func queueIfOffSlope(_ place: Int) {
    let node = nodes.base + place
    guard node.pointee.isOffSlope(tolerance: Self.valueTolerance),
      node.pointee.flags.intersection([.basic, .queued]) == .basic
    else { return }
    node.pointee.flags.insert(.queued)
    offSlope.append(Int32(truncatingIfNeeded: place))
  }

  private func hasRowOffSlope() -> Bool {
    for index in 0..<offSlope.count {
      let node = nodes[Int(offSlope[index])]
      if node.isBasic && node.isOffSlope(tolerance: Self.valueTolerance) { return true }
    }
    return false
  }

  private mutating func repairRows() throws(SolverError) {
    var stalls = 0
    while let row = nextRow(smallestPlace: stalls > 3) {
      guard upkeep.totalPivots < upkeep.limit else { throw SolverError(.pivotLimit) }
      switch dualStep(row: row, smallestPlace: stalls > 3) {
      case .impossible:
        throw SolverError(.unsatisfiable, constraints: conflict(row: row))
      case .bend:
        let node = nodes[row]
        reweigh(row, to: node.value > 0 ? node.upper : node.lower)
        stalls = 0
      case .enter(let symbol, let position, let multiplier, let moves):
        pivot(leaving: row, entering: symbol, at: position, multiplier: multiplier)
        queueIfOffSlope(symbol)
        let column = nodes[row]
        for index in 0..<Int(column.count) { queueIfOffSlope(Int(column.entries[index].row)) }
        stalls = moves ? 0 : stalls + 1
      }
    }
  }

  /// The row to repair next: of those of the highest priority the one furthest off.
  private mutating func nextRow(smallestPlace: Bool) -> Int? {
    let nodes = nodes.base
    var chosen = -1
    var chosenRank = Int16.max
    var chosenValue = 0.0
    var index = 0
    while index < offSlope.count {
      let place = Int(offSlope.base[index])
      let node = nodes + place
      guard node.pointee.isBasic, node.pointee.isOffSlope(tolerance: Self.valueTolerance) else {
        node.pointee.flags.remove(.queued)
        offSlope.count -= 1
        offSlope.base[index] = offSlope.base[offSlope.count]
        continue
      }
      index += 1
      let rank = node.pointee.level < 0 ? -1 : levels.rank.base[Int(node.pointee.level)]
      let value = abs(node.pointee.value)
      let isBetter =
        if smallestPlace {
          chosen < 0 || place < chosen
        } else if rank != chosenRank {
          rank < chosenRank
        } else {
          value > chosenValue || (value == chosenValue && place < chosen)
        }
      guard isBetter else { continue }
      chosen = place
      chosenRank = rank
      chosenValue = value
    }
    return chosen < 0 ? nil : chosen
  }

  /// What to give up for the row's sake: the nonbasic symbol that costs least per unit of the row, compared level by
  /// level, or nothing, if being off costs less than all of them.
  private mutating func dualStep(row: Int, smallestPlace: Bool) -> DualStep {
    let nodes = nodes.base
    let node = nodes[row]
    let rises = node.value > 0
    candidates.removeAll()
    for position in 0..<Int(node.count) {
      let cell = node.cells[position]
      let rate = rises ? cell.coefficient : -cell.coefficient
      guard abs(rate) > Self.pivotTolerance else { continue }
      let other = nodes + Int(cell.symbol)
      let bound = rate > 0 ? other.pointee.lower : other.pointee.upper
      if other.pointee.isRequired && bound != 0 { continue }
      candidates.append(
        DualCandidate(symbol: cell.symbol, position: Int32(truncatingIfNeeded: position), rate: rate))
    }
    if !node.isRequired {
      candidates.append(DualCandidate(symbol: -1, position: 0, rate: 1))
    } else if candidates.isEmpty {
      return .impossible
    }
    let span = Double(rises ? node.upper - node.multiplier : node.multiplier - node.lower)
    let moves = keepCheapest(span: span, level: Int(node.level))
    return choose(moves: moves, smallestPlace: smallestPlace)
  }

  /// Narrows the candidates to those of the least ratio, level by level; whether that ratio is above zero.
  private mutating func keepCheapest(span: Double, level rowLevel: Int) -> Bool {
    let nodes = nodes.base
    let candidates = candidates.base
    var count = self.candidates.count
    var moves = false
    for rank in 0..<levels.order.count {
      guard count > 1 || !moves else { break }
      let slot = Int(levels.order.base[rank])
      var least = Double.infinity
      for index in 0..<count {
        let candidate = candidates + index
        var ratio: Double
        if candidate.pointee.symbol < 0 {
          ratio = slot == rowLevel ? span : 0
        } else {
          let symbol = Int(candidate.pointee.symbol)
          let rate = candidate.pointee.rate
          ratio = objective.base[symbol * stride + slot]
          if slot == Int(nodes[symbol].level) {
            ratio += Double(rate > 0 ? nodes[symbol].lower : nodes[symbol].upper)
          }
          if rate > 0 { ratio = -ratio }
          // A first component below zero is rounding; after a positive one it counts.
          ratio = abs(ratio) > Self.objectiveTolerance && (moves || ratio > 0) ? ratio / abs(rate) : 0
        }
        candidate.pointee.ratio = ratio
        least = min(least, ratio)
      }
      if least > 0 { moves = true }
      let most = least + abs(least) * 1e-9
      var kept = 0
      for index in 0..<count where candidates[index].ratio <= most {
        candidates[kept] = candidates[index]
        kept += 1
      }
      count = kept
    }
    self.candidates.count = count
    return moves
  }

  /// One of the candidates of equal ratio. Bending wins; then coefficients of a good size, short columns, small places.
  private func choose(moves: Bool, smallestPlace: Bool) -> DualStep {
    let nodes = nodes.base
    var largest = 0.0
    for index in 0..<candidates.count {
      if candidates[index].symbol < 0 { return .bend }
      largest = max(largest, abs(candidates[index].rate))
    }
    var chosen = candidates[0]
    var chosenKey = (Int32.max, Int32.max)
    for index in 0..<candidates.count {
      let candidate = candidates[index]
      guard abs(candidate.rate) >= 0.1 * largest else { continue }
      let key = (smallestPlace ? 0 : nodes[Int(candidate.symbol)].count, candidate.symbol)
      if key < chosenKey {
        chosenKey = key
        chosen = candidate
      }
    }
    let entering = nodes[Int(chosen.symbol)]
    return .enter(
      symbol: Int(chosen.symbol), position: Int(chosen.position),
      multiplier: entering.isRequired ? 0 : chosen.rate > 0 ? entering.lower : entering.upper, moves: moves)
  }

  /// The required constraints that contradict one another: a row that cannot be repaired and all it is made of. Each is
  /// needed, because the row is a single positive combination of them.
  private func conflict(row: Int) -> [SolverConstraint] {
    var places = [row]
    for position in 0..<Int(nodes[row].count) {
      let cell = nodes[row].cells[position]
      if abs(cell.coefficient) > Self.pivotTolerance { places.append(Int(cell.symbol)) }
    }
    return places.sorted().map { name(of: $0) }
  }
}
