/// One animated property of one item: what is added to the model at the start of its animation. A block scales it
/// by what is left of its curve on each frame.
struct AnimationTrack {
  enum Property: UInt8 {
    case frame, alpha, tint, background, transform
  }

  let property: Property
  let item: LayoutItem
  /// Start minus end.
  var delta: SIMD8<Double>
  /// Speed at the start, a second; only springs carry it over.
  var velocity: SIMD8<Double>

  init(
    _ property: Property, _ item: LayoutItem, delta: SIMD8<Double>, velocity: SIMD8<Double> = .zero
  ) {
    self.property = property
    self.item = item
    self.delta = delta
    self.velocity = velocity
  }

  init(_ property: Property, _ item: LayoutItem, delta: SIMD4<Double>, velocity: SIMD4<Double> = .zero) {
    self.init(
      property, item, delta: SIMD8(lowHalf: delta, highHalf: .zero),
      velocity: SIMD8(lowHalf: velocity, highHalf: .zero))
  }

  /// Adds `amount` to the item's offsets.
  func add(_ amount: SIMD8<Double>) {
    switch property {
    case .frame: item.offset += amount.lowHalf
    case .alpha: (item as? View)?.animatedAppearance.alpha += amount[0]
    case .tint: (item as? View)?.animatedAppearance.tint += amount.lowHalf
    case .background: (item as? View)?.animatedAppearance.background += amount.lowHalf
    case .transform: (item as? View)?.animatedAppearance.transform += amount
    }
  }

  func reset() {
    if property == .frame {
      item.offset = .zero
    } else if let view = item as? View {
      view.appearance?.reset()
    }
  }
}
