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
        let node = tableau.nodes[row]
        tableau.reweigh(row, to: node.value > 0 ? node.upper : node.lower)
        stalls = 0
      case .enter(let symbol, let position, let multiplier, let moves):
        tableau.pivot(leaving: row, entering: symbol, at: position, multiplier: multiplier)
        tableau.queueIfOffSlope(symbol)
        let column = tableau.nodes[row]
        for index in 0..<Int(column.count) { tableau.queueIfOffSlope(Int(column.entries[index].row)) }
        stalls = moves ? 0 : stalls + 1
      }
    }
  }

  /// What to give up for the row's sake: the nonbasic symbol that costs least per unit of the row, compared level by
  /// level, or nothing, if being off costs less than all of them.
  private mutating func step(in tableau: borrowing Tableau, row: Int, smallestPlace: Bool) -> Step {
    let nodes = tableau.nodes.base
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
    let nodes = tableau.nodes.base
    let candidates = candidates.base
    var count = self.candidates.count
    var moves = false
    for rank in 0..<tableau.levels.order.count {
      guard count > 1 || !moves else { break }
      let slot = Int(tableau.levels.order.base[rank])
      var least = Double.infinity
      for index in 0..<count {
        let candidate = candidates + index
        var ratio: Double
        if candidate.pointee.symbol < 0 {
          ratio = slot == rowLevel ? span : 0
        } else {
          let symbol = Int(candidate.pointee.symbol)
          let rate = candidate.pointee.rate
          ratio = tableau.objective.base[symbol * tableau.stride + slot]
          if slot == Int(nodes[symbol].level) {
            ratio += Double(rate > 0 ? nodes[symbol].lower : nodes[symbol].upper)
          }
          if rate > 0 { ratio = -ratio }
          // A first component below zero is rounding; after a positive one it counts.
          ratio = abs(ratio) > Tableau.objectiveTolerance && (moves || ratio > 0) ? ratio / abs(rate) : 0
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
    let nodes = tableau.nodes.base
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
    for position in 0..<Int(tableau.nodes[row].count) {
      let cell = tableau.nodes[row].cells[position]
      if abs(cell.coefficient) > Tableau.pivotTolerance { places.append(Int(cell.symbol)) }
    }
    return places.sorted()
  }
}
