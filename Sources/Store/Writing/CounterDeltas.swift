import Measurement

/// What a transaction changes in the counters, per target and variant.
struct CounterDeltas {
  struct Key: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  private(set) var counts: [Key: StateCounts] = [:]

  mutating func add(_ standing: SampleStateFlags, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(standing)
  }

  mutating func move(
    from old: SampleStateFlags, to new: SampleStateFlags, target: TargetID, variant: VariantID
  ) {
    guard old != new else { return }
    counts[Key(target: target, variant: variant), default: StateCounts()].add(old, -1)
    counts[Key(target: target, variant: variant), default: StateCounts()].add(new)
  }

  mutating func remove(_ standing: SampleStateFlags, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(standing, -1)
  }
}
