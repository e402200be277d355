/// A change that an animator's block made to the model, with the previous value.
enum ModelChange {
  case constant(LayoutConstraint, from: Double, to: Double)
  case priority(LayoutConstraint, from: LayoutPriority)
  case activation(LayoutConstraint, wasActive: Bool)
  case alpha(View, from: Double, to: Double)
  case tint(View, from: Color?, to: Color?)
  case background(View, from: Color?, to: Color?)
  case transform(View, from: Transform, to: Transform)
  case frame(View, from: Rect?, to: Rect)

  /// Which property of which object in which block it is about: changes with the same key are one.
  struct Key: Hashable {
    var object: ObjectIdentifier
    var kind: UInt8
    var block: UInt64
  }

  func key(block: UInt64) -> Key {
    switch self {
    case .constant(let constraint, _, _): Key(object: ObjectIdentifier(constraint), kind: 0, block: block)
    case .priority(let constraint, _): Key(object: ObjectIdentifier(constraint), kind: 1, block: block)
    case .activation(let constraint, _): Key(object: ObjectIdentifier(constraint), kind: 2, block: block)
    case .alpha(let view, _, _): Key(object: ObjectIdentifier(view), kind: 3, block: block)
    case .tint(let view, _, _): Key(object: ObjectIdentifier(view), kind: 4, block: block)
    case .background(let view, _, _): Key(object: ObjectIdentifier(view), kind: 5, block: block)
    case .transform(let view, _, _): Key(object: ObjectIdentifier(view), kind: 6, block: block)
    case .frame(let view, _, _): Key(object: ObjectIdentifier(view), kind: 7, block: block)
    }
  }

  /// This change and one of the same key after it.
  func followed(by later: ModelChange) -> ModelChange {
    switch (self, later) {
    case (.constant(let constraint, let from, _), .constant(_, _, let to)):
      .constant(constraint, from: from, to: to)
    case (.alpha(let view, let from, _), .alpha(_, _, let to)): .alpha(view, from: from, to: to)
    case (.tint(let view, let from, _), .tint(_, _, let to)): .tint(view, from: from, to: to)
    case (.background(let view, let from, _), .background(_, _, let to)):
      .background(view, from: from, to: to)
    case (.transform(let view, let from, _), .transform(_, _, let to)): .transform(view, from: from, to: to)
    case (.frame(let view, let from, _), .frame(_, _, let to)): .frame(view, from: from, to: to)
    default: self
    }
  }

  /// Whether it is about a constraint, whose effect shows at the next layout.
  var isOfConstraint: Bool {
    switch self {
    case .constant, .priority, .activation: true
    case .alpha, .tint, .background, .transform, .frame: false
    }
  }

  /// Whether what it places had a place before: only then is there anything to take back.
  var isOfPlacedItems: Bool {
    switch self {
    case .constant(let constraint, _, _), .priority(let constraint, _), .activation(let constraint, _):
      (constraint.firstItem?.layoutProgress.hasBeenLaidOut ?? false)
        && (constraint.secondItem?.layoutProgress.hasBeenLaidOut ?? true)
    case .alpha, .tint, .background, .transform, .frame: true
    }
  }

  /// Puts back what was there before. Activations and priorities, which have to agree with each other, are
  /// ``ModelChanges``' to put back.
  func revert() {
    switch self {
    case .constant(let constraint, let from, _): constraint.constant = from
    case .priority, .activation: break
    case .alpha(let view, let from, _): view.alpha = from
    case .tint(let view, let from, _): view.tintColor = from
    case .background(let view, let from, _): view.backgroundColor = from
    case .transform(let view, let from, _): view.transform = from
    case .frame(let view, let from, _): view.frame = from ?? .zero
    }
  }

  /// Goes a part of the way again after all changes have been taken back.
  func advance(by share: Double) {
    switch self {
    case .constant(let constraint, let from, let to): constraint.constant += (to - from) * share
    case .priority, .activation: break
    case .alpha(let view, let from, let to): view.alpha += (to - from) * share
    case .tint(let view, let from, let to):
      view.tintColor = ModelChange.blend(view.tintColor, from, to, share)
    case .background(let view, let from, let to):
      view.backgroundColor = ModelChange.blend(view.backgroundColor, from, to, share)
    case .transform(let view, let from, let to):
      let delta = TransformComponents(from).delta(to: TransformComponents(to))
      let now = TransformComponents(view.transform).values
      view.transform = TransformComponents(now + delta * share).transform
    case .frame(let view, let from, let to):
      let start = from ?? .zero
      let now = view.frame
      view.frame = Rect(
        x: now.minX + (to.minX - start.minX) * share, y: now.minY + (to.minY - start.minY) * share,
        width: now.width + (to.width - start.width) * share,
        height: now.height + (to.height - start.height) * share)
    }
  }

  private static func blend(_ now: Color?, _ from: Color?, _ to: Color?, _ share: Double) -> Color? {
    guard let now, let from, let to else { return share < 0.5 ? from : to }
    return Color(components: now.components + (to.components - from.components) * share)
  }
}

/// Changes in the order they were made, one for each property, object and block.
struct ModelChanges {
  private var entries: [(change: ModelChange, block: UInt64)] = []
  private var places: [ModelChange.Key: Int] = [:]

  /// Adds a change.
  /// - Parameters:
  ///   - change: what was changed.
  ///   - block: the one it was changed in, 0 = none.
  ///   - isEarlier: it was made before what is known of the same property.
  mutating func remember(_ change: ModelChange, block: UInt64 = 0, isEarlier: Bool = false) {
    let key = change.key(block: block)
    if let place = places[key] {
      let known = entries[place].change
      entries[place].change = isEarlier ? change.followed(by: known) : known.followed(by: change)
    } else {
      places[key] = entries.count
      entries.append((change, block))
    }
  }

  mutating func removeAll() {
    entries.removeAll()
    places.removeAll()
  }

  func forEach(_ body: (ModelChange) -> Void) {
    for entry in entries { body(entry.change) }
  }

  /// Sets the model to a place between before (0) and after (1) each block.
  /// - Parameters:
  ///   - shares: by the blocks' numbers; a block that is not named has not begun.
  ///   - restoringConstraints: whether constraints are put back too, or only what views have themselves.
  func apply(shares: [UInt64: Double], restoringConstraints: Bool) {
    let applied = entries.filter { restoringConstraints || !$0.change.isOfConstraint }
    for entry in applied.reversed() { entry.change.revert() }
    // A priority or an activation has nothing between its ends: it goes back only with the start.
    restoreConstraints(applied.filter { shares[$0.block] ?? 0 == 0 }.map(\.change))
    for entry in applied {
      if let share = shares[entry.block], share != 0 { entry.change.advance(by: share) }
    }
  }

  /// First what makes room, then what needs it.
  private func restoreConstraints(_ changes: [ModelChange]) {
    var required: [(LayoutConstraint, LayoutPriority)] = []
    var inactive: [LayoutConstraint] = []
    var active: [LayoutConstraint] = []
    for change in changes.reversed() {
      switch change {
      case .priority(let constraint, let from):
        if from == .required { required.append((constraint, from)) } else { constraint.priority = from }
      case .activation(let constraint, let wasActive):
        if !wasActive {
          inactive.append(constraint)
        } else if constraint.firstItem?.hostView?.window != nil {
          active.append(constraint)
        }
      default: break
      }
    }
    LayoutConstraint.deactivate(inactive)
    for (constraint, priority) in required { constraint.priority = priority }
    do throws(LayoutError) {
      try LayoutConstraint.activate(active)
    } catch {
      active.first?.report(.layout(error))
    }
  }
}
