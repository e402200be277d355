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
