import Measurement
import Testing

@testable import Store

@Suite struct StreamTests {
  private struct Stop: Error {}

  private func sequences(_ reader: StoreReader, _ selection: RowSelection) throws -> [SampleID] {
    var ids: [SampleID] = []
    try reader.forEachSample(selection) { ids.append($0.id) }
    return ids
  }

  @Test func givesEverySampleInOrderWhole() throws {
    let bench = try Bench()
    // Not a whole number of chunks, and one target that ends with one.
    let alpha = bench.plans(bench.alpha, count: 2 * SampleChunk.streamCapacity + 7)
    let beta = bench.plans(bench.beta, count: SampleChunk.streamCapacity)
    var samples: [Sample] = []
    for (index, sample) in (alpha + beta).enumerated() {
      switch index % 4 {
      case 0: samples.append(sample.asDelivered())
      case 1: samples.append(sample.asRejected("reason \u{1F4E8} \(index)"))
      case 2: samples.append(sample.asMissed(.retryAfter))
      default: samples.append(sample)
      }
    }
    try bench.commit(inserted: beta + alpha)
    try bench.commit(updated: samples)
    var read: [Sample] = []
    try bench.reader().forEachSample(.everything) { read.append($0.sample) }
    #expect(read == samples)
  }

  @Test func selects() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 20) + bench.plans(bench.beta, count: 20)
    try bench.commit(inserted: plans)
    try bench.commit(updated: plans.map { $0.asDelivered() })
    try bench.store.endRun(bench.run, at: bench.clock.wallNow(), reason: .stopped)
    bench.store.close()
    bench.clock.advance(seconds: 10)
    let later = try Bench(scratch: bench.scratch, clock: bench.clock)
    try later.commit(inserted: later.plans(later.alpha, count: 20))
    let reader = try later.reader()

    func ids(_ target: TargetID, _ range: ClosedRange<Int64>) -> [SampleID] {
      range.map { SampleID(target: target, sequence: $0) }
    }
    #expect(
      try sequences(reader, .everything)
        == ids(bench.alpha, 1...20) + ids(bench.beta, 1...20) + ids(later.alpha, 1...20))
    #expect(try sequences(reader, RowSelection(run: later.run)) == ids(later.alpha, 1...20))
    #expect(
      try sequences(reader, RowSelection(targets: ["alpha"])) == ids(bench.alpha, 1...20)
        + ids(later.alpha, 1...20))
    #expect(try sequences(reader, RowSelection(targets: [])).isEmpty)
    let start = later.clock.wallNow()
    #expect(
      try sequences(reader, RowSelection(since: start.advanced(byMicroseconds: 50_000)))
        == ids(later.alpha, 6...20))
    #expect(
      try sequences(
        reader, RowSelection(run: later.run, since: start, until: start.advanced(byMicroseconds: 50_000)))
        == ids(later.alpha, 1...5))
    var generator = SeededGenerator(seed: 1)
    #expect(try sequences(reader, RowSelection(run: RunID(at: start, using: &generator))).isEmpty)
  }

  @Test func stopsWhenAskedTo() throws {
    let bench = try Bench()
    try bench.commit(inserted: bench.plans(bench.alpha, count: 2_000))
    let reader = try bench.reader()
    var visited = 0
    #expect(throws: Stop.self) {
      try reader.forEachSample(.everything) { _ in
        visited += 1
        if visited == 1_100 { throw Stop() }
      }
    }
    #expect(visited == 1_100)
    #expect(try sequences(reader, .everything).count == 2_000)
  }

  @Test func maySeeTheStoreWhileVisiting() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 3)
    try bench.commit(inserted: plans)
    let reader = try bench.reader()
    var seen: [Sample?] = []
    try reader.forEachSample(.everything) { seen.append(try reader.sample($0.id)) }
    #expect(seen == plans)
  }

  @Test func lendsTheReasonAsBytes() throws {
    let bench = try Bench()
    let plans = bench.plans(bench.alpha, count: 3)
    try bench.commit(inserted: [plans[0].asRejected("Größe"), plans[1].asRejected(""), plans[2]])
    var reasons: [[UInt8]?] = []
    try bench.reader().forEachSample(.everything) { row in
      row.withReason { reasons.append($0.map(Array.init)) }
    }
    #expect(reasons == [Array("Größe".utf8), [], nil])
  }

  @Test func givesReceiptsInTheOrderOfTheirSamples() throws {
    let bench = try Bench()
    let at = bench.clock.wallNow()
    func receipt(_ target: TargetID, _ sequence: Int64, _ delay: Int64) -> Receipt {
      Receipt(
        sample: SampleID(target: target, sequence: sequence), device: "d", receivedAt: at,
        arrivedAt: at.advanced(byMicroseconds: delay), isSameClock: true, isDuplicate: delay > 100)
    }
    let shuffled = (1...700).reversed().map { receipt(bench.beta, Int64($0), 5) }
    try bench.commit(receipts: shuffled + [receipt(bench.alpha, 2, 7), receipt(bench.alpha, 1, 6)])
    try bench.commit(receipts: [receipt(bench.beta, 3, 900)])
    let reader = try bench.reader()
    var all: [Receipt] = []
    try reader.forEachReceipt(.everything) { all.append($0.receipt) }
    #expect(all.count == 703)
    #expect(all.map(\.sample) == all.map(\.sample).sorted())
    #expect(all[2...].prefix(4).map(\.sample.sequence) == [1, 2, 3, 3])
    #expect(all[5].isDuplicate)
    var late: [Receipt] = []
    try reader.forEachReceipt(RowSelection(targets: ["beta"], since: at.advanced(byMicroseconds: 6))) {
      late.append($0.receipt)
    }
    #expect(late == [receipt(bench.beta, 3, 900)])
  }

  @Test func givesEventsAndLogByRun() throws {
    let bench = try Bench()
    let at = bench.clock.wallNow()
    let count = 1_300
    let events = (0..<count).map {
      Event(
        at: at.advanced(byMicroseconds: Int64($0)), kind: .lost, target: $0 % 2 == 0 ? bench.alpha : nil,
        sequence: Int64($0))
    }
    let lines = events.map {
      LogLine(at: $0.at, level: .debug, target: $0.target, label: "x", message: "\($0.sequence ?? 0)")
    }
    try bench.commit(events: events, log: lines)
    let homeless = Event(at: at, kind: .configRefused, detail: "before any run")
    _ = try bench.store.commit(WriteBatch(run: nil, events: [homeless]))
    let reader = try bench.reader()

    func read(_ selection: RowSelection) throws -> (events: [Event], lines: [LogLine]) {
      var found: (events: [Event], lines: [LogLine]) = ([], [])
      try reader.forEachEvent(selection) { found.events.append($0.event) }
      try reader.forEachLogLine(selection) { found.lines.append($0.line) }
      return found
    }
    #expect(try read(.everything).events == [homeless] + events)
    #expect(try read(RowSelection(run: bench.run)).events == events)
    #expect(try read(RowSelection(run: bench.run)).lines == lines)
    let some = try read(
      RowSelection(
        targets: ["alpha"], since: at.advanced(byMicroseconds: 10), until: at.advanced(byMicroseconds: 1_200))
    )
    #expect(some.events == events[10..<1_200].filter { $0.target != nil })
    #expect(some.lines.count == some.events.count)
  }
}
