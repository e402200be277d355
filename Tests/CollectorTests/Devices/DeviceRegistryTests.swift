import Configuration
import Foundation
import GRDB
import Measurement
import Store
import TestKit
import Testing

@testable import Collector

/// Joining, leaving, and what is kept of it.
@Suite("Devices that join", .timeLimit(.minutes(TestLength.isLong ? 30 : 5)))
struct DeviceRegistryTests {
  private func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
  }

  @Test("an invitation lets one device join, once; its target, row and file are there") func join()
    async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let token = try await fixture.invite("reception")
    #expect(fixture.registry.isInvited(token))
    let device = try await fixture.registry.join(
      token: token, DeviceFixture.subscription(), platform: "Safari on iPhone"
    ).get()
    #expect(device.name == "reception" && device.key.count == 64)
    #expect(fixture.effective.targets.map(\.name) == ["reception"])
    #expect(fixture.changes == ["device joined: reception"])
    #expect(
      try fixture.rows() == [
        DeviceRecord(
          name: "reception", platform: "Safari on iPhone", service: "fcm.googleapis.com",
          joinedAt: fixture.clock.wallNow(), state: .active)
      ])
    let directory = fixture.registry.directory
    #expect(try mode(directory.path) == 0o700)
    #expect(try mode(directory.file(of: "reception")) == 0o600 && mode(directory.vapidKeyFile) == 0o600)
    let text = try String(contentsOfFile: directory.file(of: "reception"), encoding: .utf8)
    #expect(!text.contains(device.key), "the device alone has its key")
    // Used up.
    #expect(!fixture.registry.isInvited(token))
    let again = await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "")
    #expect(throws: DeviceRegistry.notInvited) { try again.get() }
  }

  @Test("devices and open invitations outlive the collector; the key stays") func restart() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    let device = try await fixture.join("reception")
    let token = try await fixture.invite("lobby")
    let key = fixture.registry.applicationServerKey
    fixture.registry.close()
    fixture.store.close()
    let next = try DeviceFixture(directory: fixture.directory)
    try next.open()
    #expect(next.effective.targets.map(\.name) == ["reception"])
    #expect(next.registry.isInvited(token))
    #expect(next.registry.applicationServerKey == key)
    #expect(next.registry.device(keyHash: DeviceRegistry.hash(device.key))?.name == "reception")
  }

  @Test("an expired invitation, a wrong token and a foreign push service are refused") func refusals()
    async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let token = try await fixture.invite("reception", for: .seconds(60))
    let foreign = await fixture.registry.join(
      token: token, DeviceFixture.subscription("https://evil.example/x"), platform: "")
    #expect(throws: DeviceRegistry.Refusal.self) { try foreign.get() }
    #expect(fixture.registry.isInvited(token), "it is not used up by a refusal")
    fixture.clock.advance(by: .seconds(61))
    let late = await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "")
    #expect(throws: DeviceRegistry.notInvited) { try late.get() }
    #expect(fixture.effective.targets.isEmpty && fixture.changes.isEmpty)
    #expect(try fixture.rows().isEmpty)
  }

  @Test("where the configuration does not take a device, all is as before and the invitation is valid")
  func refusedByConfiguration() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    fixture.answer(.refused("pushscope.yaml:3: no"))
    let token = try await fixture.invite("reception")
    let joined = await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "")
    #expect(throws: DeviceRegistry.Refusal.self) { try joined.get() }
    #expect(fixture.registry.isInvited(token) && fixture.effective.targets.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: fixture.registry.directory.file(of: "reception")))
    fixture.answer(.taken(""))
    _ = try await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "").get()
    #expect(fixture.effective.targets.map(\.name) == ["reception"])
  }

  @Test("where a device's file cannot be written the invitation is as it was") func unwritable() async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let token = try await fixture.invite("reception")
    // In the place of the temporary file, so that not even root can write it.
    let obstacle = fixture.registry.directory.file(of: "reception") + ".new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    let joined = await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "")
    #expect(throws: DeviceRegistry.unavailable) { try joined.get() }
    #expect(fixture.registry.isInvited(token) && fixture.effective.targets.isEmpty && fixture.changes.isEmpty)
    try FileManager.default.removeItem(atPath: obstacle)
    _ = try await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "").get()
    #expect(fixture.effective.targets.map(\.name) == ["reception"])
  }

  @Test("at most as many devices and joins as are allowed") func limits() async throws {
    let fixture = try DeviceFixture("maximum: 2")
    try fixture.open()
    _ = try await fixture.join("a")
    _ = try await fixture.join("b")
    let refusal = await fixture.registry.carryOut(
      .invite(.init(name: "c", expiresAt: fixture.clock.wallNow() + .minutes(1), tokenHash: "x")))
    #expect(refusal?.contains("devices.maximum") == true)
    // Joining anew under a name needs no further place.
    for _ in 0..<(DeviceRegistry.mostJoinsPerHour - 2) { _ = try await fixture.join("b") }
    let token = try await fixture.invite("b")
    let tooMany = await fixture.registry.join(token: token, DeviceFixture.subscription(), platform: "")
    #expect(throws: DeviceRegistry.Refusal.self) { try tooMany.get() }
    fixture.clock.advance(by: .seconds(3600))
    let another = try await fixture.invite("b")
    _ = try await fixture.registry.join(token: another, DeviceFixture.subscription(), platform: "").get()
  }

  @Test("a device pauses, goes on, has another subscription, and leaves") func changes() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    let hash = DeviceRegistry.hash(try await fixture.join("reception").key)
    let paused = await fixture.registry.update(keyHash: hash, .pause(true))
    #expect(try paused.get() == .init(name: "reception", state: .paused))
    #expect(fixture.effective.targets.isEmpty)
    #expect(try fixture.rows().map(\.state) == [.paused])
    _ = await fixture.registry.update(keyHash: hash, .pause(false))
    #expect(fixture.effective.targets.count == 1)
    let moved = DeviceFixture.subscription("https://web.push.apple.com/x")
    _ = await fixture.registry.update(keyHash: hash, .subscription(moved))
    #expect(fixture.effective.targets.map(\.endpoint.host) == ["web.push.apple.com"])
    let foreign = await fixture.registry.update(
      keyHash: hash, .subscription(DeviceFixture.subscription("https://127.0.0.1/x")))
    #expect(throws: DeviceRegistry.Refusal.self) { try foreign.get() }
    let left = await fixture.registry.update(keyHash: hash, .leave)
    #expect(try left.get() == nil)
    #expect(fixture.effective.targets.isEmpty)
    #expect(try fixture.rows().map(\.state) == [.left] && fixture.rows()[0].leftAt != nil)
    #expect(!FileManager.default.fileExists(atPath: fixture.registry.directory.file(of: "reception")))
    let unknown = await fixture.registry.update(keyHash: hash, .pause(true))
    #expect(throws: DeviceRegistry.unknownDevice) { try unknown.get() }
  }

  @Test("refused twice, a minute apart, it is gone; another subscription revives it") func gone() async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let hash = DeviceRegistry.hash(try await fixture.join("reception").key)
    fixture.registry.handleAnswer(status: 410, keyHash: hash)
    fixture.clock.advance(by: .seconds(30))
    fixture.registry.handleAnswer(status: 410, keyHash: hash)
    fixture.clock.advance(by: .seconds(31))
    // An answer in between shows that it is known.
    fixture.registry.handleAnswer(status: 201, keyHash: hash)
    fixture.registry.handleAnswer(status: 404, keyHash: hash)
    fixture.clock.advance(by: .seconds(61))
    #expect(fixture.registry.device(keyHash: hash)?.state == .active)
    fixture.registry.handleAnswer(status: 404, keyHash: hash)
    try await eventually("it is gone") { fixture.registry.device(keyHash: hash)?.state == .gone }
    try await eventually("it is recorded") { try fixture.rows().map(\.state) == [.gone] }
    #expect(fixture.effective.targets.isEmpty)
    let reader = try StoreReader.open(at: fixture.store.path)
    defer { reader.close() }
    try await eventually("the event is there") {
      var kinds: [EventKind] = []
      try reader.forEachEvent(.everything) { kinds.append($0.event.kind) }
      return kinds.contains(.deviceGone)
    }
    let same = await fixture.registry.update(keyHash: hash, .subscription(DeviceFixture.subscription()))
    #expect(try same.get()?.state == .gone, "the same one is refused again")
    let resumed = await fixture.registry.update(keyHash: hash, .pause(false))
    #expect(try resumed.get()?.state == .gone)
    let other = DeviceFixture.subscription("https://fcm.googleapis.com/fcm/send/b")
    let revived = await fixture.registry.update(keyHash: hash, .subscription(other))
    #expect(try revived.get()?.state == .active)
    #expect(fixture.effective.targets.map(\.name) == ["reception"])
  }

  @Test("a configured target has precedence over a device of its name") func shadowed() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    let key = try await fixture.join("reception").key
    fixture.registry.close()
    fixture.store.close()
    let next = try DeviceFixture(
      targets: "targets: [{ name: reception, provider: loopback, endpoint: 'https://127.0.0.1:1' }]",
      directory: fixture.directory)
    try next.open()
    #expect(next.effective.targets.map(\.provider) == [.loopback])
    #expect(try next.rows().map(\.state) == [.shadowed])
    #expect(next.registry.device(keyHash: DeviceRegistry.hash(key))?.state == .shadowed)
    let refusal = await next.registry.carryOut(
      .invite(.init(name: "reception", expiresAt: next.clock.wallNow() + .minutes(1), tokenHash: "x")))
    #expect(refusal?.contains("a configured target") == true)
  }

  @Test("a device whose push service may not be sent to any more is gone") func serviceRemoved() async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let key = try await fixture.join("reception").key
    fixture.registry.close()
    fixture.store.close()
    let next = try DeviceFixture("services: [ web.push.apple.com ]", directory: fixture.directory)
    try next.open()
    #expect(next.effective.targets.isEmpty)
    #expect(try next.rows().map(\.state) == [.gone])
    let status = next.registry.device(keyHash: DeviceRegistry.hash(key))
    #expect(status?.state == .gone && status?.isServed == false)
  }

  @Test("a failure of the store undoes nothing, and is mended") func unrecorded() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    let other = try DatabaseQueue(path: fixture.store.path)
    try await other.write {
      try $0.execute(
        sql: "CREATE TRIGGER full BEFORE INSERT ON device BEGIN SELECT RAISE(ABORT, 'full'); END")
    }
    let key = try await fixture.join("reception").key
    #expect(fixture.effective.targets.map(\.name) == ["reception"])
    #expect(fixture.registry.device(keyHash: DeviceRegistry.hash(key))?.state == .active)
    #expect(try fixture.rows().isEmpty)
    try await other.write { try $0.execute(sql: "DROP TRIGGER full") }
    fixture.registry.recordAgain()
    #expect(try fixture.rows().map(\.name) == ["reception"])
  }

  @Test("a device may change a limited number of times an hour, and always leave") func changesPerHour()
    async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    let hash = DeviceRegistry.hash(try await fixture.join("reception").key)
    for number in 0..<DeviceRegistry.mostChangesPerHour {
      _ = try await fixture.registry.update(keyHash: hash, .pause(number % 2 == 0)).get()
    }
    let refused = await fixture.registry.update(keyHash: hash, .pause(true))
    #expect(throws: DeviceRegistry.Refusal.self) { try refused.get() }
    #expect(try await fixture.registry.update(keyHash: hash, .leave).get() == nil)
  }

  @Test("a device that joins and leaves again and again leaves nothing behind") func oftenJoined()
    async throws
  {
    let fixture = try DeviceFixture()
    try fixture.open()
    for _ in 0..<(TestLength.isLong ? 1000 : 100) {
      let hash = DeviceRegistry.hash(try await fixture.join("reception").key)
      _ = try await fixture.registry.update(keyHash: hash, .leave).get()
      fixture.clock.advance(by: .seconds(181))
    }
    #expect(try fixture.rows().count == 1)
    let directory = fixture.registry.directory
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/devices").isEmpty)
    #expect(try directory.invitations().isEmpty)
  }

  @Test("what a stranger writes is kept within bounds") func strangersTexts() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    var long = DeviceFixture.subscription()
    long.endpoint = "https://fcm.googleapis.com/" + String(repeating: "a", count: 5000)
    #expect(!long.isUsable)
    for name in ["", "-x", "../x", "a b", "a\u{1B}[2J", String(repeating: "n", count: 65), "ü"] {
      let refusal = await fixture.registry.carryOut(
        .invite(.init(name: name, expiresAt: fixture.clock.wallNow() + .minutes(1), tokenHash: "x")))
      #expect(refusal?.contains("no device's name") == true, "\(name)")
    }
    for number in 0..<DeviceRegistry.mostInvitations { _ = try await fixture.invite("device\(number)") }
    let refusal = await fixture.registry.carryOut(
      .invite(.init(name: "more", expiresAt: fixture.clock.wallNow() + .minutes(1), tokenHash: "x")))
    #expect(refusal?.contains("invitations are open") == true)
  }

  @Test("rename and remove, and what cannot be") func commands() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    _ = try await fixture.join("reception")
    _ = try await fixture.join("lobby")
    #expect(await fixture.registry.carryOut(.rename("reception", to: "entrance")) == nil)
    #expect(fixture.effective.targets.map(\.name) == ["entrance", "lobby"])
    for (name, other) in [
      ("entrance", "lobby"), ("nobody", "x"), ("lobby", "../x"), ("lobby", "-x"), ("lobby", "lobby"),
    ] {
      #expect(await fixture.registry.carryOut(.rename(name, to: other)) != nil, "\(name) \(other)")
    }
    #expect(await fixture.registry.carryOut(.remove(name: "nobody")) == "there is no device named nobody")
    #expect(await fixture.registry.carryOut(.remove(name: "lobby")) == nil)
    #expect(fixture.effective.targets.map(\.name) == ["entrance"])
    #expect(try fixture.rows().filter { $0.state != .left }.map(\.name) == ["entrance"])
  }

  @Test("the directory of another collector, a lost key and a damaged file are refused")
  func foreignDirectory() async throws {
    let fixture = try DeviceFixture()
    try fixture.open()
    _ = try await fixture.join("reception")
    let directory = fixture.registry.directory
    #expect(throws: DeviceDirectoryError.self) { try directory.prepare(for: UUID()) }
    let key = try Data(contentsOf: URL(fileURLWithPath: directory.vapidKeyFile))
    try FileManager.default.removeItem(atPath: directory.vapidKeyFile)
    #expect(throws: DeviceDirectoryError.self) { try directory.prepare(for: fixture.store.collectorID) }
    #expect(!FileManager.default.fileExists(atPath: directory.vapidKeyFile), "no other key is made")
    try key.write(to: URL(fileURLWithPath: directory.vapidKeyFile))
    try fixture.directory.write("store.sqlite.devices/devices/reception.json", "{")
    let content = try directory.content()
    #expect(content.devices.isEmpty && content.problems.count == 1, "\(content)")
    try fixture.directory.write("store.sqlite.devices/invitations", "{")
    #expect(throws: DeviceDirectoryError.self) { try directory.invitations() }
    chmod(directory.path, 0o750)
    #expect(throws: DeviceDirectoryError.self) { try directory.prepare(for: fixture.store.collectorID) }
  }
}
