/// What a running batch has overwritten, so that a refused one can be taken back bit for bit.
///
/// Values, rows and objectives are noted once a batch, before their first change; multipliers, origins and changes of
/// the basis are noted each time and taken back in reverse order. Symbols made by the batch itself need no notes.
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

  var values = Buffer<Value>()
  var rows = Buffer<Row>()
  var cells = Buffer<TableauCell>()
  var objectiveSymbols = Buffer<Int32>()
  var objectives = Buffer<Double>()
  var multipliers = Buffer<Multiplier>()
  var origins = Buffer<Value>()
  var basisChanges = Buffer<BasisChange>()

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

  mutating func note(row symbol: Int32, _ source: UnsafeMutablePointer<TableauCell>, count: Int) {
    rows.append(Row(symbol: symbol, count: Int32(count)))
    cells.reserve(cells.count + count)
    (cells.base + cells.count).update(from: source, count: count)
    cells.count += count
  }

  mutating func note(objective symbol: Int32, _ source: UnsafeMutablePointer<Double>, count: Int) {
    objectiveSymbols.append(symbol)
    objectives.reserve(objectives.count + count)
    (objectives.base + objectives.count).update(from: source, count: count)
    objectives.count += count
  }
}
