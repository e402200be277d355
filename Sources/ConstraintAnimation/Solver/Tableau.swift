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

  private(set) var nodes = Buffer<SymbolNode>()
  private(set) var sources = Buffer<SymbolSource>()
  /// Change of the total cost a unit of each nonbasic symbol brings through the basic ones: `stride` levels a symbol.
  private(set) var objective = Buffer<Double>()
  private(set) var stride = 0
  private(set) var levels = ObjectiveLevels()
  private(set) var scratch = Buffer<ScratchSlot>()
  /// Symbols gathered in `scratch`.
  private var gathered = Buffer<Int32>()
  private(set) var freePlaces = Buffer<Int32>()
  /// Basic symbols that may be off their slope.
  private var offSlope = Buffer<Int32>()

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

  deinit {
    for index in 0..<nodes.count {
      nodes[index].block?.deallocate()
      sources[index].terms?.deallocate()
    }
  }
}

// MARK: - Symbols

extension Tableau {
  /// A place for a symbol, the one given back last if there is one. All tables grow together, here and nowhere else.
  mutating func takePlace(_ flags: SymbolFlags) -> Int {
    if let free = freePlaces.popLast() {
      let place = Int(free)
      nodes[place] = SymbolNode()
      nodes[place].flags = flags
      for slot in 0..<stride { objective[place * stride + slot] = 0 }
      return place
    }
    precondition(nodes.count < Int(Int32.max), "more symbols than a place can number")
    let place = nodes.count
    nodes.append(SymbolNode())
    nodes[place].flags = flags
    sources.append(SymbolSource())
    scratch.append(ScratchSlot())
    let room = nodes.capacity
    journal.reserveValues(room)
    objective.reserve(room * stride)
    objective.fill(to: nodes.count * stride, with: 0)
    return place
  }

  /// Gives a symbol's place back.
  mutating func vacate(_ place: Int) {
    assert(!nodes[place].isBasic)
    nodes[place].block?.deallocate()
    nodes[place] = SymbolNode()
    sources[place].terms?.deallocate()
    sources[place] = SymbolSource()
    freePlaces.append(Int32(place))
  }

  /// The value of a variable.
  @inline(__always)
  func value(of place: Int) -> Double {
    sources.base[place].constant + (nodes.base[place].isBasic ? nodes.base[place].value : 0)
  }

  /// Changes what is asked of a constraint; ``move(_:by:)`` brings the tableau up to it.
  mutating func setConstant(_ constant: Double, of place: Int) { sources[place].constant = constant }

  /// A constraint that was removed before it had a row.
  mutating func markReleased(_ place: Int) { nodes[place].flags.insert(.released) }

  /// Merges terms by variable, drops those that cancel, and counts the mentions.
  mutating func store(_ terms: Span<SolverTerm>, constant: Double, at place: Int) {
    sources[place].constant = constant
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
        sources[Int(variable)].mentions += 1
        count += 1
      }
      sources[place].terms = stored
      sources[place].termCount = Int32(count)
    }
    for index in 0..<gathered.count { scratch[Int(gathered[index])] = ScratchSlot() }
  }

  /// Counts a constraint's mentions of its variables up or down.
  mutating func mention(_ place: Int, by count: Int32) {
    let source = sources[place]
    guard let terms = source.terms else { return }
    for index in 0..<Int(source.termCount) { sources[Int(terms[index].variable)].mentions += count }
  }

  /// Takes a share in the level of a priority. May widen the objective.
  mutating func acquireLevel(_ priority: Int16) {
    let (slot, isNew) = levels.acquire(priority)
    guard isNew else { return }
    if Int(slot) >= stride {
      restride(to: max(2, stride + stride / 2 + 1))
    } else {
      for symbol in 0..<nodes.count { objective[symbol * stride + Int(slot)] = 0 }
    }
  }

  private mutating func restride(to wanted: Int) {
    var wider = Buffer<Double>(capacity: nodes.capacity * wanted)
    wider.fill(to: nodes.count * wanted, with: 0)
    for symbol in 0..<nodes.count {
      for slot in 0..<stride { wider[symbol * wanted + slot] = objective[symbol * stride + slot] }
    }
    objective = wider
    stride = wanted
  }

  mutating func releaseLevel(_ priority: Int16) { levels.release(priority) }

  /// Sets a constraint's costs from its relation and priority.
  mutating func grade(_ place: Int, priority: Int16, relation: SolverRelation) {
    nodes[place].level = priority < 1000 ? levels.slot(of: priority) : SymbolNode.required
    nodes[place].lower = relation == .lessThanOrEqual ? 0 : -1
    nodes[place].upper = relation == .greaterThanOrEqual ? 0 : 1
  }
}

// MARK: - Batches

extension Tableau {
  /// Begins to record changes, so that ``restore()`` can undo them.
  mutating func beginBatch() {
    journal.clear()
    offSlope.removeAll()
    mayImprove = false
    batch &+= 1
    guard batch == 0 else { return }
    for index in 0..<nodes.count {
      nodes[index].valueBatch = 0
      nodes[index].rowBatch = 0
      nodes[index].objectiveBatch = 0
    }
    batch = 1
  }

  /// Call before a symbol's value changes. The list of noted values is also where a solve looks for rows that went off
  /// their slope and for variables that moved.
  @inline(__always)
  mutating func note(valueOf place: Int) {
    let node = nodes.base + place
    guard node.pointee.valueBatch != batch else { return }
    node.pointee.valueBatch = batch
    journal.note(value: node.pointee.value, of: place)
  }

