import ConstraintAnimation

/// The tree of a window as text, one line a view: what layouts are compared by.
public enum LayoutDescription {
  /// `root 0,0 80×24`, children indented. Hidden views are marked.
  public static func of(_ view: View) -> String {
    var lines: [String] = []
    describe(view, depth: 0, into: &lines)
    return lines.joined(separator: "\n")
  }

  /// Line by line what differs: `-` expected, `+` found; nil when the two are equal.
  public static func difference(expected: String, found: String) -> String? {
    guard expected != found else { return nil }
    let old = lines(of: expected)
    let new = lines(of: found)
    var output: [String] = []
    var (i, j) = (0, 0)
    let common = commonLengths(old, new)
    while i < old.count || j < new.count {
      if i < old.count, j < new.count, old[i] == new[j] {
        output.append("  " + old[i])
        i += 1
        j += 1
      } else if j >= new.count || (i < old.count && common[i + 1][j] >= common[i][j + 1]) {
        output.append("- " + old[i])
        i += 1
      } else {
        output.append("+ " + new[j])
        j += 1
      }
    }
    return output.joined(separator: "\n")
  }

  private static func describe(_ view: View, depth: Int, into lines: inout [String]) {
    let cells = view.cellFrame
    let name = view.identifier ?? "\(type(of: view))"
    let hidden = view.isHidden ? " hidden" : ""
    lines.append(
      String(repeating: "  ", count: depth)
        + "\(name) \(cells.x0),\(cells.y0) \(cells.width)×\(cells.height)\(hidden)")
    for subview in view.subviews { describe(subview, depth: depth + 1, into: &lines) }
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Longest common subsequence lengths from each pair of places on.
  private static func commonLengths(_ old: [String], _ new: [String]) -> [[Int]] {
    var table = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
    for i in old.indices.reversed() {
      for j in new.indices.reversed() {
        table[i][j] = old[i] == new[j] ? table[i + 1][j + 1] + 1 : max(table[i + 1][j], table[i][j + 1])
      }
    }
    return table
  }
}
