/// Noting what is about to be overwritten, once a batch.
extension SimplexSolver {
  /// Call before a symbol's value changes. The list of noted values is also where a solve looks for rows that went off
  /// their slope and for variables that moved.
  @inline(__always)
  mutating func note(valueOf place: Int) {
    let node = nodes.base + place
    guard node.pointee.valueBatch != batch else { return }
    node.pointee.valueBatch = batch
    journal.values.append(Journal.Value(symbol: Int32(truncatingIfNeeded: place), value: node.pointee.value))
  }

  /// Call before a basic symbol's row changes.
  @inline(__always)
  mutating func note(rowOf place: Int) {
    let node = nodes.base + place
    guard node.pointee.rowBatch != batch else { return }
    node.pointee.rowBatch = batch
    guard node.pointee.count > 0 else {
      journal.rows.append(Journal.Row(symbol: Int32(truncatingIfNeeded: place), count: 0))
      return
    }
    journal.note(
      row: Int32(truncatingIfNeeded: place), node.pointee.cells, count: Int(node.pointee.count))
  }

  /// Call before a symbol's objective changes.
  @inline(__always)
  mutating func note(objectiveOf place: Int) {
    let node = nodes.base + place
    guard node.pointee.objectiveBatch != batch else { return }
    node.pointee.objectiveBatch = batch
    journal.note(
      objective: Int32(truncatingIfNeeded: place), objective.base + place * stride, count: stride)
  }

  mutating func setMultiplier(_ place: Int, _ multiplier: Int8) {
    let old = nodes[place].multiplier
    guard old != multiplier else { return }
    journal.multipliers.append(Journal.Multiplier(symbol: Int32(place), multiplier: old))
    nodes[place].multiplier = multiplier
  }

  /// Takes every change to the tableau since the batch began back, bit for bit.
  mutating func restoreTableau() {
    for place in 0..<nodes.count where !nodes[place].isBasic || nodes[place].rowBatch == batch {
      releaseBlock(place)
    }
    while let change = journal.basisChanges.popLast() {
      if change.left >= 0 { nodes[Int(change.left)].flags.insert(.basic) }
      if change.entered >= 0 { nodes[Int(change.entered)].flags.remove(.basic) }
    }
    while let change = journal.multipliers.popLast() {
      nodes[Int(change.symbol)].multiplier = change.multiplier
    }
    while let change = journal.origins.popLast() { records[Int(change.symbol)].constant = change.value }
    while let change = journal.values.popLast() { nodes[Int(change.symbol)].value = change.value }
    while let symbol = journal.objectiveSymbols.popLast() {
      journal.objectives.count -= stride
      (objective.base + Int(symbol) * stride).update(
        from: journal.objectives.base + journal.objectives.count, count: stride)
    }
    while let row = journal.rows.popLast() {
      let count = Int(row.count)
      journal.cells.count -= count
      guard count > 0 else { continue }
      let cells = UnsafeMutablePointer<TableauCell>.allocate(capacity: count)
      cells.initialize(from: journal.cells.base + journal.cells.count, count: count)
      nodes[Int(row.symbol)].block = UnsafeMutableRawPointer(cells)
      nodes[Int(row.symbol)].count = row.count
      nodes[Int(row.symbol)].capacity = row.count
    }
    for place in 0..<nodes.count {
      nodes[place].flags.remove([.queued, .leaving])
      guard nodes[place].isBasic else { continue }
      for position in 0..<Int(nodes[place].count) { linkCell(place, at: position) }
    }
  }

  private mutating func releaseBlock(_ place: Int) {
    nodes[place].block?.deallocate()
    nodes[place].block = nil
    nodes[place].count = 0
    nodes[place].capacity = 0
  }
}
