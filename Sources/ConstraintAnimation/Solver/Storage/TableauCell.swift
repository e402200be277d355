/// One non-zero of the tableau, kept in the row of its basic symbol: `basic = value + … + coefficient · symbol + …`.
struct TableauCell: BitwiseCopyable {
  var coefficient: Double
  /// The nonbasic symbol multiplied.
  var symbol: Int32
  /// Where the symbol's column points back at this cell.
  var link: Int32
}
