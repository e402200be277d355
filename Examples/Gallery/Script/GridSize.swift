/// Columns and rows, as `80x24`.
struct GridSize: Equatable {
  let columns: Int
  let rows: Int

  /// 1 to 1000 each; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]),
      (1...1000).contains(columns), (1...1000).contains(rows)
    else { return nil }
    self.columns = columns
    self.rows = rows
  }
}
