/// The pivot, and the objective that goes with it.
///
/// A nonbasic symbol rests at 0 with the slopes `lower` to the left and `upper` to the right, so it is at its best
/// there
/// when its objective lies between `-upper` and `-lower` at its level, compared level by level.
extension Tableau {
  /// Values this near zero are zero.
  static var valueTolerance: Double { 1e-8 }
  /// Objectives this near zero are zero.
  static var objectiveTolerance: Double { 1e-9 }
  /// A sum this much smaller than what it was formed from is taken for the zero it would be without rounding.
  static var cancellation: Double { 1e-10 }

  /// A row whose coefficients have grown to this has lost digits. Layouts stay far below it.
  static var risk: Double { 1e3 }

  /// Exchanges `leaving`, which takes the value 0 and gives up its cost, for the symbol of its row's cell at
  /// `position`, which takes on the cost slope `multiplier`.
  mutating func pivot(leaving: Int, entering: Int, at position: Int, multiplier: Int8) {
    verification.pivots += 1
    verification.totalPivots += 1
    note(rowOf: leaving)
    note(valueOf: leaving)
    note(valueOf: entering)
    price(leaving: leaving, entering: entering, at: position, multiplier: multiplier)

    let nodes = nodes.base
    let cells = nodes[leaving].cells
    let length = Int(nodes[leaving].count)
    let inverse = 1 / cells[position].coefficient
    let value = -nodes[leaving].value * inverse
    nodes[entering].value = value
    nodes[leaving].value = 0
    nodes[entering].rowBatch = batch
    nodes[entering].flags.insert(.basic)
    nodes[leaving].flags.remove(.basic)
    noteBasisChange(left: leaving, entered: entering)

    // The row now belongs to the entering symbol and the column, cell by cell, to the leaving one.
    var largest = abs(inverse)
    let scratch = scratch.base
    let enteringRow = Int32(truncatingIfNeeded: entering)
    let leavingSymbol = Int32(truncatingIfNeeded: leaving)
    for index in 0..<length {
      let cell = cells + index
      let symbol = Int(cell.pointee.symbol)
      nodes[symbol].entries[Int(cell.pointee.link)].row = enteringRow
      largest = max(largest, abs(cell.pointee.coefficient))
      if index == position {
        cell.pointee.symbol = leavingSymbol
        cell.pointee.coefficient = inverse
      } else {
        cell.pointee.coefficient *= -inverse
        largest = max(largest, abs(cell.pointee.coefficient))
        scratch[symbol].value = cell.pointee.coefficient
      }
    }
    // Rounding has grown with the coefficients: the tableau is to be made afresh for the basis this leads to.
    if largest > Self.risk { verification.isDue = true }
    swap(&nodes[leaving].block, &nodes[entering].block)
    swap(&nodes[leaving].count, &nodes[entering].count)
    swap(&nodes[leaving].capacity, &nodes[entering].capacity)

    let rowCount = Int(nodes[leaving].count)
    for index in 0..<rowCount {
      let entry = nodes[leaving].entries[index]
      guard entry.row != enteringRow else { continue }
      let row = Int(entry.row)
      note(rowOf: row)
      let cell = nodes[row].cells + Int(entry.position)
      let factor = cell.pointee.coefficient
      cell.pointee.coefficient = factor * inverse
      cell.pointee.symbol = leavingSymbol
      if value != 0 {
        note(valueOf: row)
        nodes[row].value += factor * value
      }
      if length > 1 { addRow(entering, times: factor, to: row, except: leavingSymbol) }
    }
    for index in 0..<length {
      scratch[Int(nodes[entering].cells[index].symbol)] = ScratchSlot()
    }
  }

  /// Adds a multiple of the row spread out in `scratch` to another row.
  @inline(__always)
  private mutating func addRow(_ source: Int, times factor: Double, to row: Int, except leaving: Int32) {
    let nodes = nodes.base
    let scratch = scratch.base
    let mark = Int32(truncatingIfNeeded: row) &+ 1
    let cells = nodes[row].cells
    var count = Int(nodes[row].count)
    var met = 1
    var position = 0
    while position < count {
      let cell = cells + position
      let entry = scratch + Int(cell.pointee.symbol)
      let addend = entry.pointee.value
      if addend != 0 {
        entry.pointee.seen = mark
        met += 1
        let old = cell.pointee.coefficient
        let sum = old + factor * addend
        if abs(sum) <= Self.cancellation * abs(old) {
          removeCell(row, at: position)
          count -= 1
          continue
        }
        cell.pointee.coefficient = sum
      }
      position += 1
    }
    let length = Int(nodes[source].count)
    guard met < length else { return }
    let added = nodes[source].cells
    for index in 0..<length {
      let cell = added[index]
      guard cell.symbol != leaving, scratch[Int(cell.symbol)].seen != mark else { continue }
      appendCell(row, cell.symbol, factor * cell.coefficient)
    }
  }

