/// What a symbol is and where it stands.
struct SymbolFlags: OptionSet, BitwiseCopyable {
  let rawValue: UInt8

  /// In use; without it the place lies on the free list.
  static let alive = SymbolFlags(rawValue: 1)
  static let variable = SymbolFlags(rawValue: 2)
  /// Owns a row; without it an alive symbol owns a column, which may be empty.
  static let basic = SymbolFlags(rawValue: 4)
  /// Waits in the list of rows off their slope.
  static let queued = SymbolFlags(rawValue: 8)
  /// A constraint taken out by the running batch whose column is still in the tableau.
  static let leaving = SymbolFlags(rawValue: 16)
}
