import Measurement
import StoreTestKit
import TestKit
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
    let fixture = try StoreFixture()
    // Not a whole number of chunks, and one target that ends with one.
    let alpha = fixture.plans(fixture.alpha, count: 2 * SampleChunk.streamCapacity + 7)
    let beta = fixture.plans(fixture.beta, count: SampleChunk.streamCapacity)
    var samples: [Sample] = []
    for (index, sample) in (alpha + beta).enumerated() {
      switch index % 4 {
      case 0: samples.append(sample.asDelivered())
      case 1: samples.append(sample.asRejected("reason \u{1F4E8} \(index)"))
      case 2: samples.append(sample.asMissed(.retryAfter))
      default: samples.append(sample)
      }
    }
    try fixture.commit(inserted: beta + alpha)
    try fixture.commit(updated: samples)
    var read: [Sample] = []
    try fixture.reader().forEachSample(RowSelection()) { read.append($0.sample) }
    #expect(read == samples)
  }

  @Test func selects() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 20) + fixture.plans(fixture.beta, count: 20)
    try fixture.commit(inserted: plans)
    try fixture.commit(updated: plans.map { $0.asDelivered() })
    try fixture.store.endRun(fixture.run, at: fixture.clock.wallNow(), reason: .stopped)
    fixture.store.close()
    fixture.clock.advance(by: .seconds(10))
    let later = try StoreFixture(directory: fixture.directory, clock: fixture.clock)
    try later.commit(inserted: later.plans(later.alpha, count: 20))
    let reader = try later.reader()

    func ids(_ target: TargetID, _ range: ClosedRange<Int64>) -> [SampleID] {
      range.map { SampleID(target: target, sequence: $0) }
    }
    #expect(
      try sequences(reader, RowSelection())
        == ids(fixture.alpha, 1...20) + ids(fixture.beta, 1...20) + ids(later.alpha, 1...20))
    #expect(try sequences(reader, RowSelection(run: later.run)) == ids(later.alpha, 1...20))
    #expect(
      try sequences(reader, RowSelection(targets: ["alpha"])) == ids(fixture.alpha, 1...20)
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
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 2_000))
    let reader = try fixture.reader()
    var visited = 0
    #expect(throws: Stop.self) {
      try reader.forEachSample(RowSelection()) { _ in
        visited += 1
        if visited == 1_100 { throw Stop() }
      }
    }
    #expect(visited == 1_100)
    #expect(try sequences(reader, RowSelection()).count == 2_000)
  }

  @Test func maySeeTheStoreWhileVisiting() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 2_500)
    try fixture.commit(inserted: plans)
    let reader = try fixture.reader()
    var seen: [Sample?] = []
    try reader.forEachSample(RowSelection()) { seen.append(try reader.sample($0.id)) }
    #expect(seen == plans)
  }

  @Test("what cannot be read ahead is an error, after the rows that could be read")
  func closedMeanwhile() throws {
    let fixture = try StoreFixture()
    // More than what is visited and read ahead while the first row closes the reader: two chunks.
    let count = SampleChunk.streamCapacity * 10
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: count))
    let reader = try fixture.reader()
    var visited = 0
    #expect(throws: StoreError.self) {
      try reader.forEachSample(RowSelection()) { _ in
        visited += 1
        reader.close()
      }
    }
    #expect(visited > 0 && visited < count)
  }

  @Test("rows have the columns that are asked for, with the same values")
  func someColumns() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3_000)
    try fixture.commit(inserted: plans.map { $0.asRejected("reason \($0.id.sequence)") })
    let reader = try fixture.reader()
    var (whole, part): ([String], [String]) = ([], [])
    func text(_ row: borrowing SampleRow) -> String {
      let reason = row.withText(.reason) { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
      return "\(row.id) \(row.variant) \(row.plannedAt) \(row.state) \(row.acceptLatency ?? -1) \(reason)"
    }
    let all = (WallTime(microseconds: .min), WallTime(microseconds: .max))
    try reader.forEachSample(of: fixture.alpha, plannedFrom: all.0, to: all.1) { whole.append(text($0)) }
    try reader.forEachSample(
      of: fixture.alpha, plannedFrom: all.0, to: all.1, columns: SampleColumns([.reason, .acceptLatency])
    ) { part.append(text($0)) }
    #expect(whole.count == 3_000 && part == whole)
  }

  @Test func lendsTheReasonAsBytes() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    try fixture.commit(inserted: [plans[0].asRejected("Größe"), plans[1].asRejected(""), plans[2]])
    var reasons: [[UInt8]?] = []
    try fixture.reader().forEachSample(RowSelection()) { row in
      row.withText(.reason) { reasons.append($0.map(Array.init)) }
    }
    #expect(reasons == [Array("Größe".utf8), [], nil])
  }

  @Test func givesReceiptsInTheOrderOfTheirSamples() throws {
    let fixture = try StoreFixture()
    let at = fixture.clock.wallNow()
    func receipt(_ target: TargetID, _ sequence: Int64, _ delay: Int64) -> Receipt {
      Receipt(
        sample: SampleID(target: target, sequence: sequence), device: "d", receivedAt: at,
        arrivedAt: at.advanced(byMicroseconds: delay), isSameClock: true, isDuplicate: delay > 100)
    }
    let shuffled = (1...700).reversed().map { receipt(fixture.beta, Int64($0), 5) }
    try fixture.commit(receipts: shuffled + [receipt(fixture.alpha, 2, 7), receipt(fixture.alpha, 1, 6)])
    try fixture.commit(receipts: [receipt(fixture.beta, 3, 900)])
    let reader = try fixture.reader()
    var all: [Receipt] = []
    try reader.forEachReceipt(RowSelection()) { all.append($0.receipt) }
    #expect(all.count == 703)
    #expect(all.map(\.sample) == all.map(\.sample).sorted())
    #expect(all[2...].prefix(4).map(\.sample.sequence) == [1, 2, 3, 3])
    #expect(all[5].isDuplicate)
    var late: [Receipt] = []
    try reader.forEachReceipt(RowSelection(targets: ["beta"], since: at.advanced(byMicroseconds: 6))) {
      late.append($0.receipt)
    }
    #expect(late == [receipt(fixture.beta, 3, 900)])
  }

  @Test func givesTheLastFailedHandshakeOfARun() throws {
    let fixture = try StoreFixture()
    let at = fixture.clock.wallNow()
    let reader = try fixture.reader()
    #expect(try reader.lastHandshakeFailure(of: fixture.run) == nil)
    func event(_ text: String, _ kind: EventKind = .handshakeFailed, after time: Int64) -> Event {
      Event(at: at.advanced(byMicroseconds: time), kind: kind, count: 3, detail: text)
    }
    let detail = HandshakeDetail(failure: .unknownCA, network: "192.0.2.0/24")
    #expect(HandshakeDetail(detail.text) == detail && detail.text == "unknown_ca, last from 192.0.2.0/24")
    try fixture.commit(events: [
      event(HandshakeDetail(failure: .closed, network: "").text, after: 1), event(detail.text, after: 2),
      event("unknown_ca", .connected, after: 3),
    ])
    let homeless = event(HandshakeDetail(failure: .timeout, network: "").text, after: 9)
    _ = try fixture.store.commit(WriteBatch(run: nil, events: [homeless]))
    #expect(try reader.lastHandshakeFailure(of: fixture.run) == .unknownCA)
    try fixture.commit(events: [event("of_a_newer_version, last from x", after: 4)])
    #expect(try reader.lastHandshakeFailure(of: fixture.run) == nil)
  }

  @Test func givesEventsAndLogByRun() throws {
    let fixture = try StoreFixture()
    let at = fixture.clock.wallNow()
    let count = 1_300
    let events = (0..<count).map {
      Event(
        at: at.advanced(byMicroseconds: Int64($0)), kind: .lost, target: $0 % 2 == 0 ? fixture.alpha : nil,
        sequence: Int64($0))
    }
    let lines = events.map {
      LogLine(at: $0.at, level: .debug, target: $0.target, label: "x", message: "\($0.sequence ?? 0)")
    }
    try fixture.commit(events: events, log: lines)
    let homeless = Event(at: at, kind: .configRefused, detail: "before any run")
    _ = try fixture.store.commit(WriteBatch(run: nil, events: [homeless]))
    let reader = try fixture.reader()

    func read(_ selection: RowSelection) throws -> (events: [Event], lines: [LogLine]) {
      var found: (events: [Event], lines: [LogLine]) = ([], [])
      try reader.forEachEvent(selection) { found.events.append($0.event) }
      try reader.forEachLogLine(selection) { found.lines.append($0.line) }
      return found
    }
    #expect(try read(RowSelection()).events == [homeless] + events)
    #expect(try read(RowSelection(run: fixture.run)).events == events)
    #expect(try read(RowSelection(run: fixture.run)).lines == lines)
    let some = try read(
      RowSelection(
        targets: ["alpha"], since: at.advanced(byMicroseconds: 10), until: at.advanced(byMicroseconds: 1_200))
    )
    #expect(some.events == events[10..<1_200].filter { $0.target != nil })
    #expect(some.lines.count == some.events.count)
  }
}
