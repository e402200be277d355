import Measurement

/// What a transaction changes in the counters, per target and variant.
struct TallyDeltas {
  struct Key: Hashable {
    var target: TargetID
    var variant: VariantID
  }

  private(set) var counts: [Key: StateCounts] = [:]

  mutating func add(_ standing: SampleStanding, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(standing)
  }

  mutating func move(from old: SampleStanding, to new: SampleStanding, target: TargetID, variant: VariantID) {
    guard old != new else { return }
    counts[Key(target: target, variant: variant), default: StateCounts()].add(old, -1)
    counts[Key(target: target, variant: variant), default: StateCounts()].add(new)
  }

  mutating func remove(_ standing: SampleStanding, target: TargetID, variant: VariantID) {
    counts[Key(target: target, variant: variant), default: StateCounts()].add(standing, -1)
  }
}
