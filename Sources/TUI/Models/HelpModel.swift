import ConstraintAnimation

/// The help: all keys, from the key table.
struct HelpModel {
  let keys: KeyTable
  let appearance: Appearance
  /// The first visible line, where not all fit.
  let firstLine: Int

  private struct Line {
    let keys: String
    let text: String
    let isHeading: Bool
  }

  /// Preferred columns and rows, including the frame, in a terminal of this size. The first and the last row stay visible.
  func size(fitting width: Int, _ height: Int) -> (width: Int, height: Int) {
    let count = columnCount(width, height)
    return (min(width, count * columnWidth + 3), min(height - 2, lineCount(count) + Self.margin))
  }

  /// The largest scroll offset in a terminal of this size.
  func mostScroll(fitting width: Int, _ height: Int) -> Int {
    max(0, lineCount(columnCount(width, height)) + Self.margin - (height - 2))
  }

  /// Lines in view in a sheet of this height.
  static func room(height: Int) -> Int { max(1, height - margin) }

  /// Frame and a blank line at the top.
  private static let margin = 3

  private var groups: [[Line]] {
    let room = keyColumns - 2
    return KeyBinding.Group.allCases.compactMap { group in
      let lines = keys.lines.filter { $0.group == group }
      guard !lines.isEmpty else { return nil }
      return [Line(keys: group.rawValue, text: "", isHeading: true)]
        + lines.map {
          Line(
            keys: $0.allKeys(isPlain: appearance.isASCII, columns: room), text: $0.text, isHeading: false)
        }
    }
  }

  /// The width of the first keys of all commands; further ones are shown where they fit in.
  private var keyColumns: Int {
    (keys.lines.map { (appearance.isASCII ? $0.plainKeys : $0.keys).count }.max() ?? 0) + 2
  }

  private var columnWidth: Int { keyColumns + (groups.joined().map(\.text.count).max() ?? 0) + 1 }

  /// The number of columns that makes it fit the height, where the width has room for them.
  private func columnCount(_ width: Int, _ height: Int) -> Int {
    let most = max(1, (width - 3) / columnWidth)
    return (1...min(3, most)).first { lineCount($0) + Self.margin <= height - 2 } ?? min(3, most)
  }

  private func lineCount(_ columns: Int) -> Int { arranged(columns).map(\.count).max() ?? 0 }

  /// Groups in columns, with a blank line between two; a group is never split.
  private func arranged(_ count: Int) -> [[Line?]] {
    let all = groups
    let total = all.reduce(0) { $0 + $1.count + 1 }
    var columns: [[Line?]] = [[]]
    for group in all {
      let height = columns[columns.count - 1].count
      if columns.count < count, height > 0, height + group.count / 2 >= total / count { columns.append([]) }
      let last = columns.count - 1
      if !columns[last].isEmpty { columns[last].append(nil) }
      columns[last] += group
    }
    return columns
  }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    let columns = arranged(min(3, max(1, (width - 3) / columnWidth)))
    let room = max(0, height - Self.margin)
    let hidden = max(0, (columns.map(\.count).max() ?? 0) - room)
    let first = min(max(firstLine, 0), hidden)
    SheetFrame(
      title: [TextSpan("keys", appearance(.strong))], hint: hint(hasMore: hidden > 0), appearance: appearance
    ).draw(&picture)
    for (index, column) in columns.enumerated() {
      for (row, line) in column.dropFirst(first).prefix(room).enumerated() {
        guard let line else { continue }
        draw(
          line, x: 2 + index * columnWidth, y: row + 2, end: min(width - 1, 1 + (index + 1) * columnWidth),
          &picture)
      }
    }
    return picture
  }

  /// Says that there are more lines.
  private func hint(hasMore: Bool) -> [TextSpan] {
    let arrows = appearance.isASCII ? "Up Down" : "↑ ↓"
    return (hasMore ? [TextSpan("\(arrows) for more  ", appearance(.warning))] : [])
      + [TextSpan("Esc", appearance(.key)), TextSpan(" closes", appearance(.secondary))]
  }

  private func draw(_ line: Line, x: Int, y: Int, end: Int, _ picture: inout CellPicture) {
    if line.isHeading {
      picture.put(line.keys, x: x, y: y, style: appearance(.accent))
      return
    }
    picture.put(line.keys, x: x, y: y, style: appearance(.key))
    let start = x + keyColumns
    let text = FittedText.truncated(line.text, columns: end - start, ellipsis: appearance.glyphs.ellipsis)
    picture.put(text, x: start, y: y, style: appearance(.text))
  }
}
