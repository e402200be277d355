import Measurement

/// Counts and latencies on their way into a rollup; or, with negative counts, out of one.
struct RollupTally {
  private(set) var counts = StateCounts()
  private(set) var service = LatencyTally()
  private(set) var accept = LatencyTally()
  private(set) var delivery = LatencyTally()

  mutating func add(_ facts: RollupFacts, _ count: Int = 1) {
    counts.add(facts.standing, count)
    if let value = facts.service { service.add(value, count: count) }
    if let value = facts.accept { accept.add(value, count: count) }
    if let value = facts.delivery { delivery.add(value, count: count) }
  }

  /// A notification that counted as `old` counts as `new` from now on. What both have in common is left alone: most late
  /// changes add a delivery and nothing else.
  mutating func move(from old: RollupFacts, to new: RollupFacts) {
    counts.add(old.standing, -1)
    counts.add(new.standing)
    Self.move(old.service, new.service, in: &service)
    Self.move(old.accept, new.accept, in: &accept)
    Self.move(old.delivery, new.delivery, in: &delivery)
  }

  private static func move(_ old: Int64?, _ new: Int64?, in tally: inout LatencyTally) {
    guard old != new else { return }
    if let old { tally.add(old, count: -1) }
    if let new { tally.add(new) }
  }

  mutating func add(_ content: RollupContent) {
    counts += content.counts
    service.add(content.service)
    accept.add(content.accept)
    delivery.add(content.delivery)
  }

  mutating func add(_ other: RollupTally) {
    counts += other.counts
    service.add(other.service)
    accept.add(other.accept)
    delivery.add(other.delivery)
  }

  /// What it comes to, added to what was there before.
  func content(over before: RollupContent) -> RollupContent {
    RollupContent(
      counts: counts + before.counts, service: Self.packed(service, over: before.service),
      accept: Self.packed(accept, over: before.accept),
      delivery: Self.packed(delivery, over: before.delivery))
  }

  private static func packed(_ tally: LatencyTally, over before: PackedLatencies) -> PackedLatencies {
    guard !tally.isEmpty else { return before }
    var sum = tally
    sum.add(before)
    return sum.packed
  }
}
