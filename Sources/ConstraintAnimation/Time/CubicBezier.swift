/// A timing curve through (0, 0) and (1, 1) with two control points, as CSS and Core Animation define it.
struct CubicBezier: Hashable, Sendable {
  private let ax: Double
  private let bx: Double
  private let cx: Double
  private let ay: Double
  private let by: Double
  private let cy: Double

  /// `x1` and `x2` are clamped to 0…1, otherwise one instant would have several values; what is no number
  /// becomes that of a straight line.
  init(x1: Double, y1: Double, x2: Double, y2: Double) {
    let firstX = x1 == x1 ? min(max(x1, 0), 1) : 0
    let secondX = x2 == x2 ? min(max(x2, 0), 1) : 1
    let y1 = y1.isFinite ? y1 : 0
    let y2 = y2.isFinite ? y2 : 1
    cx = 3 * firstX
    bx = 3 * (secondX - firstX) - cx
    ax = 1 - cx - bx
    cy = 3 * y1
    by = 3 * (y2 - y1) - cy
    ay = 1 - cy - by
  }

  func value(at x: Double) -> Double {
    if x <= 0 { return 0 }
    if x >= 1 { return 1 }
    let s = parameter(at: x)
    return ((ay * s + by) * s + cy) * s
  }

  /// Change of value for a change of x.
  func slope(at x: Double) -> Double {
    let s = parameter(at: min(max(x, 0), 1))
    let dx = (3 * ax * s + 2 * bx) * s + cx
    let dy = (3 * ay * s + 2 * by) * s + cy
    // A control point on the axis makes the curve start or end vertical; the limit of the ratio is then large
    // but its effect on one frame is not, so it is capped.
    return abs(dx) < 1e-9 ? (dy < 0 ? -1e6 : 1e6) : dy / dx
  }

  /// Newton with bisection to fall back on: always inside the bracket, 1e-14 in x after a few steps.
  private func parameter(at x: Double) -> Double {
    var low = 0.0
    var high = 1.0
    var s = x
    for _ in 0..<60 {
      let error = ((ax * s + bx) * s + cx) * s - x
      if abs(error) < 1e-14 { return s }
      if error > 0 { high = s } else { low = s }
      let slope = (3 * ax * s + 2 * bx) * s + cx
      let next = s - error / slope
      s = slope != 0 && next > low && next < high ? next : (low + high) / 2
    }
    return s
  }
}
