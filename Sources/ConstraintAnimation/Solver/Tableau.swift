/// The simplex tableau: symbols with their rows and columns, the objective, and the journal that takes a batch back.
///
/// It owns its storage. The searches (``PrimalSimplex``, ``DualSimplex``) read it and change it through
/// ``pivot(leaving:entering:at:multiplier:)`` and ``reweigh(_:to:)``.
struct Tableau: ~Copyable {
  /// A symbol's slot in the dense accumulator in which sparse rows are added; all zero between uses.
  struct ScratchSlot: BitwiseCopyable {
    var value = 0.0
    /// Which row last met the symbol, plus one.
    var seen: Int32 = 0
  }

  private(set) var symbols = SymbolTable()
  private(set) var objective = Objective()
  private(set) var scratch = Buffer<ScratchSlot>()
  /// Symbols gathered in `scratch`.
  private var gathered = Buffer<Int32>()
  private var repairs = RepairQueue()

  /// Counts the batches, to tell what the running one has noted already.
  private(set) var batch: UInt32 = 1
  private(set) var journal = Journal()
  /// Some nonbasic symbol may gain by moving.
  var mayImprove = false
  var verification = TableauVerification()

  /// Coefficients below this do not count as non-zero when a row is made.
  static var negligible: Double { 1e-11 }
  /// Coefficients smaller than this are not pivoted on.
  static var pivotTolerance: Double { 1e-9 }

  init() {}
}

// MARK: - Symbols

extension Tableau {
  /// A place for a symbol, the one given back last if there is one. All tables grow together, here and nowhere else.
  mutating func allocatePlace(_ flags: SymbolFlags) -> Int {
    let (place, isNew) = symbols.allocatePlace(flags)
    guard isNew else {
      objective.clear(place)
      return place
    }
    scratch.append(ScratchSlot())
    let capacity = symbols.nodes.capacity
    journal.reserveValues(capacity)
    objective.grow(to: symbols.count, capacity: capacity)
    return place
  }

  /// Gives a symbol's place back.
  mutating func vacate(_ place: Int) { symbols.vacate(place) }

  /// Changes what is asked of a constraint; ``move(_:by:)`` brings the tableau up to it.
  mutating func setConstant(_ constant: Double, of place: Int) { symbols.setConstant(constant, of: place) }

  /// Counts a constraint's mentions of its variables up or down.
  mutating func mention(_ place: Int, by count: Int32) { symbols.mention(place, by: count) }

  /// A constraint that was removed before it had a row.
  mutating func markReleased(_ place: Int) { symbols[place].flags.insert(.released) }

  /// Acquires a share in the level of a priority. May widen the objective.
  mutating func acquireLevel(_ priority: Int16) {
    objective.acquireLevel(priority, count: symbols.count, capacity: symbols.nodes.capacity)
  }

  mutating func releaseLevel(_ priority: Int16) { objective.releaseLevel(priority) }

  /// Merges terms by variable, drops those that cancel, and counts the mentions.
  mutating func store(_ terms: Span<SolverTerm>, constant: Double, at place: Int) {
    symbols.setConstant(constant, of: place)
    gathered.removeAll()
    for index in terms.indices {
      let variable = Int(terms[index].variable.index)
      if scratch[variable].seen == 0 {
        scratch[variable].seen = 1
        gathered.append(Int32(variable))
      }
      scratch[variable].value += terms[index].coefficient
    }
    var count = 0
    for index in 0..<gathered.count where scratch[Int(gathered[index])].value != 0 { count += 1 }
    if count > 0 {
      let stored = UnsafeMutablePointer<StoredTerm>.allocate(capacity: count)
      count = 0
      for index in 0..<gathered.count {
        let variable = gathered[index]
        let coefficient = scratch[Int(variable)].value
        guard coefficient != 0 else { continue }
        (stored + count).initialize(to: StoredTerm(coefficient: coefficient, variable: variable))
        count += 1
      }
      symbols.setTerms(stored, count: count, of: place)
    }
    for index in 0..<gathered.count { scratch[Int(gathered[index])] = ScratchSlot() }
  }

