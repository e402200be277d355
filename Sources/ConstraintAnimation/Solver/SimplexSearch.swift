/// Why a search ended without a solution.
enum SimplexFailure: Error {
  /// The search was stopped at its limit of steps.
  case pivotLimit
  /// The required constraints with these places contradict one another.
  case infeasible(symbols: [Int])

  var isPivotLimit: Bool { if case .pivotLimit = self { true } else { false } }
}

/// The search for the optimum: repairs, improves, and checks the result when rounding may have grown.
struct SimplexSearch: ~Copyable {
  private var primal = PrimalSimplex()
  private var dual = DualSimplex()

  /// Finds the optimum from where the batch's edits have left the tableau.
  /// - Returns: what ``SimplexSolver/largestError`` is to say.
  mutating func optimize(_ tableau: inout Tableau) throws(SimplexFailure) -> Double {
    do {
      try search(&tableau)
    } catch {
      // The contradiction may come from rounding: repeat on a rebuilt tableau.
      guard error.isPivotLimit || tableau.largestResidual() > 1e-10 else { throw error }
      tableau.rebuild()
      try search(&tableau)
    }
    var isRisky = false
    for _ in 0..<Self.maximumRebuilds {
      guard
        tableau.verification.isDue || tableau.verification.pivots >= 64 || tableau.verification.moves >= 2048
      else { break }
      isRisky = isRisky || tableau.verification.isDue
      let rebuilds = tableau.verification.isDue || tableau.refresh() > 1e-11
      tableau.verification.pivots = 0
      tableau.verification.moves = 0
      guard rebuilds else { break }
      tableau.rebuild()
      // The rebuilding's own pivots do not count.
      tableau.verification.isDue = false
      tableau.verification.pivots = 0
      try search(&tableau)
    }
    tableau.verification.isDue = false
    guard isRisky else { return 0 }
    tableau.polish()
    try dual.repairRows(of: &tableau)
    var isLeast = tableau.confirmOptimum()
    if !isLeast {
      try primal.improve(&tableau)
      try dual.repairRows(of: &tableau)
      tableau.polish()
      try dual.repairRows(of: &tableau)
      isLeast = tableau.confirmOptimum()
    }
    tableau.verification.isDue = false
    tableau.mayImprove = false
    return isLeast ? tableau.missedBy() : .infinity
  }

  /// More rebuilds than this do not improve a search.
  private static var maximumRebuilds: Int { 3 }

  private mutating func search(_ tableau: inout Tableau) throws(SimplexFailure) {
    tableau.verification.limit =
      tableau.verification.totalPivots + 50 * (tableau.symbols.count - tableau.symbols.freePlaces.count) + 200
    if tableau.mayImprove {
      if tableau.hasRowOffSlope() {
        tableau.hideImprovements()
        try dual.repairRows(of: &tableau)
        tableau.recomputeObjective()
      }
      try primal.improve(&tableau)
      tableau.mayImprove = false
    }
    try dual.repairRows(of: &tableau)
  }
}

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
    slope.fill(to: tableau.objective.stride, with: 0)
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
    let nodes = tableau.symbols.nodes.base
    var chosen: (symbol: Int, rises: Bool)?
    var chosenRank = Int.max
    var chosenGain = 0.0
    for place in 0..<tableau.symbols.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
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
    let node = tableau.symbols[symbol]
    let bound = rises ? node.upper : node.lower
    for slot in 0..<tableau.objective.stride {
      let entry = tableau.objective.values[symbol * tableau.objective.stride + slot]
      slope[slot] = rises ? entry : -entry
    }
    if node.level >= 0 { slope[Int(node.level)] += Double(rises ? bound : -bound) }

    var passed = 0
    var stop: Breakpoint?
    while let breakpoint = nextBreakpoint(after: passed) {
      let row = tableau.symbols[Int(breakpoint.row)]
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
      let row = tableau.symbols[Int(breakpoint.row)]
      tableau.reweigh(Int(breakpoint.row), to: breakpoint.rate > 0 ? row.upper : row.lower)
    }
    let leaving = Int(stop.row)
    tableau.pivot(
      leaving: leaving, entering: symbol, at: Int(stop.position), multiplier: node.isRequired ? 0 : bound)
    tableau.queueIfOffSlope(symbol)
    let column = tableau.symbols[leaving]
    for index in 0..<Int(column.count) { tableau.queueIfOffSlope(Int(column.entries[index].row)) }
    return stop.distance
  }

  private mutating func collectBreakpoints(of symbol: Int, in tableau: borrowing Tableau, rises: Bool) {
    breakpoints.removeAll()
    let nodes = tableau.symbols.nodes.base
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
    for rank in 0..<tableau.objective.levels.order.count {
      let value = slope.base[Int(tableau.objective.levels.order.base[rank])]
      if value < -Objective.tolerance { return true }
      if value > Objective.tolerance { return false }
    }
    return false
  }
}