  /// Call before a basic symbol's row changes.
  @inline(__always)
  mutating func note(rowOf place: Int) {
    let node = nodes.base + place
    guard node.pointee.rowBatch != batch else { return }
    node.pointee.rowBatch = batch
    journal.note(
      row: Int32(truncatingIfNeeded: place), node.pointee.count > 0 ? node.pointee.cells : nil,
      count: Int(node.pointee.count))
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
    journal.note(multiplier: old, of: place)
    nodes[place].multiplier = multiplier
  }

  mutating func noteBasisChange(left: Int, entered: Int) {
    journal.noteBasisChange(left: left, entered: entered)
  }

  /// Undoes every change to the tableau since the batch began, bit for bit.
  mutating func restore() {
    for place in 0..<nodes.count where !nodes[place].isBasic || nodes[place].rowBatch == batch {
      releaseBlock(place)
    }
    while let change = journal.popBasisChange() {
      if change.left >= 0 { nodes[Int(change.left)].flags.insert(.basic) }
      if change.entered >= 0 { nodes[Int(change.entered)].flags.remove(.basic) }
    }
    while let change = journal.popMultiplier() { nodes[Int(change.symbol)].multiplier = change.multiplier }
    while let change = journal.popOrigin() { sources[Int(change.symbol)].constant = change.value }
    while let change = journal.popValue() { nodes[Int(change.symbol)].value = change.value }
    while journal.restoreObjective(in: objective.base, stride: stride) {}
    while let row = journal.popRow() {
      guard let cells = row.cells else { continue }
      nodes[row.symbol].block = UnsafeMutableRawPointer(cells)
      nodes[row.symbol].count = row.count
      nodes[row.symbol].capacity = row.count
    }
    for place in 0..<nodes.count {
      nodes[place].flags.remove([.queued, .leaving, .released])
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

// MARK: - Rows off their slope

extension Tableau {
  @inline(__always)
  mutating func queueIfOffSlope(_ place: Int) {
    let node = nodes.base + place
    guard node.pointee.isOffSlope(tolerance: Self.valueTolerance),
      node.pointee.flags.intersection([.basic, .queued]) == .basic
    else { return }
    node.pointee.flags.insert(.queued)
    offSlope.append(Int32(truncatingIfNeeded: place))
  }

  /// Looks for rows off their slope in all there are.
  mutating func queueAllOffSlope() {
    offSlope.removeAll()
    for place in 0..<nodes.count {
      nodes[place].flags.remove(.queued)
      queueIfOffSlope(place)
    }
  }

  func hasRowOffSlope() -> Bool {
    for index in 0..<offSlope.count {
      let node = nodes[Int(offSlope[index])]
      if node.isBasic && node.isOffSlope(tolerance: Self.valueTolerance) { return true }
    }
    return false
  }

  /// The row to repair next: of those of the highest priority the one furthest off.
  mutating func nextRowOffSlope(smallestPlace: Bool) -> Int? {
    let nodes = nodes.base
    var chosen = -1
    var chosenRank = Int16.max
    var chosenValue = 0.0
    var index = 0
    while index < offSlope.count {
      let place = Int(offSlope.base[index])
      let node = nodes + place
      guard node.pointee.isBasic, node.pointee.isOffSlope(tolerance: Self.valueTolerance) else {
        node.pointee.flags.remove(.queued)
        offSlope.count -= 1
        offSlope.base[index] = offSlope.base[offSlope.count]
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

// MARK: - Cells

extension Tableau {
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
}

// MARK: - Rows and columns

extension Tableau {
  /// Gives a constraint a row: its terms with every basic symbol replaced by that symbol's row.
  mutating func install(_ place: Int) {
    let source = sources[place]
    let nodes = nodes.base
    let sources = sources.base
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
    note(valueOf: place)
    nodes[place].value = value
    nodes[place].rowBatch = batch
    nodes[place].objectiveBatch = batch
    nodes[place].flags.insert(.basic)
    journal.noteBasisChange(left: -1, entered: place)
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
    let entry = scratch + Int(symbol)
    if entry.pointee.seen == 0 {
      entry.pointee.seen = 1
      gathered.append(symbol)
    }
    entry.pointee.value += coefficient
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
    journal.noteBasisChange(left: place, entered: -1)
  }

  /// Removes a constraint. One that has a row goes at once. One that holds a column becomes free to move first: a
  /// constraint added in the same batch may want its place, otherwise ``retire(_:)`` finds it one.
  mutating func release(_ place: Int) {
    nodes[place].flags.insert(.released)
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
      verification.isDue = true
      return
    }
    moveOrigin(of: chosen)
    pivot(leaving: chosen, entering: place, at: chosenPosition, multiplier: 0)
    takeOut(place)
  }

  /// Makes a variable's symbol 0 at its present value, so that it can become nonbasic without moving.
  mutating func moveOrigin(of place: Int) {
    note(valueOf: place)
    journal.note(origin: sources[place].constant, of: place)
    sources[place].constant += nodes[place].value
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
    verification.moves += 1
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

/// The pivot, and the objective that goes with it.
///
/// A nonbasic symbol rests at 0 with the slopes `lower` to the left and `upper` to the right, so it is at its
/// best there when its objective lies between `-upper` and `-lower` at its level, compared level by level.
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
