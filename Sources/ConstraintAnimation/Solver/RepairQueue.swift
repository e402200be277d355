/// The basic symbols that may be off their slope, for the dual search to repair.
struct RepairQueue: ~Copyable {
  private var places = Buffer<Int32>()

  /// Values this near zero are zero.
  static var tolerance: Double { 1e-8 }

  mutating func removeAll() { places.removeAll() }

  /// Adds a symbol that is off its slope, once.
  @inline(__always)
  mutating func add(_ place: Int, _ nodes: UnsafeMutablePointer<SymbolNode>) {
    let node = nodes + place
    guard node.pointee.isOffSlope(tolerance: Self.tolerance),
      node.pointee.flags.intersection([.basic, .queued]) == .basic
    else { return }
    node.pointee.flags.insert(.queued)
    places.append(Int32(truncatingIfNeeded: place))
  }

  /// Looks for rows off their slope in all there are.
  mutating func addAll(_ symbols: borrowing SymbolTable) {
    places.removeAll()
    let nodes = symbols.nodes.base
    for place in 0..<symbols.count {
      nodes[place].flags.remove(.queued)
      add(place, nodes)
    }
  }

  func hasRowOffSlope(_ nodes: UnsafeMutablePointer<SymbolNode>) -> Bool {
    for index in 0..<places.count {
      let node = nodes + Int(places[index])
      if node.pointee.isBasic && node.pointee.isOffSlope(tolerance: Self.tolerance) { return true }
    }
    return false
  }

  /// The row to repair next: of those of the highest priority the one furthest off.
  mutating func next(
    _ nodes: UnsafeMutablePointer<SymbolNode>, _ levels: borrowing ObjectiveLevels, smallestPlace: Bool
  ) -> Int? {
    var chosen = -1
    var chosenRank = Int16.max
    var chosenValue = 0.0
    var index = 0
    while index < places.count {
      let place = Int(places.base[index])
      let node = nodes + place
      guard node.pointee.isBasic, node.pointee.isOffSlope(tolerance: Self.tolerance) else {
        node.pointee.flags.remove(.queued)
        places.count -= 1
        places.base[index] = places.base[places.count]
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
}