/// Repairs rows whose value went to a side of zero with another slope: the dual simplex method.
struct DualSimplex: ~Copyable {
  /// A cell of the row to be repaired whose symbol might enter.
  struct Candidate: BitwiseCopyable {
    /// The symbol; -1 stands for bending the row's own cost instead of pivoting.
    var symbol: Int32
    var position: Int32
    /// The coefficient, signed so that the row's multiplier grows with it.
    var rate: Double
    /// The ratio at the level being compared.
    var ratio = 0.0
  }

  private var candidates = Buffer<Candidate>()

  private enum Step {
    case impossible
    case bend
    case enter(symbol: Int, position: Int, multiplier: Int8, moves: Bool)
  }

  mutating func repairRows(of tableau: inout Tableau) throws(SimplexFailure) {
    var stalls = 0
    while let row = tableau.nextRowOffSlope(smallestPlace: stalls > 3) {
      guard tableau.verification.totalPivots < tableau.verification.limit else { throw .pivotLimit }
      switch step(in: tableau, row: row, smallestPlace: stalls > 3) {
      case .impossible:
        throw .infeasible(symbols: conflict(in: tableau, row: row))
      case .bend:
        let node = tableau.symbols[row]
        tableau.reweigh(row, to: node.value > 0 ? node.upper : node.lower)
        stalls = 0
      case .enter(let symbol, let position, let multiplier, let moves):
        tableau.pivot(leaving: row, entering: symbol, at: position, multiplier: multiplier)
        tableau.queueIfOffSlope(symbol)
        let column = tableau.symbols[row]
        for index in 0..<Int(column.count) { tableau.queueIfOffSlope(Int(column.entries[index].row)) }
        stalls = moves ? 0 : stalls + 1
      }
    }
  }

  /// What to give up for the row's sake: the nonbasic symbol that costs least per unit of the row, compared level by
  /// level, or nothing, if being off costs less than all of them.
  private mutating func step(in tableau: borrowing Tableau, row: Int, smallestPlace: Bool) -> Step {
    let nodes = tableau.symbols.nodes.base
    let node = nodes[row]
    let rises = node.value > 0
    candidates.removeAll()
    for position in 0..<Int(node.count) {
      let cell = node.cells[position]
      let rate = rises ? cell.coefficient : -cell.coefficient
      guard abs(rate) > Tableau.pivotTolerance else { continue }
      let other = nodes + Int(cell.symbol)
      let bound = rate > 0 ? other.pointee.lower : other.pointee.upper
      if other.pointee.isRequired && bound != 0 { continue }
      candidates.append(
        Candidate(symbol: cell.symbol, position: Int32(truncatingIfNeeded: position), rate: rate))
    }
    if !node.isRequired {
      candidates.append(Candidate(symbol: -1, position: 0, rate: 1))
    } else if candidates.isEmpty {
      return .impossible
    }
    let span = Double(rises ? node.upper - node.multiplier : node.multiplier - node.lower)
    let moves = keepCheapest(in: tableau, span: span, level: Int(node.level))
    return choose(in: tableau, moves: moves, smallestPlace: smallestPlace)
  }

  /// Narrows the candidates to those of the least ratio, level by level; whether that ratio is above zero.
  private mutating func keepCheapest(in tableau: borrowing Tableau, span: Double, level rowLevel: Int) -> Bool
  {
    let nodes = tableau.symbols.nodes.base
    let candidates = candidates.base
    var count = self.candidates.count
    var moves = false
    for rank in 0..<tableau.objective.levels.order.count {
      guard count > 1 || !moves else { break }
      let slot = Int(tableau.objective.levels.order.base[rank])
      var least = Double.infinity
      for index in 0..<count {
        let candidate = candidates + index
        var ratio: Double
        if candidate.pointee.symbol < 0 {
          ratio = slot == rowLevel ? span : 0
        } else {
          let symbol = Int(candidate.pointee.symbol)
          let rate = candidate.pointee.rate
          ratio = tableau.objective.values.base[symbol * tableau.objective.stride + slot]
          if slot == Int(nodes[symbol].level) {
            ratio += Double(rate > 0 ? nodes[symbol].lower : nodes[symbol].upper)
          }
          if rate > 0 { ratio = -ratio }
          // A first component below zero is rounding; after a positive one it counts.
          ratio = abs(ratio) > Objective.tolerance && (moves || ratio > 0) ? ratio / abs(rate) : 0
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
  private func choose(in tableau: borrowing Tableau, moves: Bool, smallestPlace: Bool) -> Step {
    let nodes = tableau.symbols.nodes.base
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
  private func conflict(in tableau: borrowing Tableau, row: Int) -> [Int] {
    var places = [row]
    for position in 0..<Int(tableau.symbols[row].count) {
      let cell = tableau.symbols[row].cells[position]
      if abs(cell.coefficient) > Tableau.pivotTolerance { places.append(Int(cell.symbol)) }
    }
    return places.sorted()
  }
}
