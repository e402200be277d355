/// Moving nonbasic symbols that gain by it: the primal simplex method, with bent costs.
///
/// A symbol moves on past rows that reach zero as long as the whole slope, these rows' steeper cost included, still
/// falls; one move then does the work of many pivots.
extension SimplexSolver {
  mutating func improve() throws(SolverError) {
    var stalls = 0
    while let (symbol, rises) = bestImprovement(smallestPlace: stalls > 3) {
      guard upkeep.totalPivots < upkeep.limit else { throw SolverError(.pivotLimit) }
      upkeep.totalPivots += 1
      let distance = advance(symbol, rises: rises)
      stalls = distance > Self.valueTolerance ? 0 : stalls + 1
    }
  }

  /// The nonbasic symbol with the largest gain at the highest level.
  private func bestImprovement(smallestPlace: Bool) -> (symbol: Int, rises: Bool)? {
    let nodes = nodes.base
    var chosen: (symbol: Int, rises: Bool)?
    var chosenRank = Int.max
    var chosenGain = 0.0
    for place in 0..<self.nodes.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
      guard nodes[place].count > 0, let found = improvement(of: place) else { continue }
      if smallestPlace { return (place, found.rises) }
      guard found.rank < chosenRank || (found.rank == chosenRank && found.gain > chosenGain) else { continue }
      chosen = (place, found.rises)
      chosenRank = found.rank
      chosenGain = found.gain
    }
    return chosen
  }

  /// Moves a nonbasic symbol to where its slope stops falling and makes it basic there; returns how far.
  private mutating func advance(_ symbol: Int, rises: Bool) -> Double {
    collectBreakpoints(symbol, rises: rises)
    let node = nodes[symbol]
    let bound = rises ? node.upper : node.lower
    for slot in 0..<stride {
      let seat = objective[symbol * stride + slot]
      slope[slot] = rises ? seat : -seat
    }
    if node.level >= 0 { slope[Int(node.level)] += Double(rises ? bound : -bound) }

    var passed = 0
    var stop: Breakpoint?
    while let breakpoint = nextBreakpoint(after: passed) {
      let row = nodes[Int(breakpoint.row)]
      let next = breakpoint.rate > 0 ? row.upper : row.lower
      if row.isRequired {
        stop = breakpoint
        break
      }
      slope[Int(row.level)] += abs(breakpoint.rate) * abs(Double(next) - Double(row.multiplier))
      if !slopeFalls() {
        stop = breakpoint
        break
      }
      passed += 1
    }
    guard let stop else {
      // Costs cannot fall for ever, so what looked like a gain was rounding.
      note(objectiveOf: symbol)
      for slot in 0..<stride { objective[symbol * stride + slot] = 0 }
      if node.level >= 0 { objective[symbol * stride + Int(node.level)] = -Double(bound) }
      upkeep.isDue = true
      return 0
    }
    for index in 0..<passed {
      let breakpoint = breakpoints[index]
      let row = nodes[Int(breakpoint.row)]
      reweigh(Int(breakpoint.row), to: breakpoint.rate > 0 ? row.upper : row.lower)
    }
    let leaving = Int(stop.row)
    pivot(leaving: leaving, entering: symbol, at: Int(stop.position), multiplier: node.isRequired ? 0 : bound)
    queueIfOffSlope(symbol)
    let column = nodes[leaving]
    for index in 0..<Int(column.count) { queueIfOffSlope(Int(column.entries[index].row)) }
    return stop.distance
  }

  private mutating func collectBreakpoints(_ symbol: Int, rises: Bool) {
    breakpoints.removeAll()
    let nodes = nodes.base
    let column = nodes[symbol]
    for index in 0..<Int(column.count) {
      let entry = column.entries[index]
      let row = nodes + Int(entry.row)
      guard !row.pointee.isFree else { continue }
      let coefficient = row.pointee.cells[Int(entry.position)].coefficient
      let rate = rises ? coefficient : -coefficient
      guard abs(rate) > Self.pivotTolerance,
        row.pointee.multiplier != (rate > 0 ? row.pointee.upper : row.pointee.lower)
      else { continue }
      breakpoints.append(
        Breakpoint(
          distance: max(0, -row.pointee.value / rate), rate: rate, row: entry.row, position: entry.position))
    }
  }

  /// Brings the nearest breakpoint not passed yet to the front of the rest.
  private mutating func nextBreakpoint(after passed: Int) -> Breakpoint? {
    let base = breakpoints.base
    guard passed < breakpoints.count else { return nil }
    var nearest = passed
    for index in passed + 1..<max(breakpoints.count, passed + 1)
    where Breakpoint.precedes(base[index], base[nearest]) {
      nearest = index
    }
    let found = base[nearest]
    base[nearest] = base[passed]
    base[passed] = found
    return found
  }

  private func slopeFalls() -> Bool {
    for rank in 0..<levels.order.count {
      let value = slope.base[Int(levels.order.base[rank])]
      if value < -Self.objectiveTolerance { return true }
      if value > Self.objectiveTolerance { return false }
    }
    return false
  }
}
