/// Views that wait for ``View/layoutSubviews()``, parents before children, so that a layout pass visits these and not
/// the whole tree.
struct LayoutQueue {
  private var viewsByDepth: [[View]] = []

  mutating func insert(_ view: View) {
    var depth = 0
    var ancestor = view.superview
    while let current = ancestor {
      depth += 1
      ancestor = current.superview
    }
    while viewsByDepth.count <= depth { viewsByDepth.append([]) }
    viewsByDepth[depth].append(view)
  }

  var depthCount: Int { viewsByDepth.count }

  /// Takes out the views of one depth.
  mutating func take(depth: Int) -> [View] {
    guard !viewsByDepth[depth].isEmpty else { return [] }
    let views = viewsByDepth[depth]
    viewsByDepth[depth].removeAll(keepingCapacity: true)
    return views
  }

  /// A view that still waits.
  var first: View? {
    for views in viewsByDepth {
      if let view = views.first(where: \.needsLayoutSubviews) { return view }
    }
    return nil
  }
}
