import Measurement

/// Counts and latencies on their way into a rollup; or, with negative counts, out of one.
struct RollupAccumulator {
  private(set) var counts = StateCounts()
  private(set) var remarks = RollupSideCounts()
  private(set) var figures = PerFigure(LatencyAccumulator())

  mutating func add(_ facts: RollupContribution, _ count: Int = 1) {
    counts.add(facts.standing, count)
    remarks.add(facts.remarks, count)
    for figure in RollupFigure.allCases {
      if let value = facts.figures[figure] { figures[figure].add(value, count: count) }
    }
  }

  /// A notification that counted as `old` counts as `new` from now on. What both have in common is left alone: most late
  /// changes add a delivery and nothing else.
  mutating func move(from old: RollupContribution, to new: RollupContribution) {
    counts.add(old.standing, -1)
    counts.add(new.standing)
    remarks.add(old.remarks, -1)
    remarks += new.remarks
    for figure in RollupFigure.allCases where old.figures[figure] != new.figures[figure] {
      if let value = old.figures[figure] { figures[figure].add(value, count: -1) }
      if let value = new.figures[figure] { figures[figure].add(value) }
    }
  }

  mutating func add(_ content: RollupContent) {
    counts += content.counts
    remarks += content.remarks
    for figure in RollupFigure.allCases where !content.figures[figure].isEmpty {
      figures[figure].add(content.figures[figure])
    }
  }

  mutating func add(_ other: RollupAccumulator) {
    counts += other.counts
    remarks += other.remarks
    for figure in RollupFigure.allCases where !other.figures[figure].isEmpty {
      figures[figure].add(other.figures[figure])
    }
  }

  /// What it comes to, added to what was there before.
  func content(over before: RollupContent) -> RollupContent {
    var content = before
    content.counts += counts
    content.remarks += remarks
    for figure in RollupFigure.allCases where !figures[figure].isEmpty {
      var sum = figures[figure]
      sum.add(before.figures[figure])
      content.figures[figure] = sum.packed
    }
    return content
  }
}
