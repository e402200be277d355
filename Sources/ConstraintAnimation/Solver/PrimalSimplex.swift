/// Moves nonbasic symbols that gain by it: the primal simplex method, with bent costs.
///
/// A symbol moves on past rows that reach zero as long as the whole slope, these rows' steeper cost included, still
/// falls; one move then does the work of many pivots.
struct PrimalSimplex: ~Copyable {
  /// Where a basic symbol reaches 0, and so another slope, as a nonbasic one moves.
  struct Breakpoint: BitwiseCopyable {
    /// How far the nonbasic symbol has moved by then.
    var distance: Double
    /// The row's change per unit of the move.
    var rate: Double
    var row: Int32
    var position: Int32

    /// Nearer first; at the same distance larger rates, which make better pivots, then the smaller place.
    @inline(__always)
    static func precedes(_ left: Breakpoint, _ right: Breakpoint) -> Bool {
      if left.distance != right.distance { return left.distance < right.distance }
      if abs(left.rate) != abs(right.rate) { return abs(left.rate) > abs(right.rate) }
      return left.row < right.row
    }
  }

  private var breakpoints = Buffer<Breakpoint>()
  /// The slope of the move under way, level by level.
  private var slope = Buffer<Double>()

  mutating func improve(_ tableau: inout Tableau) throws(SimplexFailure) {
    slope.fill(to: tableau.stride, with: 0)
    var stalls = 0
    while let (symbol, rises) = bestImprovement(in: tableau, smallestPlace: stalls > 3) {
      guard tableau.verification.totalPivots < tableau.verification.limit else { throw .pivotLimit }
      tableau.verification.totalPivots += 1
      let distance = advance(symbol, in: &tableau, rises: rises)
      stalls = distance > Tableau.valueTolerance ? 0 : stalls + 1
    }
  }

  /// The nonbasic symbol with the largest gain at the highest level.
  private func bestImprovement(in tableau: borrowing Tableau, smallestPlace: Bool) -> (
    symbol: Int, rises: Bool
  )? {
    let nodes = tableau.nodes.base
    var chosen: (symbol: Int, rises: Bool)?
    var chosenRank = Int.max
    var chosenGain = 0.0
    for place in 0..<tableau.nodes.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
      guard nodes[place].count > 0, let found = tableau.improvement(of: place) else { continue }
      if smallestPlace { return (place, found.rises) }
      guard found.rank < chosenRank || (found.rank == chosenRank && found.gain > chosenGain) else { continue }
      chosen = (place, found.rises)
      chosenRank = found.rank
      chosenGain = found.gain
    }
    return chosen
  }

  /// Moves a nonbasic symbol to where its slope stops falling and makes it basic there; returns how far.
  private mutating func advance(_ symbol: Int, in tableau: inout Tableau, rises: Bool) -> Double {
    collectBreakpoints(of: symbol, in: tableau, rises: rises)
    let node = tableau.nodes[symbol]
    let bound = rises ? node.upper : node.lower
    for slot in 0..<tableau.stride {
      let entry = tableau.objective[symbol * tableau.stride + slot]
      slope[slot] = rises ? entry : -entry
    }
    if node.level >= 0 { slope[Int(node.level)] += Double(rises ? bound : -bound) }

    var passed = 0
    var stop: Breakpoint?
    while let breakpoint = nextBreakpoint(after: passed) {
      let row = tableau.nodes[Int(breakpoint.row)]
      let next = breakpoint.rate > 0 ? row.upper : row.lower
      if row.isRequired {
        stop = breakpoint
        break
      }
      slope[Int(row.level)] += abs(breakpoint.rate) * abs(Double(next) - Double(row.multiplier))
      if !slopeFalls(in: tableau) {
        stop = breakpoint
        break
      }
      passed += 1
    }
    guard let stop else {
      // Costs cannot fall for ever, so what looked like a gain was rounding.
      tableau.hideImprovement(of: symbol, rises: rises)
      tableau.verification.isDue = true
      return 0
    }
    for index in 0..<passed {
      let breakpoint = breakpoints[index]
      let row = tableau.nodes[Int(breakpoint.row)]
      tableau.reweigh(Int(breakpoint.row), to: breakpoint.rate > 0 ? row.upper : row.lower)
    }
    let leaving = Int(stop.row)
    tableau.pivot(
      leaving: leaving, entering: symbol, at: Int(stop.position), multiplier: node.isRequired ? 0 : bound)
    tableau.queueIfOffSlope(symbol)
    let column = tableau.nodes[leaving]
    for index in 0..<Int(column.count) { tableau.queueIfOffSlope(Int(column.entries[index].row)) }
    return stop.distance
  }

  private mutating func collectBreakpoints(of symbol: Int, in tableau: borrowing Tableau, rises: Bool) {
    breakpoints.removeAll()
    let nodes = tableau.nodes.base
    let column = nodes[symbol]
    for index in 0..<Int(column.count) {
      let entry = column.entries[index]
      let row = nodes + Int(entry.row)
      guard !row.pointee.isFree else { continue }
      let coefficient = row.pointee.cells[Int(entry.position)].coefficient
      let rate = rises ? coefficient : -coefficient
      guard abs(rate) > Tableau.pivotTolerance,
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

  private func slopeFalls(in tableau: borrowing Tableau) -> Bool {
    for rank in 0..<tableau.levels.order.count {
      let value = slope.base[Int(tableau.levels.order.base[rank])]
      if value < -Tableau.objectiveTolerance { return true }
      if value > Tableau.objectiveTolerance { return false }
    }
    return false
  }
}
