import Analysis
import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store
@testable import TUI

@Suite("Values of a key are read with the notifications")
struct PointValueTests {
  private final class Watcher {
    private var source: SnapshotSource

    init(_ fixture: RecordedStore, capacity: Int = PointWindow.capacity, zone: LocalTime = .utc) {
      source = SnapshotSource(
        place: .store(fixture.path), subject: Subject(), clock: fixture.clock, bootID: fixture.bootID,
        capacity: capacity, zone: zone)
    }

    func poll(_ key: BreakdownKey?, _ request: ReadRequest? = nil) -> Snapshot? {
      source.color(by: key)
      return source.poll(request)
    }
  }

  private static let network = BreakdownKey.context(.network)
  private static let networks = ["wifi", "cellular", "ethernet"]

  private static func contexts(_ range: ClosedRange<Int64> = 1...3) -> [StoredDeviceContext] {
    range.map { id in
      var context = DeviceContext()
      context[.network] = networks[Int(id) - 1]
      context[.os] = "os \(id)"
      return StoredDeviceContext(id: DeviceContextID(rawValue: id), context: context)
    }
  }

  private static func delivered(
    _ fixture: RecordedStore, _ sequence: Int64, target: Int = 0, at milliseconds: Int64, context: Int64?
  ) -> Sample {
    var sample = fixture.delivered(sequence, target: target, at: milliseconds)
    sample.context = context.map(DeviceContextID.init(rawValue:))
    sample.payloadBytes = Int(sequence % 7) * 40 + 20
    sample.connection = ConnectionUse(id: 1, age: 0, isFresh: sequence % 3 == 0, streamsInFlight: 1)
    return sample
  }

  private static func commit(
    _ fixture: RecordedStore, inserted: [Sample] = [], updated: [Sample] = [],
    contexts: [StoredDeviceContext] = []
  ) throws {
    fixture.clock.advance(by: StoreFollower.runInterval)
    try fixture.write(
      WriteBatch(run: fixture.run?.run, inserted: inserted, updated: updated, contexts: contexts))
  }

  private static func texts(_ snapshot: Snapshot, target: Int = 0) throws -> [String] {
    let values = try #require(snapshot.values)
    let track = snapshot.tracks[target]
    return (0..<track.count).map { values.text(of: track[$0].valueNumber) }
  }

