import Measurement

/// A table in plain text with aligned columns.
public struct TextTable: Sendable {
  /// The side of a column at which its cells begin.
  public enum Alignment: Sendable {
    case left, right
  }

  /// A column's title, and how its cells are aligned.
  public struct Column: Sendable {
    public var title: String
    public var alignment: Alignment

    public init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }
  }

  public var columns: [Column]
  public private(set) var rows: [[String]] = []

  public init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; missing cells are empty. Harmful characters are escaped.
  public mutating func append(_ cells: [String]) {
    let shown = cells.prefix(columns.count).map { EscapedText.make($0) }
    rows.append(shown + Array(repeating: "", count: columns.count - shown.count))
  }

  /// The titles, then the rows: cells two spaces apart, no trailing spaces.
  public func lines(indent: Int = 0) -> [String] {
    let all = [columns.map(\.title)] + rows
    let widths = columns.indices.map { column in all.map { CharacterWidth.columns(of: $0[column]) }.max() ?? 0
    }
    return all.map { cells in
      var line = String(repeating: " ", count: indent)
      for (index, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - CharacterWidth.columns(of: cell))
        line += index > 0 ? "  " : ""
        line += columns[index].alignment == .right ? padding + cell : cell + padding
      }
      return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
  }
}
