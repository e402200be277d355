/// What running animations add to a view's colors, alpha and transform at the window's time.
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

  func recordShown() {
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

extension View {
  final var animatedAppearance: AppearanceOffsets {
    if let appearance { return appearance }
    let made = AppearanceOffsets()
    appearance = made
    return made
  }

  /// Alpha on screen at the window's time, 0…1.
  public final var presentationAlpha: Double { min(max(alpha + (appearance?.alpha ?? 0), 0), 1) }

  /// The view's own or nearest inherited tint on screen at the window's time.
  public final var presentationTintColor: Color? {
    guard let tintColor else { return superview?.presentationTintColor }
    guard let offset = appearance?.tint, offset != .zero else { return tintColor }
    return Color(components: tintColor.components + offset)
  }

  public final var presentationBackgroundColor: Color? {
    guard let backgroundColor else { return nil }
    guard let offset = appearance?.background, offset != .zero else { return backgroundColor }
    return Color(components: backgroundColor.components + offset)
  }

  public final var presentationTransform: Transform {
    guard let offset = appearance?.transform, offset != .zero else { return transform }
    return TransformComponents(TransformComponents(transform).values + offset).transform
  }

  /// How fast the view's origin moves on screen, cells a second.
  public final var presentationVelocity: Vector {
    let speed = window?.timeline.edgeSpeeds(of: self) ?? .zero
    return Vector(dx: speed.x, dy: speed.y)
  }

  /// Neither it nor a view above it is hidden, and it is in a window.
  public final var isShown: Bool {
    guard window != nil else { return false }
    var view: View? = self
    while let current = view {
      if current.isHidden { return false }
      view = current.superview
    }
    return true
  }
}

extension Window {
  func alphaChanged(_ view: View, from oldValue: Double) {
    remember(.alpha(view, from: oldValue, to: view.alpha))
    currentBlock?.addAppearanceTrack(
      .alpha(view), view, delta: SIMD8(oldValue - view.alpha, 0, 0, 0, 0, 0, 0, 0), window: self)
    invalidateDisplay(of: view)
  }

  /// Colors blend between two colors; to and from none they jump, as there is nothing between.
  func colorChanged(_ view: View, _ property: ColorProperty, from old: Color?, to new: Color?) {
    remember(
      property == .tint ? .tint(view, from: old, to: new) : .background(view, from: old, to: new))
    if let old, let new {
      currentBlock?.addAppearanceTrack(
        property == .tint ? .tint(view) : .background(view), view,
        delta: SIMD8(lowHalf: old.components - new.components, highHalf: .zero), window: self)
    }
    invalidateDisplay(of: view)
  }

  func transformChanged(_ view: View, from oldValue: Transform) {
    remember(.transform(view, from: oldValue, to: view.transform))
    let delta = TransformComponents(view.transform).delta(to: TransformComponents(oldValue))
    currentBlock?.addAppearanceTrack(.transform(view), view, delta: delta, window: self)
    frames.recordTransform(in: root.snapped.cells)
  }
}
