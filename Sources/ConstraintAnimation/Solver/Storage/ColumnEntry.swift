/// One non-zero of the tableau seen from the column of its nonbasic symbol: where to find the cell without a search.
struct ColumnEntry: BitwiseCopyable {
  /// The basic symbol whose row holds the cell.
  var row: Int32
  /// The cell's place in that row.
  var position: Int32
}
