/// Rows and columns, and putting constraints into and out of the tableau.
extension SimplexSolver {
  /// Coefficients below this do not count as non-zero when a row is made.
  static var negligible: Double { 1e-11 }

  // MARK: Cells

  /// Appends a cell to a row and to its symbol's column.
  mutating func appendCell(_ row: Int, _ symbol: Int32, _ coefficient: Double) {
    let node = nodes.base + row
    let count = Int(node.pointee.count)
    if node.pointee.count == node.pointee.capacity { growRow(row, to: count + 1) }
    (node.pointee.cells + count).initialize(
      to: TableauCell(coefficient: coefficient, symbol: symbol, link: 0))
    node.pointee.count += 1
    linkCell(row, at: count)
  }

  mutating func growRow(_ row: Int, to wanted: Int) {
    let node = nodes.base + row
    let capacity = wanted + wanted / 2 + 4
    let grown = UnsafeMutablePointer<TableauCell>.allocate(capacity: capacity)
    if let block = node.pointee.block {
      grown.initialize(from: node.pointee.cells, count: Int(node.pointee.count))
      block.deallocate()
    }
    node.pointee.block = UnsafeMutableRawPointer(grown)
    node.pointee.capacity = Int32(capacity)
  }

  /// Enters a cell that stands in its row into its symbol's column.
  @inline(__always)
  mutating func linkCell(_ row: Int, at position: Int) {
    let cell = nodes.base[row].cells + position
    let column = nodes.base + Int(cell.pointee.symbol)
    let count = Int(column.pointee.count)
    if column.pointee.count == column.pointee.capacity {
      let capacity = count + count / 2 + 4
      let grown = UnsafeMutablePointer<ColumnEntry>.allocate(capacity: capacity)
      if let block = column.pointee.block {
        grown.initialize(from: column.pointee.entries, count: count)
        block.deallocate()
      }
      column.pointee.block = UnsafeMutableRawPointer(grown)
      column.pointee.capacity = Int32(capacity)
    }
    cell.pointee.link = Int32(truncatingIfNeeded: count)
    (column.pointee.entries + count).initialize(
      to: ColumnEntry(row: Int32(truncatingIfNeeded: row), position: Int32(truncatingIfNeeded: position)))
    column.pointee.count += 1
  }

  /// Takes a cell out of its symbol's column; the last entry moves into its place.
  @inline(__always)
  mutating func unlinkCell(_ cell: TableauCell) {
    let nodes = nodes.base
    let column = nodes + Int(cell.symbol)
    let last = Int(column.pointee.count) - 1
    column.pointee.count -= 1
    let link = Int(cell.link)
    guard link != last else { return }
    let entries = column.pointee.entries
    let moved = entries[last]
    entries[link] = moved
    nodes[Int(moved.row)].cells[Int(moved.position)].link = cell.link
  }

  /// Takes a cell out of its row and column; the row's last cell moves into its place.
  @inline(__always)
  mutating func removeCell(_ row: Int, at position: Int) {
    let nodes = nodes.base
    let cells = nodes[row].cells
    unlinkCell(cells[position])
    let last = Int(nodes[row].count) - 1
    nodes[row].count -= 1
    guard position != last else { return }
    let moved = cells[last]
    cells[position] = moved
    nodes[Int(moved.symbol)].entries[Int(moved.link)].position = Int32(truncatingIfNeeded: position)
  }

  // MARK: Constraints

  /// Sets a constraint's costs from its relation and priority.
  mutating func grade(_ place: Int) {
    let record = records[place]
    nodes[place].level = record.priority < 1000 ? levels.slot(of: record.priority) : SymbolNode.required
    nodes[place].lower = record.relation == .lessThanOrEqual ? 0 : -1
    nodes[place].upper = record.relation == .greaterThanOrEqual ? 0 : 1
  }

  /// Gives a constraint a row: its terms with every basic symbol replaced by that symbol's row.
  mutating func install(_ place: Int) {
    let record = records[place]
    let nodes = nodes.base
    let records = records.base
    let scratch = scratch.base
    gathered.removeAll()
    var value = -record.constant
    for index in 0..<Int(record.termCount) {
      // A count above zero comes with terms.
      let term = record.terms.unsafelyUnwrapped[index]
      let variable = Int(term.variable)
      let factor = term.coefficient
      value += factor * records[variable].constant
      guard nodes[variable].isBasic else {
        gather(term.variable, factor, into: scratch)
        continue
      }
      value += factor * nodes[variable].value
      for position in 0..<Int(nodes[variable].count) {
        let cell = nodes[variable].cells[position]
        gather(cell.symbol, factor * cell.coefficient, into: scratch)
      }
    }
    note(valueOf: place)
    nodes[place].value = value
    nodes[place].rowBatch = batch
    nodes[place].objectiveBatch = batch
    nodes[place].flags.insert(.basic)
    journal.basisChanges.append(Journal.BasisChange(left: -1, entered: Int32(place)))
    var count = 0
    for index in 0..<gathered.count where abs(scratch[Int(gathered[index])].value) > Self.negligible {
      count += 1
    }
    if count > 0 {
      let cells = UnsafeMutablePointer<TableauCell>.allocate(capacity: count)
      nodes[place].block = UnsafeMutableRawPointer(cells)
      nodes[place].capacity = Int32(count)
    }
    for index in 0..<gathered.count {
      let symbol = gathered[index]
      let coefficient = scratch[Int(symbol)].value
      scratch[Int(symbol)] = ScratchSlot()
      if abs(coefficient) > Self.negligible { appendCell(place, symbol, coefficient) }
    }
  }

