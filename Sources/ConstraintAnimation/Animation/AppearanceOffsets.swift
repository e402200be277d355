/// What running animations add to a view's looks at this instant.
final class AppearanceOffsets {
  var alpha = 0.0
  var tint = SIMD4<Double>.zero
  var background = SIMD4<Double>.zero
  var transform = SIMD8<Double>.zero

  private var shownAlpha = 0.0
  private var shownTint = SIMD4<Double>.zero
  private var shownBackground = SIMD4<Double>.zero
  private var shownTransform = SIMD8<Double>.zero

  /// Whether anything differs from what was last shown.
  var isMoving: Bool {
    alpha != shownAlpha || tint != shownTint || background != shownBackground
      || transform != shownTransform
  }

  var transformMoves: Bool { transform != shownTransform }

  func noteShown() {
    shownAlpha = alpha
    shownTint = tint
    shownBackground = background
    shownTransform = transform
  }

  func reset() {
    alpha = 0
    tint = .zero
    background = .zero
    transform = .zero
  }
}

enum ColorProperty {
  case tint, background
}

extension Color {
  var components: SIMD4<Double> { SIMD4(Double(red), Double(green), Double(blue), 0) }

  init(components: SIMD4<Double>) {
    let bounded = components.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
    let whole = (bounded + 0.5).rounded(.down)
    self.init(UInt8(whole.x), UInt8(whole.y), UInt8(whole.z))
  }
}
