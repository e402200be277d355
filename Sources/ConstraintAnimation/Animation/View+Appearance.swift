extension View {
  final var animatedAppearance: AppearanceOffsets {
    if let appearance { return appearance }
    let made = AppearanceOffsets()
    appearance = made
    return made
  }

  /// Alpha on screen at the window's time, 0…1.
  public final var presentationAlpha: Double { min(max(alpha + (appearance?.alpha ?? 0), 0), 1) }

  /// Its own or the nearest inherited tint on screen at the window's time.
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
    let speed = window?.edgeSpeeds(of: self) ?? .zero
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
