/// The objective: for each nonbasic symbol and level, how the basic symbols' costs change per unit of it.
///
/// A nonbasic symbol rests at 0 with the slopes `lower` to the left and `upper` to the right, so it is at its best
/// there when its objective lies between `-upper` and `-lower` at its level, compared level by level.
extension SimplexSolver {
  /// Values this near zero are zero.
  static var valueTolerance: Double { 1e-8 }
  /// Objectives this near zero are zero.
  static var objectiveTolerance: Double { 1e-9 }

  /// Carries the objective through a pivot. Must run before the row is turned round.
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
        let seat = objective + symbol * stride + slot
        let old = seat.pointee
        let sum = old - step * cells[index].coefficient
        seat.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
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
      let seat = objective + Int(cell.symbol) * stride + Int(node.level)
      let old = seat.pointee
      let sum = old + change * cell.coefficient
      seat.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
    }
  }

  /// Takes a basic constraint's share out of the objective.
  mutating func dropCost(of place: Int) {
    guard nodes[place].multiplier != 0 else { return }
    reweigh(place, to: 0)
    mayImprove = true
  }

  /// Moves a constraint to another priority, or to and from required, where it stands.
  mutating func regrade(_ place: Int) {
    if nodes[place].isBasic { dropCost(of: place) }
    grade(place)
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
    let seats = objective.base + place * stride
    let level = Int(node.pointee.level)
    let required = node.pointee.isRequired
    var upward = !(required && node.pointee.upper != 0)
    var downward = !(required && node.pointee.lower != 0)
    for rank in 0..<levels.order.count {
      guard upward || downward else { return nil }
      let slot = Int(levels.order.base[rank])
      let base = seats[slot]
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
      note(objectiveOf: place)
      for slot in 0..<stride { objective[place * stride + slot] = 0 }
      let node = nodes[place]
      guard node.level >= 0 else { continue }
      objective[place * stride + Int(node.level)] = -Double(found.rises ? node.upper : node.lower)
    }
  }

  /// Works the objective out from the rows and the slopes in force.
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
        let seat = objective + Int(cell.symbol) * stride + Int(node.level)
        let old = seat.pointee
        let sum = old + weight * cell.coefficient
        seat.pointee = abs(sum) <= Self.cancellation * abs(old) ? 0 : sum
      }
    }
  }
}
