import Measurement

/// A table in plain text with aligned columns.
public struct TextTable: Sendable {
  public enum Alignment: Sendable {
    case left, right
  }

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
    let widths = columns.indices.map { column in all.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
    return all.map { cells in
      var line = String(repeating: " ", count: indent)
      for (index, cell) in cells.enumerated() {
        let padding = String(repeating: " ", count: widths[index] - DisplayWidth.of(cell))
        line += index > 0 ? "  " : ""
        line += columns[index].alignment == .right ? padding + cell : cell + padding
      }
      return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
  }
}

/// Approximate width of a text in terminal cells, for aligning tables: marks take none, East Asian wide characters and emoji
/// two (Unicode Standard Annex 11).
public enum DisplayWidth {
  public static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
  }

  static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
      0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
