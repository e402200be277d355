import Configuration
import Measurement
import Store
import Testing

@testable import Collector

/// The third acceptance case in simulated time: losses, duplicates, overtaking and refusals by a script, counted.
@Suite("A scripted loss")
struct LossScriptTests {
  @Test("the counts per state equal the script exactly", arguments: [3, 4, 5] as [UInt64])
  func counts(seed: UInt64) throws {
    var service = SimulatedService(delay: .constant(.milliseconds(1)))
    service.device = SimulatedService.Device(lost: 0.1, duplicated: 0.08, reordered: 0.05, rejected: 0.04)
    // A receipt after 60 ms is late: those that were held back.
    let run = try SimulatedRun(
      rate: 200, length: .seconds(10), service: service, deadline: .milliseconds(60), seed: seed)
    try run.run()
    try run.close()
    let samples = try run.samples()
    let outcomes = run.outcomes.values
    #expect(samples.count == 2000 && outcomes.count == 2000)
    func count(_ state: NotificationState) -> Int { samples.count { $0.state == state } }
    #expect(count(.rejected) == outcomes.count(where: \.isRejected))
    #expect(count(.lost) == outcomes.count { !$0.isRejected && $0.deliveries.isEmpty })
    #expect(count(.late) == outcomes.count(where: \.isReordered))
    #expect(count(.delivered) == outcomes.count { !$0.deliveries.isEmpty && !$0.isReordered })
    #expect(count(.lost) > 100 && count(.late) > 50 && count(.rejected) > 40, "the script did something")
    #expect(samples.reduce(0) { $0 + $1.duplicates } == outcomes.count { $0.deliveries.count == 2 })

    var last: Int64 = 0
    var overtaken: Set<Int64> = []
    var seen: Set<Int64> = []
    for sequence in run.receipts where seen.insert(sequence).inserted {
      if sequence < last { overtaken.insert(sequence) }
      last = max(last, sequence)
    }
    #expect(Set(samples.filter(\.isOutOfOrder).map(\.id.sequence)) == overtaken)
    for sample in samples {
      let outcome = try #require(run.outcomes[sample.id.sequence])
      #expect(sample.deliveryLatency == outcome.deliveries.first.map { $0.microseconds })
    }
    let record = try #require(try run.fixture.reader.run(run.fixture.run))
    for state in NotificationState.allCases { #expect(record.counts[state] == count(state)) }
  }
}
