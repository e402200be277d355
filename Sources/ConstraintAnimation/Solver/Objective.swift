/// What a unit of each nonbasic symbol changes in the total cost through the basic ones: one value for each level of
/// priority in use, compared level by level.
///
/// A nonbasic symbol rests at 0 with the slopes `lower` to the left and `upper` to the right, so it is at its best there when
/// its values lie between `-upper` and `-lower` at its level.
struct Objective: ~Copyable {
  /// `stride` values for each symbol.
  private(set) var values = Buffer<Double>()
  private(set) var stride = 0
  private(set) var levels = ObjectiveLevels()

  /// Values this near zero are zero.
  static var tolerance: Double { 1e-9 }

  /// The values of a symbol, `stride` of them.
  @inline(__always)
  func values(of place: Int) -> UnsafeMutablePointer<Double> { values.base + place * stride }

  @inline(__always)
  func clear(_ place: Int) {
    for slot in 0..<stride { values.base[place * stride + slot] = 0 }
  }

  /// Grows to `count` symbols, of which the new ones have the value 0, and reserves memory for `capacity`.
  mutating func grow(to count: Int, capacity: Int) {
    values.reserve(capacity * stride)
    values.fill(to: count * stride, with: 0)
  }

  /// Acquires a share in the level of a priority. May widen the values, so pointers to them do not hold any longer.
  /// - Parameters:
  ///   - count: of symbols.
  ///   - capacity: for how many symbols to reserve memory.
  mutating func acquireLevel(_ priority: Int16, count: Int, capacity: Int) {
    let (slot, isNew) = levels.acquire(priority)
    guard isNew else { return }
    if Int(slot) >= stride {
      widen(to: max(2, stride + stride / 2 + 1), count: count, capacity: capacity)
    } else {
      for symbol in 0..<count { values[symbol * stride + Int(slot)] = 0 }
    }
  }

  private mutating func widen(to wanted: Int, count: Int, capacity: Int) {
    var wider = Buffer<Double>(capacity: capacity * wanted)
    wider.fill(to: count * wanted, with: 0)
    for symbol in 0..<count {
      for slot in 0..<stride { wider[symbol * wanted + slot] = values[symbol * stride + slot] }
    }
    values = wider
    stride = wanted
  }

  mutating func releaseLevel(_ priority: Int16) { levels.release(priority) }

  /// Whether a symbol has a value other than 0.
  func isSet(_ place: Int) -> Bool {
    for index in 0..<levels.order.count
    where abs(values.base[place * stride + Int(levels.order.base[index])]) > Self.tolerance {
      return true
    }
    return false
  }

  /// Adds to a value; a sum that is only rounding is 0.
  @inline(__always)
  func add(_ change: Double, to place: Int, level: Int) {
    let entry = values.base + place * stride + level
    let old = entry.pointee
    let sum = old + change
    entry.pointee = abs(sum) <= Tableau.cancellation * abs(old) ? 0 : sum
  }

  /// Whether moving a nonbasic symbol off 0 lowers the cost: which way, and at which level (by rank) by how much.
  func improvement(of place: Int, _ node: UnsafeMutablePointer<SymbolNode>) -> (
    rises: Bool, rank: Int, gain: Double
  )? {
    let costs = values(of: place)
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
        if cost < -Self.tolerance { return (true, rank, -cost) }
        if cost > Self.tolerance { upward = false }
      }
      if downward {
        let cost = slot == level ? -base - Double(node.pointee.lower) : -base
        if cost < -Self.tolerance { return (false, rank, -cost) }
        if cost > Self.tolerance { downward = false }
      }
    }
    return nil
  }

  /// Sets a symbol's values to where moving it that way gains nothing.
  func hideImprovement(of place: Int, _ node: SymbolNode, rises: Bool) {
    clear(place)
    guard node.level >= 0 else { return }
    values.base[place * stride + Int(node.level)] = -Double(rises ? node.upper : node.lower)
  }
}
