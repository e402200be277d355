/// Decides when the tableau is checked against the constraints.
struct TableauVerification: BitwiseCopyable {
  /// Pivots since the last check.
  var pivots = 0
  /// Constants changed since the last check.
  var moves = 0
  /// A step saw a number that exact arithmetic would not produce.
  var isDue = false
  var totalPivots = 0
  /// The number of pivots at which the running search gives up.
  var limit = 0
}

/// Limits rounding: after tens of thousands of pivots the tableau must still agree with the constraints.
extension Tableau {
  /// The largest difference between a constraint's slack and what its terms say, relative to their size.
  func largestResidual() -> Double {
    let nodes = symbols.nodes.base
    let sources = symbols.sources.base
    var largest = 0.0
    for place in 0..<symbols.count {
      let node = nodes + place
      guard node.pointee.flags.contains(.alive), !node.pointee.flags.contains(.variable),
        !node.pointee.flags.contains(.released)
      else { continue }
      let source = sources[place]
      var sum = -source.constant
      var size = 1 + abs(source.constant)
      for index in 0..<Int(source.termCount) {
        // A count above zero comes with terms.
        let term = source.terms.unsafelyUnwrapped[index]
        let variable = Int(term.variable)
        let value = sources[variable].constant + (nodes[variable].isBasic ? nodes[variable].value : 0)
        sum += term.coefficient * value
        size += abs(term.coefficient * value)
      }
      if node.pointee.isBasic { sum -= node.pointee.value }
      largest = max(largest, abs(sum) / size)
    }
    return largest
  }

  /// Recomputes the values from the rows if they have drifted; returns the remaining residual.
  mutating func refresh() -> Double {
    guard largestResidual() > 1e-12 else { return 0 }
    let nodes = symbols.nodes.base
    let sources = symbols.sources.base
    for place in 0..<symbols.count where nodes[place].isBasic {
      var value = -sources[place].constant
      for position in 0..<Int(nodes[place].count) {
        let cell = nodes[place].cells[position]
        value += cell.coefficient * sources[Int(cell.symbol)].constant
      }
      record(valueOf: place)
      nodes[place].value = value
    }
    return largestResidual()
  }

  /// What a constraint's terms come to less its constant, at the present values, and how large its parts are.
  private func gap(of place: Int) -> (value: Double, size: Double) {
    let source = symbols.sources[place]
    var sum = -source.constant
    var size = abs(source.constant)
    for index in 0..<Int(source.termCount) {
      // A count above zero comes with terms.
      let term = source.terms.unsafelyUnwrapped[index]
      let variable = Int(term.variable)
      let value =
        symbols.sources[variable].constant + (symbols[variable].isBasic ? symbols[variable].value : 0)
      sum += term.coefficient * value
      size += abs(term.coefficient * value)
    }
    return (sum, size)
  }

  private func isInForce(_ place: Int) -> Bool {
    symbols[place].flags.intersection([.alive, .variable, .released]) == .alive
  }

  /// Iterative refinement: works out by how much the tight constraints are missed and moves each by that along its
  /// column, then sets every other slack to what its terms say. The tableau may be rough; each round takes the error
  /// down by as much as it is right.
  mutating func polish() {
    for _ in 0..<4 {
      var largest = 0.0
      for place in 0..<symbols.count
      where isInForce(place) && !symbols[place].isBasic && symbols[place].count > 0 {
        let (missed, size) = gap(of: place)
        guard abs(missed) > 1e-15 * size else { continue }
        largest = max(largest, abs(missed))
        for index in 0..<Int(symbols[place].count) {
          let entry = symbols[place].entries[index]
          let row = Int(entry.row)
          record(valueOf: row)
          symbols.nodes.base[row].value -=
            missed * symbols.nodes.base[row].cells[Int(entry.position)].coefficient
        }
      }
      if largest < 1e-11 { break }
    }
    for place in 0..<symbols.count where isInForce(place) && symbols[place].isBasic {
      let (value, size) = gap(of: place)
      record(valueOf: place)
      symbols.nodes.base[place].value = abs(value) > 1e-14 * size ? value : 0
      queueIfOffSlope(place)
    }
  }

