/// Lines its children up along an axis: explicit sizes, percentages of what those leave, equal shares of the rest.
///
/// Arranging is plain arithmetic and does not go through the solver; to the solver the group is one item with four
/// edges. Children come and go one at a time: ``addChild(_:at:)`` makes room and then lets the child appear,
/// ``removeChild(at:)`` lets it vanish and then closes the gap; requests made meanwhile wait their turn.
public final class StackGroup: View {
  public let axis: GroupAxis

  /// Cells between children: half of it on either side of each, an odd cell on the right or below.
  public var margin = 1.0 {
    didSet {
      guard margin.isFinite else {
        margin = oldValue
        report(.notFinite("\(name).margin"))
        return
      }
      if margin != oldValue { setNeedsLayout() }
    }
  }

  public var distribution = GroupDistribution.proportional {
    didSet { if distribution != oldValue { setNeedsLayout() } }
  }

  /// How long making or closing room takes.
  public var growDuration: Duration
  /// How long appearing or vanishing takes.
  public var fadeDuration: Duration

  private var storedChildren: [View] = []
  /// A child whose room is being closed, or has not been opened yet.
  private var collapsed: View?
  /// Children that wait for their turn to be added.
  private var awaited: [View] = []
  private let queue = AnimationQueue()

  public init(axis: GroupAxis, margin: Double = 1, theme: MotionTheme = MotionTheme()) {
    self.axis = axis
    growDuration = theme.growDuration
    fadeDuration = theme.fadeDuration
    super.init()
    self.margin = margin
  }

  override var defaultName: String { axis == .horizontal ? "horizontal group" : "vertical group" }

  /// The children from left to right or from top to bottom. Setting them takes effect at once, without animation, and drops what
  /// is running or waiting.
  public var children: [View] {
    get { storedChildren }
    set {
      queue.removeAll()
      collapsed = nil
      awaited = []
      let old = storedChildren
      storedChildren = []
      for child in old where !newValue.contains(where: { $0 === child }) { child.removeFromSuperview() }
      for child in newValue where !storedChildren.contains(where: { $0 === child }) {
        storedChildren.append(child)
        if child.superview !== self { addSubview(child) }
        if old.contains(where: { $0 === child }) {
          window?.cancelAnimations(of: child)
          child.alpha = 1
        }
      }
      setNeedsLayout()
    }
  }

  /// Whether a child is coming or going.
  public var isAnimationRunning: Bool { queue.isRunning }

  /// How many requests wait.
  public var pendingAnimationCount: Int { queue.pendingCount }

  /// Makes room at `index` (beyond the end = at the end), then lets the child appear. A child that is there already
  /// or waits for its turn is not added again.
  public func addChild(_ child: View, at index: Int) {
    guard !contains(child) else { return }
    awaited.append(child)
    queue.enqueue { [weak self] done in
      guard let self else { return done() }
      self.awaited.removeAll { $0 === child }
      self.open(child, at: index, done)
    }
  }

  /// Lets the child at `index`, counted when its turn comes, vanish and closes the gap. An index out of range is
  /// ignored.
  public func removeChild(at index: Int) {
    queue.enqueue { [weak self] done in
      guard let self, self.storedChildren.indices.contains(index) else { return done() }
      self.close(self.storedChildren[index], done)
    }
  }

  public override func layoutSubviews() {
    for (child, frame) in zip(storedChildren, frames()) { child.frame = frame }
  }

  public override func didAddSubview(_ subview: View) {
    guard !storedChildren.contains(where: { $0 === subview }) else { return }
    let depth = subviews.firstIndex { $0 === subview } ?? subviews.count
    let next = subviews[min(depth + 1, subviews.count)...].first { view in
      storedChildren.contains { $0 === view }
    }
    let place = next.flatMap { view in storedChildren.firstIndex { $0 === view } }
    storedChildren.insert(subview, at: place ?? storedChildren.count)
  }

  public override func willRemoveSubview(_ subview: View) {
    storedChildren.removeAll { $0 === subview }
    if collapsed === subview { collapsed = nil }
  }