  /// Sets a constraint's costs from its relation and priority.
  mutating func grade(_ place: Int, priority: Int16, relation: SolverRelation) {
    symbols[place].level = priority < 1000 ? objective.levels.slot(of: priority) : SymbolNode.required
    symbols[place].lower = relation == .lessThanOrEqual ? 0 : -1
    symbols[place].upper = relation == .greaterThanOrEqual ? 0 : 1
  }
}

// MARK: - Batches

extension Tableau {
  /// Begins to record changes, so that ``restore()`` can undo them.
  mutating func beginBatch() {
    journal.clear()
    repairs.removeAll()
    mayImprove = false
    batch &+= 1
    guard batch == 0 else { return }
    for index in 0..<symbols.count {
      symbols[index].valueBatch = 0
      symbols[index].rowBatch = 0
      symbols[index].objectiveBatch = 0
    }
    batch = 1
  }

  /// Call before a symbol's value changes. The list of noted values is also where a solve looks for rows that went off
  /// their slope and for variables that moved.
  @inline(__always)
  mutating func record(valueOf place: Int) {
    let node = symbols.nodes.base + place
    guard node.pointee.valueBatch != batch else { return }
    node.pointee.valueBatch = batch
    journal.record(value: node.pointee.value, of: place)
  }

  /// Call before a basic symbol's row changes.
  @inline(__always)
  mutating func record(rowOf place: Int) {
    let node = symbols.nodes.base + place
    guard node.pointee.rowBatch != batch else { return }
    node.pointee.rowBatch = batch
    journal.record(
      row: Int32(truncatingIfNeeded: place), node.pointee.count > 0 ? node.pointee.cells : nil,
      count: Int(node.pointee.count))
  }

  /// Call before a symbol's objective changes.
  @inline(__always)
  mutating func record(objectiveOf place: Int) {
    let node = symbols.nodes.base + place
    guard node.pointee.objectiveBatch != batch else { return }
    node.pointee.objectiveBatch = batch
    journal.record(
      objective: Int32(truncatingIfNeeded: place), objective.values(of: place), count: objective.stride)
  }

  mutating func setMultiplier(_ place: Int, _ multiplier: Int8) {
    let old = symbols[place].multiplier
    guard old != multiplier else { return }
    journal.record(multiplier: old, of: place)
    symbols[place].multiplier = multiplier
  }

  mutating func recordBasisChange(left: Int, entered: Int) {
    journal.recordBasisChange(left: left, entered: entered)
  }

  /// Undoes every change to the tableau since the batch began, bit for bit.
  mutating func restore() {
    for place in 0..<symbols.count where !symbols[place].isBasic || symbols[place].rowBatch == batch {
      symbols.releaseBlock(place)
    }
    while let change = journal.popBasisChange() {
      if change.left >= 0 { symbols[Int(change.left)].flags.insert(.basic) }
      if change.entered >= 0 { symbols[Int(change.entered)].flags.remove(.basic) }
    }
    while let change = journal.popMultiplier() { symbols[Int(change.symbol)].multiplier = change.multiplier }
    while let change = journal.popOrigin() { symbols.setConstant(change.value, of: Int(change.symbol)) }
    while let change = journal.popValue() { symbols[Int(change.symbol)].value = change.value }
    while journal.restoreObjective(in: objective.values.base, stride: objective.stride) {}
    while let row = journal.popRow() {
      guard let cells = row.cells else { continue }
      symbols[row.symbol].block = UnsafeMutableRawPointer(cells)
      symbols[row.symbol].count = row.count
      symbols[row.symbol].capacity = row.count
    }
    for place in 0..<symbols.count {
      symbols[place].flags.remove([.queued, .leaving, .released])
      guard symbols[place].isBasic else { continue }
      for position in 0..<Int(symbols[place].count) { symbols.linkCell(place, at: position) }
    }
  }
}

// MARK: - Rows off their slope

extension Tableau {
  @inline(__always)
  mutating func queueIfOffSlope(_ place: Int) { repairs.add(place, symbols.nodes.base) }

