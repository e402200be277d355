/// How rows are written.
public enum RecordFormat: String, Sendable, Hashable, CaseIterable {
  /// RFC 4180: a header row, CRLF, quotes only where needed. Text that acts on a terminal or in a spreadsheet is made
  /// harmless, so a field may differ from what was stored; a field never holds a line break.
  case csv
  /// JSON Lines: an object a row with all keys in column order, absent values `null`. Text is exactly what was stored,
  /// escaped to be harmless as it stands.
  case jsonl
}