  /// Computes the objective from the constraints, with one step of iterative refinement, and returns whether the
  /// present solution is optimal by it. What rounding cannot tell from zero counts as zero.
  mutating func confirmOptimum() -> Bool {
    recomputeObjective()
    // Per variable: its cost at one level, less what the objective makes of it, and the rounding in that.
    var residual = Buffer<Double>(repeating: 0, count: symbols.count)
    var rounding = Buffer<Double>(repeating: 0, count: symbols.count)
    var uncertainty = Buffer<Double>(repeating: 0, count: symbols.count)
    for rank in 0..<objective.levels.order.count {
      let slot = Int(objective.levels.order[rank])
      for place in 0..<symbols.count {
        let isNonbasicVariable = symbols[place].flags.intersection([.variable, .basic]) == .variable
        residual[place] = isNonbasicVariable ? -objective.values[place * objective.stride + slot] : 0
        rounding[place] = 0
        uncertainty[place] = 0
      }
      for place in 0..<symbols.count where isInForce(place) {
        let node = symbols[place]
        let weight =
          node.isBasic
          ? (Int(node.level) == slot ? Double(node.multiplier) : 0)
          : -objective.values[place * objective.stride + slot]
        guard weight != 0 else { continue }
        let source = symbols.sources[place]
        for index in 0..<Int(source.termCount) {
          // A count above zero comes with terms.
          let term = source.terms.unsafelyUnwrapped[index]
          residual[Int(term.variable)] += weight * term.coefficient
          rounding[Int(term.variable)] += abs(weight * term.coefficient) * Double.ulpOfOne
        }
      }
      for place in 0..<symbols.count where symbols[place].flags.isSuperset(of: [.alive, .variable]) {
        guard symbols[place].isBasic else {
          objective.values.base[place * objective.stride + slot] += residual[place]
          uncertainty[place] += rounding[place]
          continue
        }
        for position in 0..<Int(symbols[place].count) {
          let cell = symbols[place].cells[position]
          let symbol = Int(cell.symbol)
          objective.values.base[symbol * objective.stride + slot] += residual[place] * cell.coefficient
          uncertainty[symbol] += rounding[place] * abs(cell.coefficient)
        }
      }
      for place in 0..<symbols.count
      where abs(objective.values[place * objective.stride + slot]) <= uncertainty[place] {
        objective.values.base[place * objective.stride + slot] = 0
      }
    }
    for place in 0..<symbols.count where symbols[place].flags.intersection([.alive, .basic]) == .alive {
      if symbols[place].count > 0, improvement(of: place) != nil { return false }
    }
    return true
  }

  /// The largest error among constraints that should hold: required ones, and those that are tight.
  func missedBy() -> Double {
    var largest = 0.0
    for place in 0..<symbols.count where isInForce(place) {
      let node = symbols[place]
      let (value, size) = gap(of: place)
      // What the sum itself may be off by counts too.
      let error = abs(value) + size * Double.ulpOfOne / 2
      if !node.isBasic || node.isRequired && (value > 0 ? node.upper != 0 : node.lower != 0) {
        largest = max(largest, error)
      }
    }
    return largest
  }

  /// Rebuilds the tableau of the present basis from the constraints.
  mutating func rebuild() {
    for place in 0..<symbols.count {
      guard symbols[place].flags.contains(.alive) else { continue }
      if symbols[place].isBasic { record(rowOf: place) }
      record(objectiveOf: place)
      for slot in 0..<objective.stride { objective.values.base[place * objective.stride + slot] = 0 }
    }
    var tight = Buffer<Int32>()
    var loose = Buffer<Int32>()
    for place in 0..<symbols.count {
      guard symbols[place].flags.contains(.alive) else { continue }
      if isInForce(place) {
        if symbols[place].isBasic { loose.append(Int32(place)) } else { tight.append(Int32(place)) }
      }
      if symbols[place].isBasic {
        record(valueOf: place)
        recordBasisChange(left: place, entered: -1)
        symbols.nodes.base[place].flags.remove(.basic)
        if symbols[place].flags.contains(.variable) { moveOrigin(of: place) }
        symbols.nodes.base[place].value = 0
      }
      symbols.nodes.base[place].rowBatch = batch
      symbols[place].block?.deallocate()
      symbols.nodes.base[place].block = nil
      symbols.nodes.base[place].count = 0
      symbols.nodes.base[place].capacity = 0
    }
    for index in 0..<tight.count {
      let place = Int(tight[index])
      install(place)
      if let (free, position) = sparsestFreeSymbol(inRowOf: place, above: 0.5) {
        pivot(leaving: place, entering: free, at: position, multiplier: 0)
      }
    }
    for index in 0..<loose.count { install(Int(loose[index])) }
    recomputeObjective()
    mayImprove = true
    queueAllOffSlope()
  }
}
