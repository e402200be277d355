import ConstraintAnimation
import Measurement
import Terminal

/// A left-aligned and a right-aligned group of items; items that do not fit are shortened or left out by priority.
struct FittedLine: Sendable {
  let left: [TextSpan]
  let right: [TextSpan]
  let leftColumns: Int
  let rightColumns: Int

  /// - Parameters:
  ///   - gap: columns between two items of a group.
  ///   - middle: columns between the groups, at least.
  init(left: [LineItem], right: [LineItem], width: Int, gap: Int, middle: Int) {
    var left = left
    var right = right
    func total(_ items: [LineItem]) -> Int {
      items.indices.reduce(0) { $0 + items[$1].columns + Self.gap(before: $1, in: items, gap) }
    }
    /// Shortens or removes an item.
    func yield(in items: inout [LineItem], at index: Int, isLast: Bool) -> Bool {
      if let short = items[index].shortened {
        items[index] = short
        return true
      }
      if !isLast { items.remove(at: index) }
      return !isLast
    }
    while total(left) + total(right) + (left.isEmpty || right.isEmpty ? 0 : middle) > width {
      let lowest = right.reduce(left.reduce(.max) { min($0, $1.priority) }) { min($0, $1.priority) }
      let isLast = left.count + right.count == 1
      if let index = left.lastIndex(where: { $0.priority == lowest }) {
        if !yield(in: &left, at: index, isLast: isLast) { break }
      } else if let index = right.lastIndex(where: { $0.priority == lowest }) {
        if !yield(in: &right, at: index, isLast: isLast) { break }
      } else {
        break
      }
    }
    self.left = Self.joined(left, gap: gap)
    self.right = Self.joined(right, gap: gap)
    leftColumns = total(left)
    rightColumns = total(right)
  }

  private static func joined(_ items: [LineItem], gap: Int) -> [TextSpan] {
    var spans: [TextSpan] = []
    for place in items.indices {
      let columns = Self.gap(before: place, in: items, gap)
      if columns > 0 { spans.append(TextSpan(String(repeating: " ", count: columns), .plain)) }
      spans += items[place].spans
    }
    return spans
  }

  private static func gap(before place: Int, in items: [LineItem], _ gap: Int) -> Int {
    guard place > 0 else { return 0 }
    return items[place].isTight && items[place - 1].isTight ? min(1, gap) : gap
  }
}

/// A part of a line that may be shortened or left out.
struct LineItem: Sendable {
  /// Shorter text, and its priority.
  struct Short: Sendable {
    var priority: Int
    var spans: [TextSpan]
    /// One column is enough between it and another one.
    var isTight = false
  }

  /// The lowest is left out first.
  var priority: Int
  var spans: [TextSpan] { didSet { columns = TextSpan.columns(of: spans) } }
  private(set) var columns: Int
  /// `nil` when there is no shorter text.
  var short: Short?
  /// Taken where that is too long as well.
  var shortest: Short?
  /// Taken one after the other where all of these are too long.
  var further: [Short] = []
  fileprivate var isTight = false

  init(priority: Int, _ spans: [TextSpan], short: Short? = nil, shortest: Short? = nil) {
    self.priority = priority
    self.spans = spans
    columns = TextSpan.columns(of: spans)
    self.short = short
    self.shortest = shortest
  }

  /// The shorter item; `nil` when there is none.
  var shortened: LineItem? {
    let shorter = [short, shortest].compactMap { $0 } + further
    return shorter.first.map { short in
      var item = LineItem(priority: short.priority, short.spans)
      item.isTight = short.isTight
      item.further = Array(shorter.dropFirst())
      return item
    }
  }
}

/// Text in one style. It may be untrusted; it reaches a terminal only through `CellCanvas.write` or `CellText`.
struct TextSpan: Sendable, Hashable {
  var text: String
  var style: CellStyle

  init(_ text: String, _ style: CellStyle) {
    self.text = text
    self.style = style
  }

  var columns: Int { CellText.columns(of: text) }

  static func columns(of spans: [TextSpan]) -> Int { spans.reduce(0) { $0 + $1.columns } }

  /// Writes spans in sequence, clipped at column `end`.
  static func write(_ spans: [TextSpan], on canvas: any CellCanvas, x: Int, y: Int, end: Int) {
    let clip = canvas.clip
    defer { canvas.clip = clip }
    var limited = clip
    limited.x1 = max(limited.x0, min(limited.x1, end))
    canvas.clip = limited
    var column = x
    for span in spans where column < end {
      column += canvas.write(span.text, x: column, y: y, style: span.style)
    }
  }
}

/// Texts cut to a number of columns.
enum FittedText {
  /// The text, or its beginning with an ellipsis.
  static func truncated(_ text: String, columns: Int, ellipsis: String) -> String {
    guard CellText.columns(of: text) > columns else { return text }
    let room = columns - CellText.columns(of: ellipsis)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let width = CellText.columns(of: String(character))
      if used + width > room { break }
      result.append(character)
      used += width
    }
    return result + ellipsis
  }

  /// Lines of at most `columns`, wrapped at spaces, but not between a number and its unit; longer words are split.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    WrappedText.lines(text, first: columns, rest: columns, measure: CellText.columns) { word in
      truncated(word, columns: columns, ellipsis: "")
    }
  }

  /// Right-aligned in a width.
  static func padded(_ text: String, columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - CellText.columns(of: text))) + text
  }

  /// Left-aligned in a width, or truncated.
  static func field(_ text: String, columns: Int, ellipsis: String) -> String {
    let cut = truncated(text, columns: columns, ellipsis: ellipsis)
    return cut + String(repeating: " ", count: max(0, columns - CellText.columns(of: cut)))
  }
}
