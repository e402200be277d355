import ConstraintAnimation
import Measurement

/// What a key that goes back brings back: run, window, range of latencies, metric, targets, selection and
/// comparison.
struct ViewPlace: Sendable, Equatable {
  private let anchor: ViewState.Anchor
  private let scale: TimeScale?
  private let range: LatencyRange
  private let metric: Metric?
  private let target: Int?
  private let hiddenTargets: Set<TargetID>
  private let selection: Selection?
  private let choice: PanelChoice?
  private let subject: Subject
  private let comparison: Comparison?

  init(_ state: ViewState) {
    (anchor, scale, range, metric) = (state.anchor, state.scale, state.range, state.metric)
    (target, hiddenTargets) = (state.target, state.tables.hiddenTargets)
    (selection, choice) = (state.plot.selection, state.plot.choice)
    (subject, comparison) = (state.subject, state.comparison)
  }

  func restore(_ state: inout ViewState) {
    (state.anchor, state.scale, state.range, state.metric) = (anchor, scale, range, metric)
    (state.target, state.tables.hiddenTargets) = (target, hiddenTargets)
    (state.plot.selection, state.plot.choice) = (selection, choice)
    (state.subject, state.comparison, state.openingComparison) = (subject, comparison, nil)
  }

  /// What differs from another place, for telling one movement in several steps from several movements.
  fileprivate func difference(from other: ViewPlace) -> Set<Part> {
    var parts: Set<Part> = []
    if anchor != other.anchor || scale != other.scale { parts.insert(.window) }
    if range != other.range { parts.insert(.range) }
    if metric != other.metric { parts.insert(.metric) }
    if target != other.target || hiddenTargets != other.hiddenTargets { parts.insert(.targets) }
    if selection != other.selection { parts.insert(.selection) }
    if subject != other.subject { parts.insert(.subject) }
    if comparison != other.comparison { parts.insert(.comparison) }
    return parts
  }

  fileprivate enum Part { case window, range, metric, targets, selection, subject, comparison }
}

/// The views that were left, the last one at the end. Steps of one movement, like those of a drag, are one view.
struct ViewHistory: Sendable {
  private var places: [ViewPlace] = []
  /// What the last change was; `nil` when the next one begins a view of its own in any case.
  private var last: Set<ViewPlace.Part>?
  private var movedAt = MotionTime.zero

  private static let capacity = 100
  /// Changes of one kind that follow each other faster are one movement.
  private static let pause = Duration.milliseconds(700)

  /// The view that going back leads to; `nil` at the beginning.
  var previous: ViewPlace? { places.last }

  /// Records that the view has changed.
  mutating func record(_ old: ViewState, _ new: ViewState, at time: MotionTime) {
    let (from, to) = (ViewPlace(old), ViewPlace(new))
    let parts = to.difference(from: from)
    guard !parts.isEmpty else { return }
    defer { (last, movedAt) = (parts, time) }
    if parts == last, parts.isSubset(of: [.window, .range]), time - movedAt < Self.pause { return }
    places.append(from)
    if places.count > Self.capacity { places.removeFirst() }
  }

  /// Forgets the view that was gone back to.
  mutating func goBack() {
    _ = places.popLast()
    last = nil
  }

  mutating func clear() { self = ViewHistory() }
}
