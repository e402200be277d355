@testable import ConstraintAnimation

extension SimplexSolver {
  /// Everything the next steps depend on, in an order that does not: two solvers with equal states go on alike, bit for
  /// bit.
  var state: [UInt64] {
    var words: [UInt64] = []
    for place in 0..<tableau.symbols.count {
      let node = tableau.symbols[place]
      let record = records[place]
      guard node.flags.contains(.alive) else { continue }
      words += [UInt64(place), UInt64(node.flags.rawValue), UInt64(UInt8(bitPattern: node.multiplier))]
      words += [
        tableau.symbols.sources[place].constant.bitPattern, record.settledConstant.bitPattern,
        UInt64(record.priority),
      ]
      if node.isBasic {
        words.append(node.value.bitPattern)
        let cells = (0..<Int(node.count)).map { node.cells[$0] }.sorted { $0.symbol < $1.symbol }
        for cell in cells { words += [UInt64(cell.symbol), cell.coefficient.bitPattern] }
      } else {
        words.append(UInt64(node.count))
        for rank in 0..<tableau.objective.levels.order.count {
          words.append(
            (tableau.objective.values[
              place * tableau.objective.stride + Int(tableau.objective.levels.order[rank])] + 0).bitPattern)
        }
      }
    }
    // The places the next symbols will get: first those given back, the last one first, then new ones.
    for index in 0..<16 {
      let free = tableau.symbols.freePlaces.count - 1 - index
      words.append(
        UInt64(free >= 0 ? Int(tableau.symbols.freePlaces[free]) : tableau.symbols.count - 1 - free))
    }
    return words + [UInt64(tableau.verification.pivots), UInt64(tableau.verification.moves)]
  }

  /// The bytes all tables, rows and columns have room for.
  var footprint: Int {
    var bytes =
      tableau.symbols.nodes.capacity * MemoryLayout<SymbolNode>.stride + records.capacity
      * MemoryLayout<SymbolRecord>.stride
    bytes += tableau.symbols.sources.capacity * MemoryLayout<SymbolSource>.stride
    bytes +=
      (tableau.objective.values.capacity + tableau.journal.objectives.capacity) * 8 + tableau.journal.cells
      .capacity
      * 16
    bytes +=
      (tableau.journal.values.capacity + tableau.journal.rows.capacity) * 16
      + (edits.capacity + tableau.symbols.freePlaces.capacity) * 4
    for place in 0..<tableau.symbols.count {
      bytes += Int(tableau.symbols[place].capacity) * (tableau.symbols[place].isBasic ? 16 : 8)
    }
    return bytes
  }

  /// Whether rows and columns point at one another as they should.
  var isLinkedThroughout: Bool {
    var cells = 0
    var entries = 0
    for place in 0..<tableau.symbols.count where tableau.symbols[place].flags.contains(.alive) {
      let node = tableau.symbols[place]
      guard node.isBasic else {
        entries += Int(node.count)
        continue
      }
      cells += Int(node.count)
      for position in 0..<Int(node.count) {
        let cell = node.cells[position]
        let column = tableau.symbols[Int(cell.symbol)]
        guard !column.isBasic, cell.link < column.count else { return false }
        let entry = column.entries[Int(cell.link)]
        guard entry.row == Int32(place), entry.position == Int32(position) else { return false }
      }
    }
    return cells == entries
  }
}
