/// The symbols of a tableau, with the cells of their rows and columns.
///
/// It owns their memory. Links between rows and columns are set here and nowhere else: a cell knows its place in its column,
/// and a column's entry its cell.
struct SymbolTable: ~Copyable {
  private(set) var nodes = Buffer<SymbolNode>()
  private(set) var sources = Buffer<SymbolSource>()
  private(set) var freePlaces = Buffer<Int32>()

  init() {}

  deinit {
    for index in 0..<nodes.count {
      nodes[index].block?.deallocate()
      sources[index].terms?.deallocate()
    }
  }

  /// All places, vacant ones included.
  var count: Int { @inline(__always) get { nodes.count } }

  subscript(place: Int) -> SymbolNode {
    @inline(__always) get { nodes[place] }
    @inline(__always) set { nodes[place] = newValue }
  }

  /// A place for a symbol, the one given back last if there is one.
  mutating func allocatePlace(_ flags: SymbolFlags) -> (place: Int, isNew: Bool) {
    if let free = freePlaces.popLast() {
      let place = Int(free)
      nodes[place] = SymbolNode()
      nodes[place].flags = flags
      return (place, false)
    }
    precondition(nodes.count < Int(Int32.max), "more symbols than a place can number")
    let place = nodes.count
    nodes.append(SymbolNode())
    nodes[place].flags = flags
    sources.append(SymbolSource())
    return (place, true)
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

  mutating func setConstant(_ constant: Double, of place: Int) { sources[place].constant = constant }

  /// Keeps a constraint's terms, `count` of them, which the caller has allocated.
  mutating func setTerms(_ terms: UnsafeMutablePointer<StoredTerm>, count: Int, of place: Int) {
    sources[place].terms = terms
    sources[place].termCount = Int32(count)
    mention(place, by: 1)
  }

  /// Counts a constraint's mentions of its variables up or down.
  mutating func mention(_ place: Int, by count: Int32) {
    let source = sources[place]
    guard let terms = source.terms else { return }
    for index in 0..<Int(source.termCount) { sources[Int(terms[index].variable)].mentions += count }
  }
}

// MARK: - Cells

extension SymbolTable {
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

  private mutating func growRow(_ row: Int, to wanted: Int) {
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

  /// Removes a cell from its symbol's column; the last entry moves into its place.
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

  /// Removes a cell from its row and column; the row's last cell moves into its place.
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

  /// Gives back the memory of a row or column.
  mutating func releaseBlock(_ place: Int) {
    nodes[place].block?.deallocate()
    nodes[place].block = nil
    nodes[place].count = 0
    nodes[place].capacity = 0
  }
}
