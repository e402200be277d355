import GRDB
import Measurement

/// What a transaction changes in rollups that are written already: late answers, receipts and losses, plans of a clock
/// that was set back. The rollups are changed in the same transaction, so that they never say anything else than the
/// notifications do.
struct RollupChanges {
  /// Up to where rollups are written.
  let marks: RollupWatermarks
  private var tallies: [RollupKey: RollupAccumulator] = [:]

  init(marks: RollupWatermarks) { self.marks = marks }

  /// Whether there is a rollup to change when a notification does that was planned at this time.
  @inline(__always)
  func concern(_ plannedAt: WallTime) -> Bool { RollupSpan.second(of: plannedAt) < marks.second }

  mutating func add(_ facts: RollupContribution, _ count: Int = 1) {
    tallies[Self.key(facts), default: RollupAccumulator()].add(facts, count)
  }

  mutating func move(from old: RollupContribution, to new: RollupContribution) {
    tallies[Self.key(old), default: RollupAccumulator()].move(from: old, to: new)
  }

  private static func key(_ facts: RollupContribution) -> RollupKey {
    RollupKey(span: .second, start: facts.second, target: facts.target, variant: facts.variant)
  }

  /// Writes the changes: to the seconds, and to the minutes and hours that are written.
  func apply(_ db: Database) throws {
    guard !tallies.isEmpty else { return }
    let table = try RollupTable(db)
    for span in RollupSpan.allCases {
      var sums: [RollupKey: RollupAccumulator] = [:]
      for (key, tally) in tallies {
        var whole = key
        whole.span = span
        whole.start = span.start(of: key.start)
        guard whole.start < marks[span] else { continue }
        sums[whole, default: RollupAccumulator()].add(tally)
      }
      for (key, sum) in sums.sorted(by: { $0.key < $1.key }) {
        try table.write(sum.content(over: table.content(of: key)), for: key)
      }
    }
  }
}
