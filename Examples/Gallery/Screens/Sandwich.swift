import ConstraintAnimation

/// What `layoutIfNeeded()` before and inside an animation block is for, and what happens when a slice is missing.
final class Sandwich: Screen {
  static let card = Card(
    name: "sandwich", title: "The layoutIfNeeded sandwich",
    look: "A tap moves the box and leaves a change of the other pending. Who glides?",
    sources: ["S5"])

  enum Recipe: Int, CaseIterable {
    case whole, withoutFirst, tooLate
  }

  private(set) var recipe = Recipe.whole
  let box: Tile
  let bystander: Tile
  private let boxLeading: LayoutConstraint
  private let boxTop: LayoutConstraint
  private let bystanderLeading: LayoutConstraint
  private let window: Window
  private var movesDown = false
  private(set) var moves = 0

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    window = stage.window
    box = Tile("tap", palette.blue, palette)
    bystander = Tile("bystander", palette.amber, palette)
    view.addSubview(bystander)
    view.addSubview(box)
    boxLeading = box.leadingAnchor.constraint(equalTo: view.leadingAnchor)
    boxTop = box.topAnchor.constraint(equalTo: view.topAnchor)
    bystanderLeading = bystander.leadingAnchor.constraint(equalTo: view.leadingAnchor)
    try LayoutConstraint.activate([
      boxLeading, boxTop, bystanderLeading,
      box.widthAnchor.constraint(equalToConstant: 16),
      box.heightAnchor.constraint(equalToConstant: 4),
      bystander.widthAnchor.constraint(equalToConstant: 20),
      bystander.heightAnchor.constraint(equalToConstant: 3),
      bystander.bottomAnchor.constraint(equalTo: view.bottomAnchor),
    ])
    let tap = TapGestureRecognizer { [weak self] _ in self?.tapped() }
    tap.keyEquivalents = [.character(" ")]
    box.addGestureRecognizer(tap)
  }

  private func tapped() {
    moves += 1
    // Something else has changed as well and was not laid out yet.
    bystanderLeading.constant = bystanderLeading.constant == 0 ? 40 : 0

    if recipe != .withoutFirst { window.layoutIfNeeded() }
    window.animate(withDuration: .milliseconds(500)) {
      if recipe != .tooLate { moveBox() }
      window.layoutIfNeeded()
      if recipe == .tooLate { moveBox() }
    }
  }

  /// 25 points to the right, the next time 25 points down.
  private func moveBox() {
    if movesDown {
      boxTop.constant += window.metrics.rows(25)
    } else {
      boxLeading.constant += window.metrics.columns(25)
    }
    movesDown.toggle()
  }

  private func goHome() {
    window.animate(withDuration: .milliseconds(300), options: .layoutFirst) {
      boxLeading.constant = 0
      boxTop.constant = 0
      window.layoutIfNeeded()
    }
    movesDown = false
  }

  var controls: [Control] {
    [
      Control(hint: "space", "or a click: tap"),
      Control(.character("1"), "whole") { [weak self] in self?.recipe = .whole },
      Control(.character("2"), "no first slice") { [weak self] in self?.recipe = .withoutFirst },
      Control(.character("3"), "too late") { [weak self] in self?.recipe = .tooLate },
      Control(.character("h"), "home") { [weak self] in self?.goHome() },
    ]
  }

  var status: String {
    switch recipe {
    case .whole: "flush, change, lay out in the block: the box glides, the bystander jumps"
    case .withoutFirst: "without the first call what was pending is animated too: both glide"
    case .tooLate: "changed after the second call: the box jumps with the next layout"
    }
  }
}
