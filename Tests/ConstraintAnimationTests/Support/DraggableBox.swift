import ConstraintAnimation

/// A box of 10×6 in the middle of the window with a tap, a pan, a pinch and a rotation on it.
final class DraggableBox {
  let window = Window(size: Size(width: 80, height: 24))
  let box = View(identifier: "box")
  let center: CenterConstraints
  private(set) var taps = 0
  /// Of the pan and the pinch.
  private(set) var states: [GestureRecognizer.State] = []
  private(set) var pan = PanGestureRecognizer { _ in }
  private(set) var pinch = PinchGestureRecognizer { _ in }

  init(size: Size = Size(width: 10, height: 6)) throws {
    window.root.addSubview(box)
    center = box.pinnedCentered(on: window.root, size: size)
    try LayoutConstraint.activate(center.all)
    box.rotationStyle = .sampled
    window.advance(to: .zero)
    box.addGestureRecognizer(TapGestureRecognizer { [unowned self] _ in taps += 1 })
    pan = makePan()
    pinch = makePinch()
    box.addGestureRecognizer(pan)
    box.addGestureRecognizer(pinch)
    box.addGestureRecognizer(makeRotation())
  }

  func clearStates() { states = [] }

  private func makePan() -> PanGestureRecognizer {
    var start = Vector.zero
    return PanGestureRecognizer { [unowned self] pan in
      states.append(pan.state)
      if pan.state == .began { start = Vector(dx: center.centerX.constant, dy: center.centerY.constant) }
      let offset = start + pan.translation(in: box.superview)
      center.centerX.constant = offset.dx
      center.centerY.constant = offset.dy
      window.root.layoutIfNeeded()
    }
  }

  private func makePinch() -> PinchGestureRecognizer {
    var start = Size.zero
    return PinchGestureRecognizer { [unowned self] pinch in
      states.append(pinch.state)
      if pinch.state == .began { start = box.windowFrame.size }
      center.width.constant = min(max(4, start.width * pinch.scale), 200)
      center.height.constant = min(max(2, start.height * pinch.scale), 100)
      window.root.layoutIfNeeded()
    }
  }

  private func makeRotation() -> RotationGestureRecognizer {
    var start = Transform.identity
    return RotationGestureRecognizer { [unowned self] rotation in
      if rotation.state == .began { start = box.transform }
      box.transform = start.concatenating(.rotation(rotation.rotation))
    }
  }
}
