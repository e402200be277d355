import ConstraintAnimationTestKit
import Testing

@testable import ConstraintAnimation

/// Views placed by hand or by a group inside views that constraints place, with constrained content in them: such a
/// layout settles in a few passes, whatever its numbers are.
@Suite struct LayoutLoopTests {
  /// A group pinned between thirds of the window, whose panes hold a label each.
  private func makeGroup(_ window: Window) throws -> (group: StackGroup, labels: [View]) {
    let group = StackGroup(axis: .horizontal, margin: 0)
    let root = window.root
    root.addSubview(group)
    try LayoutConstraint.activate([
      LayoutConstraint(
        item: group, attribute: .leading, relatedBy: .equal, toItem: root, attribute: .trailing,
        multiplier: 1.0 / 3),
      group.widthAnchor.constraint(equalTo: root.widthAnchor, multiplier: 1.0 / 3),
      group.topAnchor.constraint(equalTo: root.topAnchor),
      group.bottomAnchor.constraint(equalTo: root.bottomAnchor),
    ])
    var labels: [View] = []
    for _ in 0..<3 {
      let pane = View()
      let label = View()
      group.addSubview(pane)
      pane.addSubview(label)
      labels.append(label)
      try LayoutConstraint.activate(label.pinned(to: pane, inset: 1.0 / 7))
    }
    return (group, labels)
  }

  @Test("the first layout of a pinned group takes a few passes")
  func firstLayout() throws {
    let window = Window(size: Size(width: 100, height: 10))
    let (group, labels) = try makeGroup(window)
    window.layoutNow()
    #expect(window.work.layoutPasses <= 4, "\(window.work.layoutPasses) passes")
    #expect(window.diagnostics.isEmpty)
    for (label, pane) in zip(labels, group.children) {
      #expect(abs(label.windowFrame.minX - pane.windowFrame.minX - 1.0 / 7) < 1e-8)
      #expect(abs(pane.windowFrame.maxX - label.windowFrame.maxX - 1.0 / 7) < 1e-8)
    }
  }

  @Test("unrelated changes afterwards: no report, and no pass too many")
  func unrelatedChanges() throws {
    let window = Window(size: Size(width: 100, height: 10))
    _ = try makeGroup(window)
    let other = View()
    window.root.addSubview(other)
    let width = other.widthAnchor.constraint(equalToConstant: 4)
    try LayoutConstraint.activate([width, other.leadingAnchor.constraint(equalTo: window.root.leadingAnchor)])
    window.layoutNow()
    for change in 1...60 {
      let before = window.work.layoutPasses
      width.constant = Double(change) / 3
      window.layoutNow()
      #expect(window.work.layoutPasses - before <= 3)
    }
    #expect(window.diagnostics.isEmpty)
  }

  @Test("sizes that no fraction of a cell divides: 500 sizes, none loops, tiles stay tiles")
  func sizes() throws {
    let window = Window(size: Size(width: 100, height: 10))
    let (group, labels) = try makeGroup(window)
    let byHand = View()
    let inner = View()
    group.children[1].addSubview(byHand)
    byHand.addSubview(inner)
    byHand.frame = Rect(x: 0.1, y: 1.0 / 3, width: 2.0 / 3, height: 0.7)
    try LayoutConstraint.activate(inner.pinned(to: byHand))
    for step in 0..<500 {
      let before = window.work.layoutPasses
      window.resize(to: Size(width: 30 + Double(step) * 0.37, height: 5 + Double(step % 11) / 3))
      #expect(window.work.layoutPasses - before <= 6)
      let frames = group.children.map(\.cellFrame)
      #expect(frames[0].x1 == frames[1].x0 && frames[1].x1 == frames[2].x0)
      #expect(inner.windowFrame == byHand.windowFrame)
      #expect(labels.allSatisfy { $0.windowFrame.width > 0 })
    }
    #expect(window.diagnostics.isEmpty, "\(window.diagnostics)")
  }

  @Test("nested groups deeper than the limit of passes settle too")
  func deepGroups() throws {
    let window = Window(size: Size(width: 81, height: 30))
    var group = StackGroup(axis: .horizontal, margin: 0)
    let top = group
    window.root.addSubview(top)
    try LayoutConstraint.activate(top.pinned(to: window.root, inset: 1.0 / 3))
    for depth in 0..<24 {
      let next = StackGroup(axis: depth % 2 == 0 ? .vertical : .horizontal, margin: 0)
      group.children = [View(), next]
      group = next
    }
    window.layoutNow()
    #expect(window.diagnostics.isEmpty)
    #expect(window.work.layoutPasses <= 6, "\(window.work.layoutPasses) passes")
    #expect(top.children[1].windowFrame.width > 40)
  }
}
