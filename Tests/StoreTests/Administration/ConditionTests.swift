import Measurement
import StoreTestKit
import TestKit
import Testing

@testable import Store

@Suite struct ConditionTests {
  private func receipt(_ device: String, _ fixture: StoreFixture) -> Receipt {
    Receipt(
      sample: SampleID(target: fixture.alpha, sequence: 1), device: device,
      receivedAt: WallTime(microseconds: 1),
      arrivedAt: fixture.clock.wallNow(), isSameClock: false)
  }

  @Test func conditionsOfAKindReplaceThoseBefore() throws {
    let fixture = try StoreFixture()
    let (first, second) = (
      Condition(
        .certificate, "a", since: WallTime(microseconds: 1), until: WallTime(microseconds: 2), detail: "f"),
      Condition(.certificate, "b", since: WallTime(microseconds: 3))
    )
    let disk = Condition(.disk, "today", since: WallTime(microseconds: 4), detail: "5")
    try fixture.store.replace(.certificate, by: [first, second])
    try fixture.store.replace(.disk, by: [disk])
    #expect(try fixture.reader().conditions() == [first, second, disk])
    try fixture.store.replace(.certificate, by: [second])
    #expect(try fixture.reader().conditions() == [second, disk])
    #expect(try fixture.store.conditions(.disk) == [disk])
  }

  @Test("a device's last receipt is noted by our clock, once a minute at most, and forgotten after 30 days")
  func devices() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
    func heard() throws -> [String: WallTime] {
      Dictionary(uniqueKeysWithValues: try fixture.reader().conditions().map { ($0.subject, $0.since) })
    }
    let start = fixture.clock.wallNow()
    try fixture.commit(receipts: [receipt("a", fixture), receipt("b", fixture), receipt("a", fixture)])
    fixture.clock.advance(by: .seconds(59))
    try fixture.commit(receipts: [receipt("a", fixture)])
    #expect(try heard() == ["a": start, "b": start])
    fixture.clock.advance(by: .seconds(1))
    try fixture.commit(receipts: [receipt("a", fixture)])
    #expect(try heard() == ["a": start + .seconds(60), "b": start])
    // The clock was ahead.
    fixture.clock.stepWall(by: .days(-3))
    try fixture.commit(receipts: [receipt("a", fixture)])
    #expect(try heard()["a"] == start + .seconds(60) - .days(3))
    fixture.clock.stepWall(by: .days(30) + .seconds(1))
    try fixture.store.forgetDevices(at: start + .days(30) + .seconds(1))
    #expect(try heard().isEmpty)
  }

  @Test func devicesThatNameThemselvesAreBounded() throws {
    let fixture = try StoreFixture()
    try fixture.commit(inserted: fixture.plans(fixture.alpha, count: 1))
    try fixture.commit(receipts: (0..<1_200).map { receipt("device \($0)", fixture) })
    #expect(try fixture.reader().conditions().count == 1_000)
  }

  @Test func aBackupIsNotedBesideACollectorAndWithoutOne() throws {
    let fixture = try StoreFixture()
    func back(up name: String) throws {
      _ = try StoreBackup(
        of: fixture.directory.storePath, to: fixture.directory.file(name), clock: fixture.clock
      ).run(
        replaces: false
      ) { _ in }
    }
    try back(up: "first.sqlite")
    let first = Condition(
      .backup, since: fixture.clock.wallNow(), detail: fixture.directory.file("first.sqlite"))
    #expect(try fixture.reader().conditions() == [first])
    fixture.store.close()
    fixture.clock.advance(by: .days(1))
    try back(up: "second.sqlite")
    let found = try StoreReader.open(at: fixture.directory.storePath).conditions()
    #expect(found.map(\.since) == [first.since + .days(1)])
  }
}
