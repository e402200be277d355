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

/// A layout or a drawing that is not what was expected. Its description is the difference, line by line: `-` expected,
/// `+` found. Thrown from a test it is the failure's message, in any test framework.
public struct Mismatch: Error, CustomStringConvertible, Sendable, Hashable {
  public let title: String
  public let difference: String

  public init(title: String, difference: String) {
    self.title = title
    self.difference = difference
  }

  public var description: String { "\(title) (- expected, + found)\n\(difference)" }
}

/// Throws unless the tree below `view` is laid out as `expected` says, in the format of ``LayoutDescription``.
public func requireLayout(of view: View, _ expected: String) throws(Mismatch) {
  let found = LayoutDescription.of(view)
  if let difference = LayoutDescription.difference(expected: expected, found: found) {
    throw Mismatch(title: "the layout differs", difference: difference)
  }
}

/// Throws unless the canvas shows `expected`, one line a row.
public func requireText(on canvas: TextCanvas, _ expected: String) throws(Mismatch) {
  if let difference = LayoutDescription.difference(expected: expected, found: canvas.text) {
    throw Mismatch(title: "the drawing differs", difference: difference)
  }
}

/// Throws unless, on every recorded frame on which both show, `left` ends in the column in which `right` begins.
public func requireGlued(_ left: View, _ right: View, in recorder: FrameRecorder) throws(Mismatch) {
  for snapshot in recorder.snapshots {
    guard let one = snapshot.frames[left.id], let other = snapshot.frames[right.id] else { continue }
    if one.x1 != other.x0 {
      throw Mismatch(
        title: "apart at \(snapshot.time.nanoseconds) ns",
        difference: "- one edge at \(one.x1)\n+ the other at \(other.x0)")
    }
  }
}
