import Measurement
import Report
import Store
import StoreTestKit
import Testing

@Suite struct SmallTablesTests {
  private let fixture: RecordedStore
  private let run: RunRegistration
  private let target: TargetID

  init() throws {
    fixture = try RecordedStore()
    run = try fixture.begin(
      0, name: "first",
      [TargetDescription(name: "loopback", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4)])
    target = try #require(run["loopback"]).id
    let samples = (1...4).map { Sample.planned(target, $0).accepted(lag: 60, service: 940) }
    try fixture.commit(
      run.run,
      [
        samples[0].delivered(after: 5000), samples[1].ended(.lost), samples[2].delivered(after: 7000),
        Sample.planned(target, 4).ended(.missed, reason: "in_flight"),
      ])
  }

  private func at(_ microseconds: Int64) -> WallTime {
    RecordedStore.start.advanced(byMicroseconds: microseconds)
  }

  @Test func receipts() throws {
    let sample = SampleID(target: target, sequence: 1)
    try fixture.commit(
      run.run,
      receipts: [
        Receipt(
          sample: sample, device: "device-1", receivedAt: at(5000), arrivedAt: at(6000), isSameClock: true),
        Receipt(
          sample: sample, device: "@phone\u{202E}", receivedAt: at(5001), arrivedAt: at(6001),
          isSameClock: false,
          offset: -12, offsetError: 34, isDuplicate: true),
        // The first one again, with more.
        Receipt(
          sample: sample, device: "device-1", receivedAt: at(5000), arrivedAt: at(9000), isSameClock: true,
          stages: ReceiptStages(shownAt: at(8000), providerAt: at(3000)), isAddition: true),
      ])
    let key = "\(run.run),loopback,1,\(NotificationID(run: run.run, sample: sample))"
    #expect(
      try fixture.rows(.receipts) == [
        key
          + ",device-1,2026-03-01T12:00:00.005000Z,2026-03-01T12:00:00.006000Z,true,,,false,2026-03-01T12:00:00.008000Z,,2026-03-01T12:00:00.003000Z,",
        key
          + ",'@phone\\u{202E},2026-03-01T12:00:00.005001Z,2026-03-01T12:00:00.006001Z,false,-12,34,true,,,,",
      ])
  }

  @Test func events() throws {
    try fixture.commit(
      run.run,
      events: [
        Event(at: at(1), kind: .runStarted),
        Event(
          at: at(2), kind: .goaway, target: target, connectionID: 3, sequence: 4, count: 2, detail: "a,b\n"),
      ])
    #expect(
      try fixture.rows(.events) == [
        "\(run.run),2026-03-01T12:00:00.000001Z,,run_started,,,1,",
        "\(run.run),2026-03-01T12:00:00.000002Z,loopback,goaway,3,4,2,\"a,b␊\"",
      ])
  }

  @Test func log() throws {
    try fixture.commit(
      run.run,
      log: [
        LogLine(at: at(1), level: .notice, label: "store", message: "opened"),
        LogLine(at: at(2), level: .error, target: target, label: "transport", message: "=x"),
      ])
    #expect(
      try fixture.rows(.log) == [
        "2026-03-01T12:00:00.000001Z,notice,\(run.run),,store,opened",
        "2026-03-01T12:00:00.000002Z,error,\(run.run),loopback,transport,'=x",
      ])
  }

  @Test func runs() throws {
    let open = try fixture.begin(
      1,
      ["b", "a"].map { TargetDescription(name: $0, provider: "http", receiptDeadline: nil, askedRate: 1) })
    try fixture.end(run, after: 10)
    #expect(
      try fixture.rows(.runs) == [
        "\(run.run),first,\(fixture.collectorName),2026-03-01T12:00:00.000000Z,2026-03-01T12:00:10.000000Z,stopped,loopback,4,3,3,2,0,1,0,0,1,0",
        "\(open.run),,\(fixture.collectorName),2026-03-01T13:00:00.000000Z,,,a b,0,0,0,0,0,0,0,0,0,0",
      ])
    #expect(try fixture.rows(.runs, RowSelection(targets: ["b"])).count == 1)
    #expect(try fixture.rows(.runs, RowSelection(since: at(1))).count == 1)
    #expect(try fixture.rows(.runs, RowSelection(until: at(1))).count == 1)
    #expect(try fixture.rows(.runs, RowSelection(run: open.run)).count == 1)
  }

  @Test func histogramBucketsHoldTheValues() throws {
    let rows = try fixture.rows(.histogram).map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    func values(_ metric: String) -> [(lower: Int64, upper: Int64, count: Int64)] {
      rows.filter { $0[3] == metric }.map { (Int64($0[4]) ?? -1, Int64($0[5]) ?? -1, Int64($0[6]) ?? -1) }
    }
    #expect(rows.allSatisfy { $0[0] == run.run.description && $0[1] == "loopback" && $0[2] == "" })
    #expect(values("service").map(\.count) == [3])
    #expect(values("accept").map(\.count) == [3])
    let delivery = values("delivery")
    #expect(delivery.map(\.count) == [1, 1])
    for (bucket, value) in zip(delivery, [Int64(5000), 7000]) {
      #expect(bucket.lower <= value && value <= bucket.upper)
      #expect(bucket.upper - bucket.lower <= value / 500)
    }
  }

  @Test func summaryHasARowForEachQuantile() throws {
    let rows = try fixture.rows(.summary)
    // Path and shown only where there are any.
    #expect(rows.count == (Metric.allCases.count - 2) * Quantile.standard.count)
    // Then the effective count, which is at most the count, and whether earlier windows were considered.
    func begins(_ row: String, _ start: String) -> Bool { row.hasPrefix(start) && row.hasSuffix(",false") }
    #expect(rows.first.map { begins($0, "\(run.run),loopback,,service,4,3,0.5,,,,,,0,") } == true)
    #expect(rows.contains { begins($0, "\(run.run),loopback,,delivery,4,2,0.999,,,,0,,0,") })
  }
}
