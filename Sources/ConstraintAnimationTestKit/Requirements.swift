import ConstraintAnimation

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
