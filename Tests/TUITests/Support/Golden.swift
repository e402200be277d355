import ConstraintAnimation
import Foundation
import Terminal
import Testing

/// Screens as text files: glyphs, then which style each cell has, then what the styles are. `RECORD_SNAPSHOTS=1` writes
/// them anew.
enum Golden {
  static func expect(
    _ buffer: CellBuffer, named name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(text(of: buffer), named: name, sourceLocation: sourceLocation)
  }

  static func expect(
    _ text: String, named name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = directory.appendingPathComponent("\(name).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      return
    }
    let stored = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    guard stored != text else { return }
    let old = stored.split(separator: "\n", omittingEmptySubsequences: false)
    let new = text.split(separator: "\n", omittingEmptySubsequences: false)
    let differing = (0..<max(old.count, new.count)).filter { line in
      (line < old.count ? old[line] : "") != (line < new.count ? new[line] : "")
    }
    let shown = differing.prefix(6).map { line in
      "\(line + 1)-\(line < old.count ? old[line] : "")\n\(line + 1)+\(line < new.count ? new[line] : "")"
    }
    Issue.record(
      """
      \(name): \(differing.count) lines differ; RECORD_SNAPSHOTS=1 records them anew
      \(shown.joined(separator: "\n"))
      """, sourceLocation: sourceLocation)
  }

  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Snapshots")

  /// The glyphs alone.
  static func rows(of buffer: CellBuffer) -> [String] {
    (0..<buffer.rows).map { y in (0..<buffer.columns).map { buffer[$0, y].text }.joined() }
  }

  static func text(of buffer: CellBuffer) -> String {
    var letters: [CellStyle: Character] = [.plain: " "]
    var legend: [String] = []
    var spare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".makeIterator()
    var plane: [String] = []
    for y in 0..<buffer.rows {
      var row = ""
      for x in 0..<buffer.columns {
        let style = buffer[x, y].style
        if letters[style] == nil {
          let letter = spare.next() ?? "?"
          letters[style] = letter
          legend.append("\(letter) \(description(of: style))")
        }
        row.append(letters[style] ?? "?")
      }
      plane.append(row)
    }
    return ([size(of: buffer)] + rows(of: buffer) + plane + legend).joined(separator: "\n") + "\n"
  }

  private static func size(of buffer: CellBuffer) -> String { "\(buffer.columns)x\(buffer.rows)" }

  private static func description(of style: CellStyle) -> String {
    func name(_ color: Color?) -> String {
      guard let color else { return "-" }
      return [color.red, color.green, color.blue].map { byte in
        String(byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    var words = [name(style.foreground), name(style.background)]
    let attributes: [(CellAttributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"), (.reverse, "reverse"),
    ]
    words += attributes.filter { style.attributes.contains($0.0) }.map(\.1)
    return words.joined(separator: " ")
  }
}