  /// Carries the objective through a pivot. Must run before the row is rewritten.
  @inline(__always)
  mutating func price(leaving: Int, entering: Int, at position: Int, multiplier: Int8) {
    let nodes = nodes.base
    let objective = objective.base
    let stride = stride
    let cells = nodes[leaving].cells
    let length = Int(nodes[leaving].count)
    let left = nodes[leaving]
    let inverse = 1 / cells[position].coefficient
    note(objectiveOf: leaving)
    for slot in 0..<stride { objective[leaving * stride + slot] = 0 }
    for index in 0..<levels.order.count {
      let slot = Int(levels.order.base[index])
      var step = objective[entering * stride + slot]
      if slot == Int(nodes[entering].level) { step += Double(multiplier) }
      guard abs(step) > Self.objectiveTolerance else { continue }
      step *= inverse
      for index in 0..<length where index != position {
        let symbol = Int(cells[index].symbol)
        note(objectiveOf: symbol)
        let entry = objective + symbol * stride + slot
        let old = entry.pointee
        let sum = old - step * cells[index].coefficient
        entry.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
      }
      objective[leaving * stride + slot] = step
    }
    if left.level >= 0 { objective[leaving * stride + Int(left.level)] -= Double(left.multiplier) }
    note(objectiveOf: entering)
    for slot in 0..<stride { objective[entering * stride + slot] = 0 }
    setMultiplier(leaving, 0)
    setMultiplier(entering, multiplier)
  }

  /// Changes the slope in force for a basic soft constraint and with it the objective along its row.
  mutating func reweigh(_ place: Int, to multiplier: Int8) {
    let node = nodes[place]
    let change = Double(multiplier) - Double(node.multiplier)
    guard change != 0 else { return }
    setMultiplier(place, multiplier)
    let objective = objective.base
    for position in 0..<Int(node.count) {
      let cell = node.cells[position]
      note(objectiveOf: Int(cell.symbol))
      let entry = objective + Int(cell.symbol) * stride + Int(node.level)
      let old = entry.pointee
      let sum = old + change * cell.coefficient
      entry.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
    }
  }

  /// Takes a basic constraint's share out of the objective.
  mutating func dropCost(of place: Int) {
    guard nodes[place].multiplier != 0 else { return }
    reweigh(place, to: 0)
    mayImprove = true
  }

  /// Moves a constraint to another priority, or to and from required, where it stands.
  mutating func regrade(_ place: Int, priority: Int16, relation: SolverRelation) {
    if nodes[place].isBasic { dropCost(of: place) }
    grade(place, priority: priority, relation: relation)
    guard nodes[place].isBasic else {
      if improvement(of: place) != nil { mayImprove = true }
      return
    }
    note(valueOf: place)
    guard nodes[place].level >= 0 else { return }
    let value = nodes[place].value
    let slope =
      value > Self.valueTolerance ? nodes[place].upper : value < -Self.valueTolerance ? nodes[place].lower : 0
    if slope != 0 {
      reweigh(place, to: slope)
      mayImprove = true
    }
  }

  func hasObjective(_ place: Int) -> Bool {
    for index in 0..<levels.order.count
    where abs(objective.base[place * stride + Int(levels.order.base[index])]) > Self.objectiveTolerance {
      return true
    }
    return false
  }

  /// Whether moving a nonbasic symbol off 0 lowers the cost: which way, and at which level (by rank) by how much.
  func improvement(of place: Int) -> (rises: Bool, rank: Int, gain: Double)? {
    let node = nodes.base + place
    let costs = objective.base + place * stride
    let level = Int(node.pointee.level)
    let required = node.pointee.isRequired
    var upward = !(required && node.pointee.upper != 0)
    var downward = !(required && node.pointee.lower != 0)
    for rank in 0..<levels.order.count {
      guard upward || downward else { return nil }
      let slot = Int(levels.order.base[rank])
      let base = costs[slot]
      if upward {
        let cost = slot == level ? base + Double(node.pointee.upper) : base
        if cost < -Self.objectiveTolerance { return (true, rank, -cost) }
        if cost > Self.objectiveTolerance { upward = false }
      }
      if downward {
        let cost = slot == level ? -base - Double(node.pointee.lower) : -base
        if cost < -Self.objectiveTolerance { return (false, rank, -cost) }
        if cost > Self.objectiveTolerance { downward = false }
      }
    }
    return nil
  }

  /// Pretends that no nonbasic symbol can gain by moving, so that rows can be repaired first. The true objective comes
  /// back with ``recomputeObjective()``.
  mutating func hideImprovements() {
    for place in 0..<nodes.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
      guard let found = improvement(of: place) else { continue }
      hideImprovement(of: place, rises: found.rises)
    }
  }

  /// Sets a nonbasic symbol's objective to where moving it that way gains nothing.
  mutating func hideImprovement(of place: Int, rises: Bool) {
    note(objectiveOf: place)
    for slot in 0..<stride { objective.base[place * stride + slot] = 0 }
    let node = nodes[place]
    guard node.level >= 0 else { return }
    objective.base[place * stride + Int(node.level)] = -Double(rises ? node.upper : node.lower)
  }

  /// Computes the objective from the rows and the slopes in force.
  mutating func recomputeObjective() {
    let nodes = nodes.base
    let objective = objective.base
    for place in 0..<self.nodes.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
      note(objectiveOf: place)
      for slot in 0..<stride { objective[place * stride + slot] = 0 }
    }
    for place in 0..<self.nodes.count where nodes[place].isBasic && nodes[place].multiplier != 0 {
      let node = nodes[place]
      let weight = Double(node.multiplier)
      for position in 0..<Int(node.count) {
        let cell = node.cells[position]
        let entry = objective + Int(cell.symbol) * stride + Int(node.level)
        let old = entry.pointee
        let sum = old + weight * cell.coefficient
        entry.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
      }
    }
  }
}
