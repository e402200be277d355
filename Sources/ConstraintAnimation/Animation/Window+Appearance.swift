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
    hasTransforms = true
    remember(.transform(view, from: oldValue, to: view.transform))
    let delta = TransformComponents(view.transform).delta(to: TransformComponents(oldValue))
    currentBlock?.addAppearanceTrack(.transform(view), view, delta: delta, window: self)
    damage = root.snapped.cells
  }
}
