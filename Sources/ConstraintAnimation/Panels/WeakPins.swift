/// The four pins without keeping the constraints alive.
struct WeakPins {
  private struct Pin {
    weak var constraint: LayoutConstraint?
    let sign: Double

    init(_ pin: EdgeConstraints.Pin) {
      constraint = pin.constraint
      sign = pin.sign
    }
  }

  private let horizontal: [Pin]
  private let vertical: [Pin]

  init(_ edges: EdgeConstraints) {
    horizontal = [Pin(edges.leading), Pin(edges.trailing)]
    vertical = [Pin(edges.top), Pin(edges.bottom)]
  }

  var areActive: Bool {
    (horizontal + vertical).allSatisfy { $0.constraint?.isActive ?? false }
  }

  func displace(x: Double, y: Double) {
    for pin in horizontal { pin.constraint?.constant = x * pin.sign }
    for pin in vertical { pin.constraint?.constant = y * pin.sign }
  }
}
