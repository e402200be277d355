/// What a running batch has overwritten, so that a refused batch can be undone bit for bit.
///
/// Values, rows and objectives are recorded once per batch, before their first change; multipliers, origins
/// and changes of the basis each time, and undone in reverse order. Symbols made by the batch itself need no
/// record.
struct Journal: ~Copyable {
  struct Value: BitwiseCopyable {
    var symbol: Int32
    var value: Double
  }

  struct Row: BitwiseCopyable {
    var symbol: Int32
    var count: Int32
  }

  struct Multiplier: BitwiseCopyable {
    var symbol: Int32
    var multiplier: Int8
  }

  /// A pivot, a row taken out (`entered` is -1) or a row put in (`left` is -1).
  struct BasisChange: BitwiseCopyable {
    var left: Int32
    var entered: Int32
  }

  private(set) var values = Buffer<Value>()
  private(set) var rows = Buffer<Row>()
  private(set) var cells = Buffer<TableauCell>()
  private(set) var objectiveSymbols = Buffer<Int32>()
  private(set) var objectives = Buffer<Double>()
  private(set) var multipliers = Buffer<Multiplier>()
  private(set) var origins = Buffer<Value>()
  private(set) var basisChanges = Buffer<BasisChange>()

  mutating func clear() {
    values.removeAll()
    rows.removeAll()
    cells.removeAll()
    objectiveSymbols.removeAll()
    objectives.removeAll()
    multipliers.removeAll()
    origins.removeAll()
    basisChanges.removeAll()
  }

  mutating func reserveValues(_ count: Int) { values.reserve(count) }

  @inline(__always)
  mutating func record(value: Double, of symbol: Int) {
    values.append(Value(symbol: Int32(truncatingIfNeeded: symbol), value: value))
  }

  mutating func record(origin: Double, of symbol: Int) {
    origins.append(Value(symbol: Int32(symbol), value: origin))
  }

  mutating func record(multiplier: Int8, of symbol: Int) {
    multipliers.append(Multiplier(symbol: Int32(symbol), multiplier: multiplier))
  }

  mutating func recordBasisChange(left: Int, entered: Int) {
    basisChanges.append(BasisChange(left: Int32(left), entered: Int32(entered)))
  }

  mutating func record(row symbol: Int32, _ source: UnsafeMutablePointer<TableauCell>?, count: Int) {
    rows.append(Row(symbol: symbol, count: Int32(count)))
    guard let source else { return }
    cells.reserve(cells.count + count)
    (cells.base + cells.count).update(from: source, count: count)
    cells.count += count
  }

  mutating func record(objective symbol: Int32, _ source: UnsafeMutablePointer<Double>, count: Int) {
    objectiveSymbols.append(symbol)
    objectives.reserve(objectives.count + count)
    (objectives.base + objectives.count).update(from: source, count: count)
    objectives.count += count
  }

  mutating func popValue() -> Value? { values.popLast() }
  mutating func popOrigin() -> Value? { origins.popLast() }
  mutating func popMultiplier() -> Multiplier? { multipliers.popLast() }
  mutating func popBasisChange() -> BasisChange? { basisChanges.popLast() }

  /// Copies the objective noted last back to its place in `objective`.
  /// - Returns: false when none is left.
  mutating func restoreObjective(in objective: UnsafeMutablePointer<Double>, stride: Int) -> Bool {
    guard let symbol = objectiveSymbols.popLast() else { return false }
    objectives.count -= stride
    (objective + Int(symbol) * stride).update(from: objectives.base + objectives.count, count: stride)
    return true
  }

  /// The row noted last, in memory of its own that the caller frees; nil cells for an empty one.
  mutating func popRow() -> (symbol: Int, cells: UnsafeMutablePointer<TableauCell>?, count: Int32)? {
    guard let row = rows.popLast() else { return nil }
    let count = Int(row.count)
    cells.count -= count
    guard count > 0 else { return (Int(row.symbol), nil, 0) }
    let copy = UnsafeMutablePointer<TableauCell>.allocate(capacity: count)
    copy.initialize(from: cells.base + cells.count, count: count)
    return (Int(row.symbol), copy, row.count)
  }
}

/// A growable run of plain values that owns its memory.
///
/// An `Array` would check for uniqueness and exclusivity on each access; the owner of a buffer is a noncopyable
/// struct, so both hold by construction and the pointer can be used directly. Memory is kept until the buffer dies,
/// so that a solve that needs no more memory than an earlier one allocates nothing.
struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  var count = 0

  init(capacity: Int = 8) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  init(repeating element: Element, count: Int) {
    self.init(capacity: max(count, 1))
    fill(to: count, with: element)
  }

  deinit { base.deallocate() }

  var isEmpty: Bool { count == 0 }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return base[index]
    }
    @inline(__always) set {
      assert(index >= 0 && index < count)
      base[index] = newValue
    }
  }

  /// Reserves memory for `wanted` elements altogether, half as many again as now at the least.
  mutating func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let larger = Swift.max(wanted, capacity + capacity / 2)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    grown.update(from: base, count: count)
    base.deallocate()
    base = grown
    capacity = larger
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { reserve(count + 1) }
    base[count] = element
    count += 1
  }

  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return base[count]
  }

  /// Appends copies of `element` until there are `wanted`.
  mutating func fill(to wanted: Int, with element: Element) {
    reserve(wanted)
    while count < wanted {
      base[count] = element
      count += 1
    }
  }

  mutating func removeAll() { count = 0 }
}