  @inline(__always)
  private mutating func gather(
    _ symbol: Int32, _ coefficient: Double, into scratch: UnsafeMutablePointer<ScratchSlot>
  ) {
    let seat = scratch + Int(symbol)
    if seat.pointee.seen == 0 {
      seat.pointee.seen = 1
      gathered.append(symbol)
    }
    seat.pointee.value += coefficient
  }

  /// Takes a basic symbol's row out of the tableau.
  mutating func takeOut(_ place: Int) {
    note(valueOf: place)
    note(rowOf: place)
    for position in 0..<Int(nodes[place].count) { unlinkCell(nodes[place].cells[position]) }
    nodes[place].block?.deallocate()
    nodes[place].block = nil
    nodes[place].count = 0
    nodes[place].capacity = 0
    nodes[place].flags.remove([.basic, .leaving])
    journal.basisChanges.append(Journal.BasisChange(left: Int32(place), entered: -1))
  }

  /// Removes a constraint. One that has a row goes at once. One that holds a column becomes free to move first: a
  /// constraint added in the same batch may want its place, otherwise ``retire(_:)`` finds it one.
  mutating func release(_ place: Int) {
    if nodes[place].isBasic {
      dropCost(of: place)
      takeOut(place)
      return
    }
    nodes[place].flags.insert(.leaving)
    nodes[place].level = SymbolNode.required
    nodes[place].lower = 0
    nodes[place].upper = 0
    if hasObjective(place) { mayImprove = true }
  }

  /// Exchanges a removed constraint's column for that of a variable it held, which stays where it is.
  mutating func retire(_ place: Int) {
    let nodes = nodes.base
    let column = nodes[place]
    var largest = 0.0
    for index in 0..<Int(column.count) {
      let entry = column.entries[index]
      guard nodes[Int(entry.row)].flags.contains(.variable) else { continue }
      largest = max(largest, abs(nodes[Int(entry.row)].cells[Int(entry.position)].coefficient))
    }
    var chosen = -1
    var chosenPosition = 0
    for index in 0..<Int(column.count) {
      let entry = column.entries[index]
      let row = Int(entry.row)
      guard nodes[row].flags.contains(.variable),
        abs(nodes[row].cells[Int(entry.position)].coefficient) >= 0.1 * largest
      else { continue }
      if chosen < 0 || nodes[row].count < nodes[chosen].count
        || (nodes[row].count == nodes[chosen].count && row < chosen)
      {
        chosen = row
        chosenPosition = Int(entry.position)
      }
    }
    guard chosen >= 0 else {
      // Only rounding can leave no variable to hold; without its column the constraint is gone as well.
      clearColumn(place)
      nodes[place].flags.remove(.leaving)
      upkeep.isDue = true
      return
    }
    moveOrigin(of: chosen)
    pivot(leaving: chosen, entering: place, at: chosenPosition, multiplier: 0)
    takeOut(place)
  }

  /// Makes a variable's symbol 0 at its present value, so that it can become nonbasic without moving.
  mutating func moveOrigin(of place: Int) {
    note(valueOf: place)
    journal.origins.append(Journal.Value(symbol: Int32(place), value: records[place].constant))
    records[place].constant += nodes[place].value
    nodes[place].value = 0
  }

  /// Removes every cell of a nonbasic symbol.
  mutating func clearColumn(_ place: Int) {
    while nodes[place].count > 0 {
      let entry = nodes[place].entries[Int(nodes[place].count) - 1]
      note(rowOf: Int(entry.row))
      removeCell(Int(entry.row), at: Int(entry.position))
    }
  }

  /// Changes a constraint's constant in the tableau: a basic one by itself, a nonbasic one by way of its column.
  mutating func move(_ place: Int, by change: Double) {
    upkeep.moves += 1
    let nodes = nodes.base
    guard !nodes[place].isBasic else {
      note(valueOf: place)
      nodes[place].value -= change
      return
    }
    guard nodes[place].count > 0 else { return }
    let entries = nodes[place].entries
    for index in 0..<Int(nodes[place].count) {
      let entry = entries[index]
      let row = nodes + Int(entry.row)
      note(valueOf: Int(entry.row))
      row.pointee.value += change * row.pointee.cells[Int(entry.position)].coefficient
    }
  }

  /// The free nonbasic symbol of a row whose column has the fewest cells, so that a pivot on it fills in least; among
  /// equals a removed constraint, then the smallest place. Coefficients below `share` of the largest are passed over.
  func sparsestFreeSymbol(inRowOf place: Int, above share: Double = 0.05) -> (symbol: Int, position: Int)? {
    let nodes = nodes.base
    let count = Int(nodes[place].count)
    guard count > 0 else { return nil }
    let cells = nodes[place].cells
    var largest = 0.0
    for position in 0..<count where nodes[Int(cells[position].symbol)].isFree {
      largest = max(largest, abs(cells[position].coefficient))
    }
    var chosen: (symbol: Int, position: Int)?
    var chosenKey = (Int32.max, Int.max)
    for position in 0..<count {
      let symbol = Int(cells[position].symbol)
      guard nodes[symbol].isFree, abs(cells[position].coefficient) >= share * largest else { continue }
      let key = (nodes[symbol].flags.contains(.leaving) ? 0 : nodes[symbol].count, symbol)
      if key < chosenKey {
        chosenKey = key
        chosen = (symbol, position)
      }
    }
    return chosen
  }
}
