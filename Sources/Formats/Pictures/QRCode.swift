import CQrencode

/// A QR code (ISO/IEC 18004) of a text, as lines for a terminal.
public struct QRCode: Sendable, Equatable {
  /// Modules in a row and in a column, without the margin.
  public let side: Int
  /// Row by row; `true` is dark.
  private let modules: [Bool]

  /// The margin around it, in modules. The standard asks for four; readers on phones take two, which saves lines.
  private static let margin = 2

  /// - Returns: `nil` for a text that is too long for a code.
  public init?(_ text: String) {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    side = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = (0..<side * side).map { data[$0] & 1 == 1 }
  }

  /// Columns that ``halfBlocks`` needs; ``ascii`` needs twice as many.
  public var columns: Int { side + 2 * Self.margin }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    let (row, column) = (row - Self.margin, column - Self.margin)
    guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
    return modules[row * side + column]
  }

  /// Two rows of modules a line. What is light is drawn, for light letters on a dark ground.
  public var halfBlocks: [String] {
    stride(from: 0, to: columns, by: 2).map { row in
      String(
        (0..<columns).map { column -> Character in
          switch (isDark(row, column), row + 1 < columns ? isDark(row + 1, column) : true) {
          case (false, false): "█"
          case (false, true): "▀"
          case (true, false): "▄"
          case (true, true): " "
          }
        })
    }
  }

  /// One row of modules a line, each two characters wide: what is light is `##`, for light letters on a dark ground.
  public var ascii: [String] {
    (0..<columns).map { row in
      (0..<columns).map { isDark(row, $0) ? "  " : "##" }.joined()
    }
  }
}
