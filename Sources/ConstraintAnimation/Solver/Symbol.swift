/// The part of a symbol that each step of the search touches; a cache line holds it whole.
///
/// A symbol is a variable or the slack of a constraint (its left side minus its constant). A basic symbol owns a row
/// of ``TableauCell``, a nonbasic one a column of ``ColumnEntry``; a pivot exchanges the two blocks.
///
/// A slack costs nothing at 0. Off 0 it costs `upper` per unit above and `-lower` per unit below, at its level. For a
/// required constraint (`level` is `required`) a bound other than 0 stands for a cost without limit, and for a free
/// symbol, such as a variable, both bounds are 0.
struct SymbolNode: BitwiseCopyable {
  static let required: Int16 = -1

  var block: UnsafeMutableRawPointer?
  var count: Int32 = 0
  var capacity: Int32 = 0
  /// The value of a basic symbol; a nonbasic symbol is 0.
  var value = 0.0
  /// The place of the symbol's priority among the objective's levels.
  var level = SymbolNode.required
  var lower: Int8 = 0
  var upper: Int8 = 0
  /// The slope in force for a basic symbol: `lower`, `upper`, or 0 while it has not been weighed yet.
  var multiplier: Int8 = 0
  var flags: SymbolFlags = []
  /// The batch that last noted the value, the row and the objective for taking back.
  var valueBatch: UInt32 = 0
  var rowBatch: UInt32 = 0
  var objectiveBatch: UInt32 = 0

  var cells: UnsafeMutablePointer<TableauCell> {
    // Only rows are asked for cells, and a row's block was allocated as cells.
    @inline(__always) get { block.unsafelyUnwrapped.assumingMemoryBound(to: TableauCell.self) }
  }

  var entries: UnsafeMutablePointer<ColumnEntry> {
    // Only columns are asked for entries, and a column's block was allocated as entries.
    @inline(__always) get { block.unsafelyUnwrapped.assumingMemoryBound(to: ColumnEntry.self) }
  }

  var isBasic: Bool { @inline(__always) get { flags.contains(.basic) } }

  /// A bound that may not be passed at all, because the constraint is required.
  var isRequired: Bool { @inline(__always) get { level < 0 } }

  /// May take any value at no cost.
  var isFree: Bool { @inline(__always) get { lower == 0 && upper == 0 } }

  /// The value lies on a side whose slope is not the one in force.
  @inline(__always)
  func isOffSlope(tolerance: Double) -> Bool {
    (value > tolerance && multiplier != upper) || (value < -tolerance && multiplier != lower)
  }
}

/// What a symbol is and where it stands.
struct SymbolFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt8

  /// The place is in use; without this flag it lies on the free list.
  static let alive = SymbolFlags(rawValue: 1)
  static let variable = SymbolFlags(rawValue: 2)
  /// Owns a row; without it an alive symbol owns a column, which may be empty.
  static let basic = SymbolFlags(rawValue: 4)
  /// Waits in the list of rows off their slope.
  static let queued = SymbolFlags(rawValue: 8)
  /// A constraint taken out by the running batch whose column is still in the tableau.
  static let leaving = SymbolFlags(rawValue: 16)
  /// A constraint that the running batch has removed.
  static let released = SymbolFlags(rawValue: 32)
}

/// A symbol as the caller gave it: where the tableau can be made afresh from.
struct SymbolSource: BitwiseCopyable {
  /// A constraint's terms, merged by variable.
  var terms: UnsafeMutablePointer<StoredTerm>?
  var termCount: Int32 = 0
  /// How many constraints mention a variable.
  var mentions: Int32 = 0
  /// A constraint's constant; a variable's value where its symbol is 0.
  var constant = 0.0
}

/// A variable's place and its factor.
struct StoredTerm: BitwiseCopyable {
  var coefficient: Double
  var variable: Int32
}

/// One non-zero of the tableau, kept in the row of its basic symbol: `basic = value + … + coefficient · symbol + …`.
struct TableauCell: BitwiseCopyable {
  var coefficient: Double
  /// The nonbasic symbol multiplied.
  var symbol: Int32
  /// Where the symbol's column points back at this cell.
  var link: Int32
}

/// One non-zero of the tableau seen from the column of its nonbasic symbol: where to find the cell without a search.
struct ColumnEntry: BitwiseCopyable {
  /// The basic symbol whose row holds the cell.
  var row: Int32
  /// The cell's place in that row.
  var position: Int32
}
