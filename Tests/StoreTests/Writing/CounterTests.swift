import GRDB
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// The counters against what counting the rows gives.
@Suite struct CounterTests {
  @Test(arguments: 1...4)
  func countersFollowEveryPath(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var fixture = try StoreFixture()
    var samples: [Sample] = []
    for round in 0..<60 {
      if round % 20 == 19 {
        // A later run of the same store goes on changing rows of the earlier one.
        for index in samples.indices where samples[index].state == .planned {
          samples[index] = samples[index].asMissed(.stopping)
        }
        try fixture.commit(updated: samples.filter { $0.state == .missed })
        try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
        fixture.store.close()
        fixture.clock.advance(by: .seconds(5))
        fixture = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
      }
      var inserted: [Sample] = []
      for target in [fixture.alpha, fixture.beta] where Bool.random(using: &generator) {
        let next = (samples.last { $0.id.target == target }?.id.sequence ?? 0) + 1
        inserted += fixture.plans(target, from: next, count: Int.random(in: 1...50, using: &generator))
      }
      let old = samples.count
      samples += inserted
      var updated: [Sample] = []
      for index in 0..<old where Int.random(in: 0..<10, using: &generator) == 0 {
        samples[index] = Self.changed(samples[index], &generator)
        updated.append(samples[index])
      }
      try fixture.commit(inserted: inserted, updated: updated)
    }
    let counted = try counts(fixture.store, Self.bySamples)
    #expect(counted.isEmpty == false)
    #expect(try counts(fixture.store, Self.byTally) == counted)
    let reader = try fixture.reader()
    #expect(try reader.runs().reduce(0) { $0 + $1.counts.planned } == samples.count)
  }

  private static func changed(_ sample: Sample, _ generator: inout SeededGenerator) -> Sample {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: return sample.asSent
    case 1: return sample.asDelivered()
    case 2: return sample.asRejected("TooManyRequests")
    case 3:
      var lost = sample.asDelivered()
      lost.state = .lost
      lost.deliveryLatency = nil
      return lost
    default:
      var late = sample
      late.state = .late
      late.deliveryLatency = 31_000_000
      return late
    }
  }

  private static let bySamples = """
    SELECT id >> 40, variant_id, state, count(*), sum(schedule_lag_us IS NOT NULL), sum(accept_us IS NOT NULL)
    FROM sample GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """

  /// The same shape from the counters: one row a state that has any, with the whole target's sums.
  private static let byTally =
    NotificationState.allCases.map {
      "SELECT target_id, variant_id, \($0.rawValue), \($0.name), sent, provider_accepted FROM tally WHERE \($0.name) <> 0"
    }.joined(separator: " UNION ALL ") + " ORDER BY 1, 2, 3"

  /// Counts per state, and per target and variant how many were sent and accepted by the provider.
  private func counts(_ store: CollectorStore, _ sql: String) throws -> [[Int64]: Int64] {
    let isTally = sql == Self.byTally
    return try store.queue.read { db in
      var result: [[Int64]: Int64] = [:]
      for row in try Row.fetchAll(db, sql: sql) {
        let (target, variant, state): (Int64, Int64, Int64) = (row[0], row[1], row[2])
        result[[target, variant, state]] = row[3]
        for (mark, column) in [(Int64(100), 4), (101, 5)] {
          let sum: Int64 = row[column]
          if isTally {
            result[[target, variant, mark]] = sum
          } else {
            result[[target, variant, mark], default: 0] += sum
          }
        }
      }
      return result
    }
  }
}