  /// Looks for rows off their slope in all there are.
  mutating func queueAllOffSlope() { repairs.addAll(symbols) }

  func hasRowOffSlope() -> Bool { repairs.hasRowOffSlope(symbols.nodes.base) }

  /// The row to repair next: of those of the highest priority the one furthest off.
  mutating func nextRowOffSlope(smallestPlace: Bool) -> Int? {
    repairs.next(symbols.nodes.base, objective.levels, smallestPlace: smallestPlace)
  }
}

// MARK: - Rows and columns

extension Tableau {
  /// Gives a constraint a row: its terms with every basic symbol replaced by that symbol's row.
  mutating func install(_ place: Int) {
    let source = symbols.sources[place]
    let nodes = symbols.nodes.base
    let sources = symbols.sources.base
    let scratch = scratch.base
    gathered.removeAll()
    var value = -source.constant
    for index in 0..<Int(source.termCount) {
      // A count above zero comes with terms.
      let term = source.terms.unsafelyUnwrapped[index]
      let variable = Int(term.variable)
      let factor = term.coefficient
      value += factor * sources[variable].constant
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
    record(valueOf: place)
    nodes[place].value = value
    nodes[place].rowBatch = batch
    nodes[place].objectiveBatch = batch
    nodes[place].flags.insert(.basic)
    journal.recordBasisChange(left: -1, entered: place)
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
      if abs(coefficient) > Self.negligible { symbols.appendCell(place, symbol, coefficient) }
    }
  }

  @inline(__always)
  private mutating func gather(
    _ symbol: Int32, _ coefficient: Double, into scratch: UnsafeMutablePointer<ScratchSlot>
  ) {
    let entry = scratch + Int(symbol)
    if entry.pointee.seen == 0 {
      entry.pointee.seen = 1
      gathered.append(symbol)
    }
    entry.pointee.value += coefficient
  }

  /// Removes a basic symbol's row from the tableau.
  mutating func removeRow(_ place: Int) {
    record(valueOf: place)
    record(rowOf: place)
    for position in 0..<Int(symbols[place].count) { symbols.unlinkCell(symbols[place].cells[position]) }
    symbols.releaseBlock(place)
    symbols[place].flags.remove([.basic, .leaving])
    journal.recordBasisChange(left: place, entered: -1)
  }

  /// Removes a constraint. One that has a row goes at once. One that holds a column becomes free to move first: a
  /// constraint added in the same batch may want its place, otherwise ``retire(_:)`` finds it one.
  mutating func release(_ place: Int) {
    symbols[place].flags.insert(.released)
    if symbols[place].isBasic {
      dropCost(of: place)
      removeRow(place)
      return
    }
    symbols[place].flags.insert(.leaving)
    symbols[place].level = SymbolNode.required
    symbols[place].lower = 0
    symbols[place].upper = 0
    if objective.isSet(place) { mayImprove = true }
  }

