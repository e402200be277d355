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
