import ConstraintAnimation

/// Five recognizers on one view: tap, double tap, drag, pinch, rotation.
final class Gestures: Screen {
  static let card = Card(
    name: "gestures", title: "Drag, pinch, rotate",
    look: "Turning leaves the layout alone; a drag never leaps, wherever you take hold.",
    sources: ["S5"])

  let box: Tile
  let pins: CenterConstraints
  private let log: Label
  private let window: Window
  private(set) var entries: [String] = []

  private static let smallest = Size(width: 4, height: 2)

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    window = stage.window
    log = Label(style: CellStyle(foreground: palette.faint))
    box = Tile("box", palette.teal, palette)
    box.caption = "▲\n\ndrag me"
    view.addSubview(log)
    view.addSubview(box)
    // 200 points in the square.
    pins = box.pinnedCentered(
      on: view, size: Size(width: window.metrics.columns(200), height: window.metrics.rows(200)))
    try LayoutConstraint.activate(log.pinned(to: view) + pins.all)

    addTaps()
    let pan = makePan()
    let pinch = makePinch()
    let rotation = makeRotation()
    for recognizer in [pan, pinch, rotation] {
      // The three may go on together; a tap may not.
      recognizer.simultaneousWith = { !($0 is TapGestureRecognizer) }
      box.addGestureRecognizer(recognizer)
    }
    window.firstResponder = box
  }

  /// One tap waits until it is sure not to become two.
  private func addTaps() {
    let double = TapGestureRecognizer { [weak self] _ in self?.reset() }
    double.numberOfTapsRequired = 2
    let single = TapGestureRecognizer { [weak self] _ in self?.flash() }
    single.require(toFail: double)
    box.addGestureRecognizer(single)
    box.addGestureRecognizer(double)
  }

  private func makePan() -> GestureRecognizer {
    var start = Vector.zero
    return PanGestureRecognizer { [weak self] pan in
      guard let self else { return }
      show("drag", pan.state)
      switch pan.state {
      case .began: start = Vector(dx: pins.centerX.constant, dy: pins.centerY.constant)
      case .changed, .ended:
        // In the superview's coordinates a drag to the right is one however the box is turned.
        let offset = start + pan.translation(in: box.superview)
        pins.centerX.constant = offset.dx
        pins.centerY.constant = offset.dy
      case .cancelled:
        pins.centerX.constant = start.dx
        pins.centerY.constant = start.dy
      case .possible, .failed: break
      }
    }
  }

  private func makePinch() -> GestureRecognizer {
    var start = Size.zero
    return PinchGestureRecognizer { [weak self] pinch in
      guard let self else { return }
      show("pinch", pinch.state)
      if pinch.state == .began { start = Size(width: pins.width.constant, height: pins.height.constant) }
      pins.width.constant = max(Gestures.smallest.width, start.width * pinch.scale)
      pins.height.constant = max(Gestures.smallest.height, start.height * pinch.scale)
    }
  }

  private func makeRotation() -> GestureRecognizer {
    var start = Transform.identity
    return RotationGestureRecognizer { [weak self] rotation in
      guard let self else { return }
      show("rotation", rotation.state)
      if rotation.state == .began { start = box.transform }
      box.transform = start.concatenating(.rotation(rotation.rotation))
    }
  }

  private func flash() {
    show("tap", .ended)
    box.alpha = 0.3
    window.animate(withDuration: .milliseconds(400)) { box.alpha = 1 }
  }

  private func reset() {
    show("double tap", .ended)
    window.animate(
      withDuration: .milliseconds(500), usingSpringWithDamping: 0.6, initialSpringVelocity: 0,
      options: .layoutFirst
    ) {
      pins.centerX.constant = 0
      pins.centerY.constant = 0
      pins.width.constant = window.metrics.columns(200)
      pins.height.constant = window.metrics.rows(200)
      box.transform = .identity
      window.layoutIfNeeded()
    }
  }

  private func show(_ gesture: String, _ state: GestureRecognizer.State) {
    let entry = "\(gesture) \(state)"
    if entries.last != entry { entries.append(entry) }
    log.text = entries.suffix(16).joined(separator: "\n")
  }

  var controls: [Control] {
    [
      Control(hint: "drag", "move"), Control(hint: "+ - 0", "pinch"), Control(hint: "[ ]", "rotate"),
      Control(.character("t"), "text or picture") { [weak self] in
        guard let self else { return }
        box.rotationStyle = box.rotationStyle == .sampled ? .quarterTurns : .sampled
      },
      Control(hint: "click twice", "reset"),
    ]
  }

  var status: String {
    let frame = box.windowFrame
    let turn = box.rotationStyle == .sampled ? "drawn by sampling" : "drawn in quarter turns"
    return "laid out at \(Int(frame.minX.rounded())), \(Int(frame.minY.rounded()))"
      + " · \(Int(frame.width.rounded())) × \(Int(frame.height.rounded())) · \(turn)"
  }
}
