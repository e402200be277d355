/// Something an animator's block did to the model, with what was there before.
enum ModelChange {
  case constant(LayoutConstraint, from: Double, to: Double)
  case priority(LayoutConstraint, from: LayoutPriority)
  case alpha(View, from: Double, to: Double)
  case tint(View, from: Color?, to: Color?)
  case background(View, from: Color?, to: Color?)
  case transform(View, from: Transform, to: Transform)
  case frame(View, from: Rect?, to: Rect)

  /// Sets the model to a place between before (0) and after (1).
  func apply(share: Double, restoringConstraints: Bool) {
    switch self {
    case .constant(let constraint, let from, let to):
      if restoringConstraints { constraint.constant = from + (to - from) * share }
    case .priority(let constraint, let from):
      if restoringConstraints, share == 0 { constraint.priority = from }
    case .alpha(let view, let from, let to):
      view.alpha = from + (to - from) * share
    case .tint(let view, let from, let to):
      view.tintColor = ModelChange.blend(from, to, share)
    case .background(let view, let from, let to):
      view.backgroundColor = ModelChange.blend(from, to, share)
    case .transform(let view, let from, let to):
      if share == 0 {
        view.transform = from
      } else {
        let start = TransformComponents(from)
        let delta = start.delta(to: TransformComponents(to))
        view.transform = TransformComponents(start.values + delta * share).transform
      }
    case .frame(let view, let from, let to):
      let start = from ?? .zero
      view.frame = Rect(
        x: start.minX + (to.minX - start.minX) * share, y: start.minY + (to.minY - start.minY) * share,
        width: start.width + (to.width - start.width) * share,
        height: start.height + (to.height - start.height) * share)
    }
  }

  private static func blend(_ from: Color?, _ to: Color?, _ share: Double) -> Color? {
    guard let from, let to else { return share < 0.5 ? from : to }
    return from.blended(with: to, fraction: share)
  }
}