  @Test("a receipt that comes later brings its value with it; one that was pending has none")
  func follows() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture)
    try Self.commit(
      fixture,
      inserted: [
        Self.delivered(fixture, 1, at: 10, context: 2), Self.delivered(fixture, 2, at: 20, context: nil),
        fixture.sample(3, at: 30),
      ], contexts: Self.contexts(2...2))
    var snapshot = try #require(source.poll(Self.network))
    #expect(try Self.texts(snapshot) == ["cellular", "not reported", ""])
    #expect(snapshot.values?.key == Self.network)
    // In words that were not known when the division began.
    try Self.commit(
      fixture, updated: [Self.delivered(fixture, 3, at: 30, context: 1)], contexts: Self.contexts(1...1))
    snapshot = try #require(source.poll(Self.network))
    #expect(try Self.texts(snapshot) == ["cellular", "not reported", "wifi"])
    let values = try #require(snapshot.values)
    #expect(values.order.map(values.text) == ["wifi", "cellular", "not reported"], "in the key's order")
    #expect(source.poll(Self.network) == nil, "nothing has changed")
    snapshot = try #require(source.poll(nil))
    #expect(snapshot.values == nil)
  }

  @Test("gaps of notifications that are sent while the key is chosen count from those before")
  func gaps() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture)
    try Self.commit(fixture, inserted: [Self.delivered(fixture, 1, at: 10, context: nil)])
    var snapshot = try #require(source.poll(.gap))
    #expect(try Self.texts(snapshot) == ["the first"])
    try Self.commit(fixture, inserted: [Self.delivered(fixture, 2, at: 30_010, context: nil)])
    _ = source.poll(.gap)
    try Self.commit(fixture, inserted: [Self.delivered(fixture, 3, at: 31_510, context: nil)])
    snapshot = try #require(source.poll(.gap))
    #expect(try Self.texts(snapshot) == ["the first", "20 s to 50 s", "1 s to 2 s"])
  }

  @Test("another key is another division; hours are those of the zone")
  func otherKey() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture, zone: LocalTime { _ in 3_600_000_000 })
    try Self.commit(
      fixture, inserted: [Self.delivered(fixture, 1, at: 10, context: 1)], contexts: Self.contexts())
    let first = try #require(source.poll(Self.network)?.values)
    let second = try #require(source.poll(.hour)?.values)
    #expect(first.division != second.division && second.texts == ["15:00"])
  }

  @Test("a device that is known by the first receipt only has its name from then on")
  func device() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture)
    try Self.commit(fixture, inserted: (1...3).map { fixture.sample($0, at: $0 * 10) })
    #expect(source.poll(.device)?.values?.texts.isEmpty == true)
    let sample = Self.delivered(fixture, 1, at: 10, context: nil)
    let received = sample.plannedAt.advanced(byMicroseconds: 200_000)
    fixture.clock.advance(by: StoreFollower.runInterval)
    try fixture.write(
      WriteBatch(
        run: fixture.run?.run, updated: [sample],
        receipts: [
          Receipt(
            sample: sample.id, device: "pixel", receivedAt: received, arrivedAt: received, isSameClock: true)
        ]))
    let first = try #require(source.poll(.device))
    #expect(try Self.texts(first) == ["pixel", "", ""])
    try Self.commit(fixture, updated: [Self.delivered(fixture, 2, at: 20, context: nil)])
    let second = try #require(source.poll(.device))
    #expect(try Self.texts(second) == ["pixel", "pixel", ""])
    #expect(second.values?.division == first.values?.division)
  }

  @Test("a change does not write to what did not change")
  func shares() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture)
    try Self.commit(
      fixture,
      inserted: (1...1_500).map { Self.delivered(fixture, $0, at: $0 * 10, context: $0 % 3 + 1) },
      contexts: Self.contexts())
    let first = try #require(source.poll(Self.network))
    try Self.commit(fixture, updated: [Self.delivered(fixture, 1_500, at: 15_000, context: nil)])
    let second = try #require(source.poll(Self.network))
    #expect(second.tracks[0].unchangedCount(since: first.tracks[0]) == 2 * PointTrack.chunkSize)
    #expect(try Self.texts(second).last == "not reported")
  }

  @Test("a window in the past has its values, too")
  func past() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    let source = Watcher(fixture, capacity: 200)
    try Self.commit(
      fixture,
      inserted: (1...1_000).map { Self.delivered(fixture, $0, at: $0 * 10, context: $0 % 3 + 1) },
      contexts: Self.contexts())
    for key in [Self.network, .gap, .payload] {
      _ = source.poll(key)
      let request = ReadRequest(
        from: fixture.start.wall, to: fixture.start.wall.advanced(byMicroseconds: 1_500_000),
        tick: .milliseconds(1))
      let snapshot = try #require(source.poll(key, request))
      #expect(snapshot.tracks[0].count == 149)
      let texts = try Self.texts(snapshot)
      #expect(!texts.contains(""), "\(key)")
      if key == Self.network { #expect(texts[0] == "cellular" && texts[1] == "ethernet") }
      if key == .gap { #expect(texts[0] == "the first" && texts[1] == "0 s to 1 s") }
      _ = source.poll(key)
    }
  }

  @Test(
    "whatever is written in whatever order, values are those of the division that reports are made from",
    arguments: BreakdownKey.named + [.label("region")])
  func agrees(_ key: BreakdownKey) throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b", "c"])
    let source = Watcher(fixture)
    var generator = SeededGenerator(seed: 39)
    var next: [Int64] = [1, 1, 1]
    var latest: Snapshot?
    for round in 0..<25 {
      var inserted: [Sample] = []
      for target in 0..<3 where Bool.random(using: &generator) {
        for _ in 0..<Int.random(in: 1...40, using: &generator) {
          inserted.append(fixture.sample(next[target], target: target, at: next[target] * 2_300))
          next[target] += 1
        }
      }
      try Self.commit(
        fixture, inserted: inserted.sorted { $0.id < $1.id }, contexts: round == 0 ? Self.contexts() : [])
      var updated: [SampleID: Sample] = [:]
      for _ in 0..<30 {
        let target = Int.random(in: 0..<3, using: &generator)
        guard next[target] > 1 else { continue }
        let sequence = Int64.random(in: 1..<next[target], using: &generator)
        let context = [Int64?.none, 1, 2, 3].randomElement(using: &generator) ?? nil
        let sample = Self.delivered(
          fixture, sequence, target: target, at: sequence * 2_300, context: context)
        updated[sample.id] = sample
      }
      try Self.commit(fixture, updated: updated.values.sorted { $0.id < $1.id })
      // The key is chosen after a while.
      if round.isMultiple(of: 3) { latest = source.poll(round < 6 ? nil : key) ?? latest }
    }
    // What came between others that had been sent already may have made their gaps shorter: read anew.
    if key == .gap { _ = source.poll(nil) }
    latest = source.poll(key) ?? latest
    let snapshot = try #require(latest)
    let values = try #require(snapshot.values)
    let reader = try fixture.reader()
    let targets = try reader.targets(of: try #require(fixture.run?.run))
    let window = fixture.start.wall..<fixture.start.wall.advanced(byMicroseconds: 86_400_000_000)
    let division = try BreakdownDivision(BreakdownKeys([key]), reader, targets: targets, in: window)
    var count = 0
    for (place, target) in targets.enumerated() {
      let track = snapshot.tracks[place]
      try division.forEach(of: target, in: window) { value, row in
        guard row.state == .delivered else { return }
        let point = track[Int(row.id.sequence - track.firstSequence)]
        #expect(values.text(of: point.valueNumber) == division.texts(of: value)[0])
        count += 1
      }
    }
    #expect(count > 100)
  }
}