  /// The explicit sizes' sum along the axis when no child is flexible; nothing across it.
  public override var intrinsicContentSize: Size? {
    guard !storedChildren.isEmpty,
      storedChildren.allSatisfy({ $0.percentageSize == nil && $0.explicitSize != nil })
    else { return nil }
    let total = StackGroup.calculateLayoutMetrics(storedChildren).totalExplicitSize
    return axis == .horizontal
      ? Size(width: total, height: View.noIntrinsicMetric)
      : Size(width: View.noIntrinsicMetric, height: total)
  }

  private func contains(_ child: View) -> Bool {
    storedChildren.contains { $0 === child } || awaited.contains { $0 === child }
  }

  private func open(_ child: View, at index: Int, _ done: @escaping () -> Void) {
    guard !storedChildren.contains(where: { $0 === child }) else { return done() }
    storedChildren.insert(child, at: min(max(index, 0), storedChildren.count))
    collapsed = child
    child.alpha = 0
    addSubview(child)
    guard let window else {
      collapsed = nil
      child.alpha = 1
      setNeedsLayout()
      return done()
    }
    // The gap begins with no width at its place, unseen, and grows.
    setNeedsLayout()
    resize(collapsing: nil, in: window) { [weak self, weak window] in
      guard let self, let window, child.superview === self else {
        child.alpha = 1
        return done()
      }
      window.animate(withDuration: self.fadeDuration, curve: .easeInOut) {
        child.alpha = 1
      } completion: { _ in
        done()
      }
    }
  }

  private func close(_ child: View, _ done: @escaping () -> Void) {
    guard let window else {
      child.removeFromSuperview()
      return done()
    }
    window.animate(withDuration: fadeDuration, curve: .easeInOut) {
      child.alpha = 0
    } completion: { [weak self, weak window] _ in
      guard let self, let window, child.superview === self else { return done() }
      self.resize(collapsing: child, in: window) { [weak self] in
        if let self, child.superview === self {
          self.collapsed = nil
          child.removeFromSuperview()
          child.alpha = 1
        }
        done()
      }
    }
  }

  private func resize(collapsing child: View?, in window: Window, completion: @escaping () -> Void) {
    window.animate(withDuration: growDuration, curve: .linear, options: .layoutFirst) {
      collapsed = child
      setNeedsLayout()
      window.layoutIfNeeded()
    } completion: { _ in
      completion()
    }
  }

  private func frames() -> [Rect] {
    let size = windowFrame.size
    let available = axis == .horizontal ? size.width : size.height
    let metrics = StackGroup.layoutMetrics(storedChildren, collapsed: collapsed)
    var places = StackGroup.childMetrics(
      storedChildren, metrics, availableSize: available, collapsed: collapsed)
    if distribution == .exactThenRemainderLast {
      places = StackGroup.wholeCells(places, children: storedChildren, availableSize: available)
    }
    let before = (margin / 2).rounded(.down)
    return places.map { place in
      let start = place.origin + min(before, place.size)
      let length = max(0, place.size - margin)
      return axis == .horizontal
        ? Rect(x: start, y: 0, width: length, height: size.height)
        : Rect(x: 0, y: start, width: size.width, height: length)
    }
  }
}

extension StackGroup {
  /// Percentages as given; children with neither percentage nor explicit size share what is left of 100 equally.
  public static func calculateLayoutMetrics(_ children: [View]) -> LayoutMetrics {
    layoutMetrics(children, collapsed: nil)
  }

  /// Explicit sizes as they are, percentages of what the explicit sizes leave. A percentage wins over an explicit
  /// size. Sizes are never negative.
  public static func calculateChildMetrics(
    _ children: [View], _ metrics: LayoutMetrics, availableSize: Double
  ) -> [ChildMetric] {
    childMetrics(children, metrics, availableSize: availableSize, collapsed: nil)
  }

  /// - Parameter collapsed: a child that takes no room, as if it were not there.
  static func layoutMetrics(_ children: [View], collapsed: View?) -> LayoutMetrics {
    var explicit = 0.0
    var percentages = 0.0
    var flexible = 0
    for child in children where child !== collapsed {
      if let percentage = child.percentageSize {
        percentages += percentage
      } else if let size = child.explicitSize {
        explicit += size
      } else {
        flexible += 1
      }
    }
    let share = flexible > 0 ? max(0, 100 - percentages) / Double(flexible) : 0
    return LayoutMetrics(
      childPercentageSizes: children.map { $0 === collapsed ? 0 : $0.percentageSize ?? share },
      totalExplicitSize: explicit)
  }

