import ConstraintAnimation

/// Edges are rounded, never sizes: neighbors touch on every frame, of every curve, however many animations overlap.
final class WholeCells: Screen {
  static let card = Card(
    name: "cells", title: "Whole cells",
    look: "Press both keys while things move: no gap and no overlap in any frame.",
    sources: ["S1", "S4"])

  /// Seven panes of equal width, by constraints, in a strip whose end moves.
  let panes: [Swatch]
  /// Seven percentages in a group.
  let shares: [Swatch]
  /// Seven equal shares of a width that seven does not divide.
  let equals: [Swatch]

  /// Alone, its edge may lie between cells.
  let slider: Swatch

  private let strip = View(identifier: "strip")
  private let stripEnd: LayoutConstraint
  private let group = StackGroup(axis: .horizontal, margin: 0)
  private let equalGroup = StackGroup(axis: .horizontal, margin: 0)
  private let window: Window
  private let sliderWidth: LayoutConstraint
  private var isNarrow = false
  private var turns = 0
  private(set) var frames = 0
  private(set) var gaps = 0
  private(set) var overlaps = 0

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    window = stage.window
    func swatches() -> [Swatch] {
      (0..<7).map { Swatch("\($0 + 1)", palette.hues[$0 % palette.hues.count], palette) }
    }
    panes = swatches()
    shares = swatches()
    equals = swatches()
    slider = Swatch("─", palette.accent, palette)
    slider.edgeStyle = .eighths
    group.children = shares
    equalGroup.children = equals
    view.addSubview(strip)
    for pane in panes { strip.addSubview(pane) }
    view.addSubview(group)
    view.addSubview(equalGroup)
    view.addSubview(slider)

    stripEnd = strip.widthAnchor.constraint(equalTo: view.widthAnchor)
    sliderWidth = slider.widthAnchor.constraint(equalToConstant: 8)
    var constraints = [
      sliderWidth, slider.leadingAnchor.constraint(equalTo: view.leadingAnchor), stripEnd,
      strip.leadingAnchor.constraint(equalTo: view.leadingAnchor),
    ]
    var left = strip.leadingAnchor
    for pane in panes {
      constraints += [
        pane.leadingAnchor.constraint(equalTo: left),
        pane.widthAnchor.constraint(equalTo: strip.widthAnchor, multiplier: 1.0 / 7),
        pane.topAnchor.constraint(equalTo: strip.topAnchor),
        pane.bottomAnchor.constraint(equalTo: strip.bottomAnchor),
      ]
      left = pane.trailingAnchor
    }
    for (index, row) in [strip, group, equalGroup, slider].enumerated() {
      constraints += [
        row.topAnchor.constraint(equalTo: view.topAnchor, constant: Double(index * 4)),
        row.heightAnchor.constraint(equalToConstant: 3),
      ]
    }
    for row in [group, equalGroup] {
      constraints += [
        row.leadingAnchor.constraint(equalTo: view.leadingAnchor),
        row.trailingAnchor.constraint(equalTo: view.trailingAnchor),
      ]
    }
    try LayoutConstraint.activate(constraints)
  }

  private func squeeze() {
    isNarrow.toggle()
    window.animate(
      withDuration: .milliseconds(900), usingSpringWithDamping: 0.3, initialSpringVelocity: 0,
      options: .layoutFirst
    ) {
      // To a width of half cells, so that there is something to round.
      stripEnd.constant = isNarrow ? -(strip.windowFrame.width * 0.37).rounded() + 0.5 : 0
      window.layoutIfNeeded()
    }
  }

  private func shuffle() {
    turns += 1
    window.animate(withDuration: .milliseconds(700), options: .layoutFirst) {
      let weights = shares.indices.map { 1 + 4 * Sketches.fraction($0 * 31 + turns * 7) }
      let total = weights.reduce(0, +)
      for (share, weight) in zip(shares, weights) { share.percentageSize = 100 * weight / total }
      window.layoutIfNeeded()
    }
  }

  /// So slowly that each eighth of a column is seen.
  private func slide() {
    window.animate(withDuration: .seconds(2), options: .layoutFirst) {
      sliderWidth.constant = sliderWidth.constant == 8 ? 16 : 8
      window.layoutIfNeeded()
    }
  }

  func refresh() {
    guard window.isAnimating else { return }
    for all in [panes, shares, equals] {
      // Squeezed to nothing by an overshooting spring, a pane covers nothing and touches nobody.
      let row = all.filter { !$0.cellFrame.isEmpty }
      for (left, right) in zip(row, row.dropFirst()) {
        gaps += left.cellFrame.x1 < right.cellFrame.x0 ? 1 : 0
        overlaps += left.cellFrame.x1 > right.cellFrame.x0 ? 1 : 0
      }
    }
    frames += 1
  }

  var controls: [Control] {
    [
      Control(.character(" "), "squeeze") { [weak self] in self?.squeeze() },
      Control(.character("s"), "shuffle") { [weak self] in self?.shuffle() },
      Control(.character("e"), "eighths") { [weak self] in self?.slide() },
      Control(.character("r"), "remainder") { [weak self] in
        guard let self else { return }
        equalGroup.distribution =
          equalGroup.distribution == .proportional ? .exactThenRemainderLast : .proportional
      },
    ]
  }

  var status: String {
    let widths = equals.map { "\($0.cellFrame.width)" }.joined(separator: " ")
    return "\(frames) frames, \(gaps) gaps, \(overlaps) overlaps · equal shares: \(widths)"
  }
}
