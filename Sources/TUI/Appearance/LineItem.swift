import ConstraintAnimation
import Terminal

/// A piece of a one-line display that may be left out when there is no room.
struct LineItem: Sendable {
  /// The lowest goes first.
  var priority: Int
  var spans: [TextSpan]

  init(priority: Int, _ spans: [TextSpan]) {
    self.priority = priority
    self.spans = spans
  }

  var columns: Int { TextSpan.columns(of: spans) }
}

/// Two groups of items, one from the left and one to the right, with what there is no room for left out.
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
      items.reduce(0) { $0 + $1.columns } + max(0, items.count - 1) * gap
    }
    while total(left) + total(right) + (left.isEmpty || right.isEmpty ? 0 : middle) > width {
      let lowest = (left + right).map(\.priority).min()
      if let index = left.lastIndex(where: { $0.priority == lowest }), left.count + right.count > 1 {
        left.remove(at: index)
      } else if let index = right.lastIndex(where: { $0.priority == lowest }), left.count + right.count > 1 {
        right.remove(at: index)
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
    let space = TextSpan(String(repeating: " ", count: gap), .plain)
    return Array(items.map(\.spans).joined(separator: [space]))
  }
}

/// Texts cut to a number of columns.
enum FittedText {
  /// The text, or as much of its start as fits with an ellipsis behind it.
  static func truncated(_ text: String, columns: Int, ellipsis: String) -> String {
    guard VisibleText.columns(of: text) > columns else { return text }
    let room = columns - VisibleText.columns(of: ellipsis)
    guard room >= 0 else { return "" }
    var result = ""
    var used = 0
    for character in text {
      let width = VisibleText.columns(of: String(character))
      if used + width > room { break }
      result.append(character)
      used += width
    }
    return result + ellipsis
  }

  /// Spaces in front up to a width: for numbers that must not move.
  static func padded(_ text: String, columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - VisibleText.columns(of: text))) + text
  }

  /// Spaces behind, or cut.
  static func field(_ text: String, columns: Int, ellipsis: String) -> String {
    let cut = truncated(text, columns: columns, ellipsis: ellipsis)
    return cut + String(repeating: " ", count: max(0, columns - VisibleText.columns(of: cut)))
  }
}
