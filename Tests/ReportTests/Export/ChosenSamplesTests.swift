import Formats
import Measurement
import Report
import Store
import StoreTestKit
import Testing

@Suite struct ChosenSamplesTests {
  @Test func chosenRowsAreThoseOfTheWholeTableInItsOrder() throws {
    let fixture = try RecordedStore()
    let targets = ["a", "b"].map {
      TargetDescription(name: $0, provider: "loopback", receiptDeadline: 30_000_000, askedRate: 4)
    }
    let run = try fixture.begin(0, targets)
    let other = try fixture.begin(1, targets)
    // More than one chunk of a stream.
    for registered in [run, other] {
      for target in registered.targets {
        try fixture.commit(
          registered.run, (1...1_500).map { Sample.planned(target.id, $0).accepted(lag: 1, service: $0) })
      }
    }
    let all = try fixture.rows(.samples)
    #expect(all.count == 6_000)
    let ids = [run.targets[0], other.targets[1]].flatMap { target in
      stride(from: Int64(1), through: 1_600, by: 1).map { SampleID(target: target.id, sequence: $0) }
    }
    let sink = MemorySink()
    let reader = try fixture.reader()
    let count = try Exporter(reader: reader).exportSamples(
      withIDs: ids.reversed() + [SampleID(target: TargetID(rawValue: 99), sequence: 1)], of: reader, to: sink)
    let rows = sink.text.split(separator: "\r\n").map(String.init)
    #expect(count == 3_000)
    #expect(rows[0] == ExportTable.samples.columns.joined(separator: ","))
    #expect(Array(rows.dropFirst()) == Array(all[0..<1_500] + all[4_500..<6_000]))
  }

  @Test func nothingChosenIsATableWithoutRows() throws {
    let fixture = try RecordedStore()
    let sink = MemorySink()
    let reader = try fixture.reader()
    #expect(try Exporter(reader: reader).exportSamples(withIDs: [], of: reader, to: sink) == 0)
    #expect(sink.text == ExportTable.samples.columns.joined(separator: ",") + "\r\n")
  }
}
