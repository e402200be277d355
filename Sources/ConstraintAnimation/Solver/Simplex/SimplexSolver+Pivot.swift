/// The pivot: a basic symbol leaves, a nonbasic one of its row enters.
extension SimplexSolver {
  /// A sum this much smaller than what it was formed from is taken for the zero it would be without rounding.
  static var cancellation: Double { 1e-10 }

  /// A row whose coefficients have grown to this has lost digits. Layouts stay far below it.
  static var risk: Double { 1e3 }

  /// Exchanges `leaving`, which takes the value 0 and gives up its cost, for the symbol of its row's cell at
  /// `position`, which takes on the cost slope `multiplier`.
  mutating func pivot(leaving: Int, entering: Int, at position: Int, multiplier: Int8) {
    upkeep.pivots += 1
    upkeep.totalPivots += 1
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
    journal.basisChanges.append(Journal.BasisChange(left: Int32(leaving), entered: Int32(entering)))

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
    if largest > Self.risk { upkeep.isDue = true }
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
      let seat = scratch + Int(cell.pointee.symbol)
      let addend = seat.pointee.value
      if addend != 0 {
        seat.pointee.seen = mark
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
}