  /// Exchanges a removed constraint's column for that of a variable it held, which stays where it is.
  mutating func retire(_ place: Int) {
    let nodes = symbols.nodes.base
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
      verification.isDue = true
      return
    }
    moveOrigin(of: chosen)
    pivot(leaving: chosen, entering: place, at: chosenPosition, multiplier: 0)
    removeRow(place)
  }

  /// Makes a variable's symbol 0 at its present value, so that it can become nonbasic without moving.
  mutating func moveOrigin(of place: Int) {
    record(valueOf: place)
    let origin = symbols.sources[place].constant
    journal.record(origin: origin, of: place)
    symbols.setConstant(origin + symbols[place].value, of: place)
    symbols[place].value = 0
  }

  /// Removes every cell of a nonbasic symbol.
  mutating func clearColumn(_ place: Int) {
    while symbols[place].count > 0 {
      let entry = symbols[place].entries[Int(symbols[place].count) - 1]
      record(rowOf: Int(entry.row))
      symbols.removeCell(Int(entry.row), at: Int(entry.position))
    }
  }

  /// Changes a constraint's constant in the tableau: a basic one by itself, a nonbasic one by way of its column.
  mutating func move(_ place: Int, by change: Double) {
    verification.moves += 1
    let nodes = symbols.nodes.base
    guard !nodes[place].isBasic else {
      record(valueOf: place)
      nodes[place].value -= change
      return
    }
    guard nodes[place].count > 0 else { return }
    let entries = nodes[place].entries
    for index in 0..<Int(nodes[place].count) {
      let entry = entries[index]
      let row = nodes + Int(entry.row)
      record(valueOf: Int(entry.row))
      row.pointee.value += change * row.pointee.cells[Int(entry.position)].coefficient
    }
  }

  /// The free nonbasic symbol of a row whose column has the fewest cells, so that a pivot on it fills in least; among
  /// equals a removed constraint, then the smallest place. Coefficients below `share` of the largest are passed over.
  func sparsestFreeSymbol(inRowOf place: Int, above share: Double = 0.05) -> (symbol: Int, position: Int)? {
    let nodes = symbols.nodes.base
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

// MARK: - The pivot, and the objective that goes with it

extension Tableau {
  /// Values this near zero are zero.
  static var valueTolerance: Double { RepairQueue.tolerance }
  /// A sum this much smaller than what it was formed from is taken for the zero it would be without rounding.
  static var cancellation: Double { 1e-10 }

  /// A row whose coefficients have grown to this has lost digits. Layouts stay far below it.
  static var risk: Double { 1e3 }

  /// Exchanges `leaving`, which takes the value 0 and gives up its cost, for the symbol of its row's cell at
  /// `position`, which takes on the cost slope `multiplier`.
  mutating func pivot(leaving: Int, entering: Int, at position: Int, multiplier: Int8) {
    verification.pivots += 1
    verification.totalPivots += 1
    record(rowOf: leaving)
    record(valueOf: leaving)
    record(valueOf: entering)
    price(leaving: leaving, entering: entering, at: position, multiplier: multiplier)

    let nodes = symbols.nodes.base
    let cells = nodes[leaving].cells
    let length = Int(nodes[leaving].count)
    let inverse = 1 / cells[position].coefficient
    let value = -nodes[leaving].value * inverse
    exchange(leaving, for: entering, value: value)

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
      record(rowOf: row)
      let cell = nodes[row].cells + Int(entry.position)
      let factor = cell.pointee.coefficient
      cell.pointee.coefficient = factor * inverse
      cell.pointee.symbol = leavingSymbol
      if value != 0 {
        record(valueOf: row)
        nodes[row].value += factor * value
      }
      if length > 1 { addRow(entering, times: factor, to: row, except: leavingSymbol) }
    }
    for index in 0..<length {
      scratch[Int(nodes[entering].cells[index].symbol)] = ScratchSlot()
    }
  }

  /// Makes `entering` basic with a value, in place of `leaving`, which takes the value 0.
  @inline(__always)
  private mutating func exchange(_ leaving: Int, for entering: Int, value: Double) {
    let nodes = symbols.nodes.base
    nodes[entering].value = value
    nodes[leaving].value = 0
    nodes[entering].rowBatch = batch
    nodes[entering].flags.insert(.basic)
    nodes[leaving].flags.remove(.basic)
    recordBasisChange(left: leaving, entered: entering)
  }

  /// Adds a multiple of the row spread out in `scratch` to another row.
  @inline(__always)
  private mutating func addRow(_ source: Int, times factor: Double, to row: Int, except leaving: Int32) {
    let nodes = symbols.nodes.base
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
          symbols.removeCell(row, at: position)
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
      symbols.appendCell(row, cell.symbol, factor * cell.coefficient)
    }
  }

  /// Carries the objective through a pivot. Must run before the row is rewritten.
  @inline(__always)
  mutating func price(leaving: Int, entering: Int, at position: Int, multiplier: Int8) {
    let nodes = symbols.nodes.base
    let values = objective.values.base
    let stride = objective.stride
    let cells = nodes[leaving].cells
    let length = Int(nodes[leaving].count)
    let left = nodes[leaving]
    let inverse = 1 / cells[position].coefficient
    record(objectiveOf: leaving)
    objective.clear(leaving)
    for index in 0..<objective.levels.order.count {
      let slot = Int(objective.levels.order.base[index])
      var step = values[entering * stride + slot]
      if slot == Int(nodes[entering].level) { step += Double(multiplier) }
      guard abs(step) > Objective.tolerance else { continue }
      step *= inverse
      for index in 0..<length where index != position {
        let symbol = Int(cells[index].symbol)
        record(objectiveOf: symbol)
        objective.add(-step * cells[index].coefficient, to: symbol, level: slot)
      }
      values[leaving * stride + slot] = step
    }
    if left.level >= 0 { values[leaving * stride + Int(left.level)] -= Double(left.multiplier) }
    record(objectiveOf: entering)
    objective.clear(entering)
    setMultiplier(leaving, 0)
    setMultiplier(entering, multiplier)
  }

  /// Changes the slope in force for a basic soft constraint and with it the objective along its row.
  mutating func reweigh(_ place: Int, to multiplier: Int8) {
    let node = symbols[place]
    let change = Double(multiplier) - Double(node.multiplier)
    guard change != 0 else { return }
    setMultiplier(place, multiplier)
    for position in 0..<Int(node.count) {
      let cell = node.cells[position]
      record(objectiveOf: Int(cell.symbol))
      objective.add(change * cell.coefficient, to: Int(cell.symbol), level: Int(node.level))
    }
  }

  /// Removes a basic constraint's share from the objective.
  mutating func dropCost(of place: Int) {
    guard symbols[place].multiplier != 0 else { return }
    reweigh(place, to: 0)
    mayImprove = true
  }

  /// Moves a constraint to another priority, or to and from required, where it stands.
  mutating func regrade(_ place: Int, priority: Int16, relation: SolverRelation) {
    if symbols[place].isBasic { dropCost(of: place) }
    grade(place, priority: priority, relation: relation)
    guard symbols[place].isBasic else {
      if improvement(of: place) != nil { mayImprove = true }
      return
    }
    record(valueOf: place)
    guard symbols[place].level >= 0 else { return }
    let value = symbols[place].value
    let slope =
      value > Self.valueTolerance
      ? symbols[place].upper : value < -Self.valueTolerance ? symbols[place].lower : 0
    if slope != 0 {
      reweigh(place, to: slope)
      mayImprove = true
    }
  }

  /// Whether moving a nonbasic symbol off 0 lowers the cost: which way, and at which level (by rank) by how much.
  @inline(__always)
  func improvement(of place: Int) -> (rises: Bool, rank: Int, gain: Double)? {
    objective.improvement(of: place, symbols.nodes.base + place)
  }

  /// Pretends that no nonbasic symbol can gain by moving, so that rows can be repaired first. The true objective comes
  /// back with ``recomputeObjective()``.
  mutating func hideImprovements() {
    for place in 0..<symbols.count where symbols[place].flags.intersection([.alive, .basic]) == .alive {
      guard let found = improvement(of: place) else { continue }
      hideImprovement(of: place, rises: found.rises)
    }
  }

  /// Sets a nonbasic symbol's objective to where moving it that way gains nothing.
  mutating func hideImprovement(of place: Int, rises: Bool) {
    record(objectiveOf: place)
    objective.hideImprovement(of: place, symbols[place], rises: rises)
  }

  /// Computes the objective from the rows and the slopes in force.
  mutating func recomputeObjective() {
    let nodes = symbols.nodes.base
    for place in 0..<symbols.count where nodes[place].flags.intersection([.alive, .basic]) == .alive {
      record(objectiveOf: place)
      objective.clear(place)
    }
    for place in 0..<symbols.count where nodes[place].isBasic && nodes[place].multiplier != 0 {
      let node = nodes[place]
      for position in 0..<Int(node.count) {
        let cell = node.cells[position]
        objective.add(
          Double(node.multiplier) * cell.coefficient, to: Int(cell.symbol), level: Int(node.level))
      }
    }
  }
}
