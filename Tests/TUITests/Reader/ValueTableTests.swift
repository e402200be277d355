import Findings
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Analysis
@testable import Store
@testable import TUI

@Suite("The table of a key's values")
struct ValueTableTests {
  private final class Watcher {
    private var source: SnapshotSource

    init(_ fixture: RecordedStore, zone: LocalTime = .utc) {
      source = SnapshotSource(
        place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
        zone: zone)
    }

    func poll(_ order: ValueTableOrder?) -> ValueTable? {
      source.show(PanelOrder(values: order))
      return source.poll(nil)?.panels.values
    }
  }

  private static func commit(_ fixture: RecordedStore, _ samples: [Sample]) throws {
    fixture.clock.advance(by: StoreFollower.runInterval)
    let contexts = ["wifi", "cellular"].enumerated().map { place, network in
      var context = DeviceContext()
      context[.network] = network
      return StoredDeviceContext(id: DeviceContextID(rawValue: Int64(place) + 1), context: context)
    }
    let isFirst = samples.contains { $0.id.sequence == 1 }
    try fixture.write(
      WriteBatch(run: fixture.run?.run, inserted: samples, contexts: isFirst ? contexts : []))
  }

  /// Every second, by turns over Wi-Fi and slower over the cellular network; each tenth is lost.
  private static func samples(_ fixture: RecordedStore, target: Int = 0, count: Int64 = 400) -> [Sample] {
    (1...count).map { sequence in
      let isCellular = sequence % 2 == 0
      var sample = fixture.delivered(
        sequence, target: target, at: sequence * 1_000, after: (isCellular ? 3_000_000 : 300_000) + sequence)
      sample.context = DeviceContextID(rawValue: isCellular ? 2 : 1)
      guard sequence % 10 == 0 else { return sample }
      (sample.state, sample.deliveryLatency, sample.deliveryError, sample.context) = (.lost, nil, nil, nil)
      return sample
    }
  }

  private static func order(
    _ fixture: RecordedStore, _ key: BreakdownKey = .context(.network), seconds: Int64 = 300,
    targets: [Int] = [0]
  ) -> ValueTableOrder {
    ValueTableOrder(
      key: key,
      window: fixture.start.wall..<fixture.start.wall.advanced(byMicroseconds: seconds * 1_000_000),
      targets: targets.compactMap { fixture.run?.targets[$0].id })
  }

  @Test("has the figures of summary --by for the same time, of the targets in the plot")
  func figures() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b"], deadline: 2_000_000)
    try Self.commit(fixture, Self.samples(fixture) + Self.samples(fixture, target: 1, count: 7))
    let order = Self.order(fixture)
    let source = Watcher(fixture)
    let table = try #require(source.poll(order))
    #expect(table.order == order && table.metric == .delivery)
    #expect(table.share == .within(2_000_000, source: "receipt_deadline"))
    #expect(table.rows.map(\.values) == [["wifi"], ["cellular"], ["not reported"], ["all"]])
    #expect(table.rows.map(\.counts.due) == [150, 120, 29, 299])
    #expect(table.rows.map { $0.inTime?.share } == [1, 0, 0, 150.0 / 299])
    // The same as the command's code says.
    let reader = try fixture.reader()
    let targets = try reader.targets(of: try #require(fixture.run?.run)).filter { $0.name == "a" }
    let window = try #require(
      try SeriesReader(reader).window(
        of: targets.map(\.id), since: order.window.lowerBound, until: order.window.upperBound))
    let expected = try BreakdownTable(
      reader, BreakdownKeys([order.key]), of: targets, metric: .delivery,
      share: .within(2_000_000, of: .delivery, base: .planned), in: window.time)
    #expect(table.content == .rows(expected) && expected.rows[1].median?.value ?? 0 > 3_000_000)
  }

  @Test("is read only while it is shown, again after a change, and at once for another key")
  func turns() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture)
    try Self.commit(fixture, Self.samples(fixture, count: 10))
    #expect(source.poll(nil) == nil)
    #expect(source.poll(Self.order(fixture))?.rows.last?.counts.due == 10)
    fixture.clock.advance(by: .seconds(20))
    try Self.commit(fixture, Array(Self.samples(fixture, count: 12).suffix(2)))
    #expect(source.poll(Self.order(fixture))?.rows.last?.counts.due == 12)
    try Self.commit(fixture, Array(Self.samples(fixture, count: 13).suffix(1)))
    // Not within the pause.
    #expect(source.poll(Self.order(fixture))?.rows.last?.counts.due == 12)
    let other = try #require(source.poll(Self.order(fixture, .minute)))
    #expect(other.order.key == .minute && other.rows.last?.counts.due == 13)
  }

  @Test("without a common limit the share is that of the delivered; hours are those of the zone")
  func limits() throws {
    let fixture = try RecordedStore()
    try fixture.begin(
      [("a", Int64(2_000_000)), ("b", 5_000_000)].map {
        TargetDescription(name: $0.0, provider: "loopback", receiptDeadline: $0.1, askedRate: 1)
      })
    try Self.commit(fixture, Self.samples(fixture) + Self.samples(fixture, target: 1))
    let source = Watcher(fixture, zone: LocalTime { _ in 3_600_000_000 })
    let table = try #require(source.poll(Self.order(fixture, .hour, targets: [0, 1])))
    #expect(table.share == .delivered && table.rows.map(\.values) == [["15:00"]])
    #expect(table.rows[0].inTime?.events == 540 && table.rows[0].counts.due == 598)
    let empty = try #require(source.poll(Self.order(fixture, .hour, seconds: 1)))
    #expect(empty.content == .nothing && empty.rows.isEmpty)
  }
}