  static func childMetrics(
    _ children: [View], _ metrics: LayoutMetrics, availableSize: Double, collapsed: View?
  ) -> [ChildMetric] {
    let rest = max(0, availableSize - metrics.totalExplicitSize)
    var origin = 0.0
    return zip(children, metrics.childPercentageSizes).map { child, percentage in
      var size = 0.0
      if child !== collapsed {
        size =
          child.percentageSize == nil && child.explicitSize != nil
          ? max(0, child.explicitSize ?? 0) : rest * max(0, percentage) / 100
      }
      defer { origin += size }
      return ChildMetric(origin: origin, size: size)
    }
  }

  /// Whole sizes, and the remainder to the last child that can stretch.
  static func wholeCells(_ metrics: [ChildMetric], children: [View], availableSize: Double) -> [ChildMetric] {
    var sizes = metrics.map { ($0.size + 1e-9).rounded(.down) }
    let stretch = children.lastIndex { $0.percentageSize != nil || $0.explicitSize == nil }
    let asked = metrics.reduce(0) { $0 + $1.size }
    if let stretch {
      let total = min(asked, availableSize)
      sizes[stretch] += max(0, (total + 1e-9).rounded(.down) - sizes.reduce(0, +))
    }
    var origin = 0.0
    return sizes.map { size in
      defer { origin += size }
      return ChildMetric(origin: origin, size: size)
    }
  }
}

/// Which way a group lines up its children.
public enum GroupAxis: Sendable, Hashable {
  case horizontal, vertical
}

/// What becomes of the cells that do not come out even.
public enum GroupDistribution: Sendable, Hashable {
  /// Edges are rounded: equal shares differ by at most one cell.
  case proportional
  /// Sizes are whole; what is left over goes to the last child of flexible or percentage size.
  case exactThenRemainderLast
}

/// The shares of a group's children, before the group's own size is known.
public struct LayoutMetrics: Sendable, Hashable {
  /// One a child; what is set here for children of explicit size is not used.
  public var childPercentageSizes: [Double]
  public var totalExplicitSize: Double

  public init(childPercentageSizes: [Double], totalExplicitSize: Double) {
    self.childPercentageSizes = childPercentageSizes
    self.totalExplicitSize = totalExplicitSize
  }
}

/// A child's place along the group's axis.
public struct ChildMetric: Sendable, Hashable {
  public var origin: Double
  public var size: Double

  public init(origin: Double, size: Double) {
    self.origin = origin
    self.size = size
  }
}

/// A child that only takes room.
public final class Spacer: View {
  public init(percentageSize: Double? = nil, explicitSize: Double? = nil) {
    super.init()
    self.percentageSize = percentageSize
    self.explicitSize = explicitSize
    isUserInteractionEnabled = false
  }

  override var defaultName: String { "spacer" }
}

/// Runs animations one after the other. Each is handed a closure to call when it is over; the next begins then.
public final class AnimationQueue {
  public typealias Step = (_ done: @escaping () -> Void) -> Void

  public private(set) var isRunning = false

  /// How many wait behind the one that runs.
  public var pendingCount: Int { steps.count }

  private var steps: [Step] = []
  private var generation = 0
  private var isInLoop = false

  public init() {}

  /// Begins at once when nothing runs.
  public func enqueue(_ step: @escaping Step) {
    steps.append(step)
    runNext()
  }

  /// Removes pending steps and ignores the completion of a running one.
  public func removeAll() {
    steps.removeAll()
    generation += 1
    isRunning = false
  }

  /// Steps that are over at once are followed in this loop, not by recursion: a thousand of them are no deeper than
  /// one.
  private func runNext() {
    guard !isInLoop else { return }
    isInLoop = true
    while !isRunning, !steps.isEmpty {
      let step = steps.removeFirst()
      isRunning = true
      let current = generation
      var isOver = false
      step { [weak self] in
        guard let self, current == self.generation, !isOver else { return }
        isOver = true
        self.isRunning = false
        self.runNext()
      }
    }
    isInLoop = false
  }
}
