import Measurement

/// The rollups of one stretch of time while they are gathered, one for each target and variant.
struct RollupBatch {
  let span: RollupSpan
  /// `nil` before the first one.
  private(set) var start: Int64?
  private var tallies: [RollupKey: RollupAccumulator] = [:]

  init(span: RollupSpan) { self.span = span }

  mutating func begin(_ start: Int64) {
    self.start = start
    tallies.removeAll(keepingCapacity: true)
  }

  mutating func add(_ facts: RollupContribution) {
    tallies[key(facts.target, facts.variant), default: RollupAccumulator()].add(facts)
  }

  mutating func add(_ content: RollupContent, target: TargetID, variant: VariantID) {
    tallies[key(target, variant), default: RollupAccumulator()].add(content)
  }

  private func key(_ target: TargetID, _ variant: VariantID) -> RollupKey {
    RollupKey(span: span, start: start ?? 0, target: target, variant: variant)
  }

  func write(to table: RollupTable) throws {
    guard start != nil else { return }
    for (key, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      try table.write(tally.content(over: RollupContent()), for: key)
    }
  }
}
