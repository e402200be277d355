/// Something blocks animate. It knows where its tracks are, so that taking one over costs the same however much else
/// is moving.
protocol AnimatedObject: AnyObject {
  /// One entry per running block and property; maintained by ``AnimationBlock``.
  var trackPlaces: [TrackPlace] { get set }
}

/// Where a block keeps a track of an object.
struct TrackPlace {
  /// The window holds running blocks, and a block that ends takes its places out.
  unowned let block: AnimationBlock
  let property: AnimationTrack.Property
  var index: Int
}

/// One animated property of one object: what is added to the model at the start of its animation. A block scales it
/// by what is left of its curve on each frame.
struct AnimationTrack {
  enum Property: UInt8 {
    case frame, alpha, tint, background, transform, constant
  }

  enum Target {
    case frame(LayoutItem)
    case alpha(View)
    case tint(View)
    case background(View)
    case transform(View)
    /// A constraint's constant, for blocks that solve on each frame.
    case constant(LayoutConstraint)
  }

  let target: Target
  /// Start minus end.
  var delta: SIMD8<Double>
  /// Speed at the start, a second; only springs carry it over.
  var velocity = SIMD8<Double>.zero

  init(_ target: Target, delta: SIMD8<Double>) {
    self.target = target
    self.delta = delta
  }

  init(_ target: Target, delta: SIMD4<Double>) {
    self.init(target, delta: SIMD8(lowHalf: delta, highHalf: .zero))
  }

  init(_ target: Target, delta: Double) {
    self.init(target, delta: SIMD8(delta, 0, 0, 0, 0, 0, 0, 0))
  }

  var property: Property {
    switch target {
    case .frame: .frame
    case .alpha: .alpha
    case .tint: .tint
    case .background: .background
    case .transform: .transform
    case .constant: .constant
    }
  }

  var object: any AnimatedObject {
    switch target {
    case .frame(let item): item
    case .alpha(let view), .tint(let view), .background(let view), .transform(let view): view
    case .constant(let constraint): constraint
    }
  }

  /// Adds `amount` to the object's offsets.
  func add(_ amount: SIMD8<Double>) {
    switch target {
    case .frame(let item): item.offset += amount.lowHalf
    case .alpha(let view): view.animatedAppearance.alpha += amount[0]
    case .tint(let view): view.animatedAppearance.tint += amount.lowHalf
    case .background(let view): view.animatedAppearance.background += amount.lowHalf
    case .transform(let view): view.animatedAppearance.transform += amount
    case .constant(let constraint): constraint.constantOffset += amount[0]
    }
  }

  /// Takes away what all tracks of this property have added to the object.
  func reset() {
    switch target {
    case .frame(let item): item.offset = .zero
    case .alpha(let view): view.appearance?.alpha = 0
    case .tint(let view): view.appearance?.tint = .zero
    case .background(let view): view.appearance?.background = .zero
    case .transform(let view): view.appearance?.transform = .zero
    case .constant(let constraint): constraint.constantOffset = 0
    }
  }
}
