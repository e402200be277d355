import Configuration
import HTTPServer
import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector

@Suite struct ConditionWatchTests {
  private let directory: TemporaryDirectory
  private let clock = SteppedHostClock()
  private let store: CollectorStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try CollectorStore.open(
      at: directory.file("s.sqlite"), clock: clock, options: CollectorStoreOptions(bootID: "boot"))
  }

  private func subjects(_ kind: Condition.Kind) throws -> [String] {
    try store.conditions(kind).map(\.subject)
  }

  @Test("certificates are read again, and are those of the configuration as it is")
  func certificates() throws {
    let files = try LocalAuthority.credentials(in: directory.path, now: clock.wallNow())
    var configured = [
      ShownCertificate(shownBy: "the receipt listener", path: files.certificateFile)
    ]
    var watch = ConditionWatch(store, clock: clock, certificates: { configured }, onLine: { _ in })
    try watch.poll()
    let certificate = try #require(try store.conditions(.certificate).first)
    #expect(certificate.subject == "the receipt listener" && certificate.detail == files.certificateFile)
    let end = try #require(certificate.until)
    #expect(end > clock.wallNow() && certificate.since <= clock.wallNow())
    configured = [
      .init(shownBy: "the web endpoint", path: files.certificateFile),
      .init(shownBy: "ios", path: "/nowhere"),
    ]
    try watch.poll()
    #expect(try subjects(.certificate) == ["the receipt listener"], "not yet")
    clock.advance(by: ConditionWatch.certificateInterval)
    try watch.poll()
    #expect(try subjects(.certificate) == ["the web endpoint"])
  }

  @Test("the log is told once of a certificate that ends, and once of its end")
  func certificatesAreTold() throws {
    let files = try LocalAuthority.credentials(in: directory.path, now: clock.wallNow())
    let lines = Mutex<[String]>([])
    var watch = ConditionWatch(
      store, clock: clock,
      certificates: { [ShownCertificate(shownBy: "the web endpoint", path: files.certificateFile)] },
      onLine: { line in lines.withLock { $0.append(line) } })
    try watch.poll()
    #expect(lines.withLock { $0.count } == 0)
    let certificate = try #require(try store.conditions(.certificate).first)
    let end = try #require(certificate.until)
    for before in [Duration.seconds(180_600), .hours(49), .seconds(-60), .seconds(-9_000)] {
      clock.stepWall(by: end - clock.wallNow() - before)
      clock.advance(by: ConditionWatch.interval)
      try watch.poll()
    }
    let told = lines.withLock { $0 }
    #expect(
      told.map { String($0.prefix { $0 != "(" }) } == [
        "the web endpoint's certificate ends in 2 d 2 h ", "the web endpoint's certificate ended 11 min ago ",
      ])
  }

  @Test("the disk does not take the log: since when and why, until it does, and not of the collector before")
  func failingSync() throws {
    func noted() throws -> [String] { try store.conditions(.sync).map(\.detail) }
    try store.replace(.sync, by: [Condition(.sync, since: clock.wallNow(), detail: "old")])
    var watch = ConditionWatch(store, clock: clock, certificates: { [] }, onLine: { _ in })
    try watch.poll()
    #expect(try noted().isEmpty)
    try watch.record(sync: .success(true))
    #expect(try noted().isEmpty)
    func error(_ detail: String) -> StoreError {
      StoreError(.ioFailure, path: "s.sqlite-wal", detail: detail, remedy: "")
    }
    let start = clock.wallNow()
    for error in [error("No space"), error("Input/output error"), error("Input/output error")] {
      try watch.record(sync: .failure(error))
      clock.advance(by: .seconds(1))
      try watch.record(sync: .success(false))
    }
    #expect(try noted() == ["Input/output error"])
    #expect(try store.conditions(.sync).first?.since == start)
    try watch.record(sync: .success(true))
    #expect(try noted().isEmpty)
  }

  @Test("the start is noted once; the disk's free space each day, for eight days")
  func startAndDisk() throws {
    let start = clock.wallNow()
    var watch = ConditionWatch(store, clock: clock, certificates: { [] }, onLine: { _ in })
    for hour in 0..<24 * 12 {
      try watch.poll()
      if hour < 24 { #expect(try store.conditions(.disk).count == 1) }
      clock.advance(by: .hours(1))
    }
    #expect(try store.conditions(.collector).map(\.since) == [start])
    let disk = try store.conditions(.disk)
    #expect(disk.count == 8)
    #expect(disk.allSatisfy { Int64($0.detail).map { $0 > 0 } ?? false })
    // What a clock noted that was ahead is not of the past.
    clock.stepWall(by: .days(-30))
    try watch.poll()
    #expect(try store.conditions(.disk).map(\.since) == [clock.wallNow()])
  }

  @Test func theConfigurationNamesItsCertificates() throws {
    try directory.write("c.pem", "not looked at yet")
    try directory.write("s", "0123456789abcdef0123456789abcdef")
    let file = try directory.write(
      "p.yaml",
      """
      collector:
        receipts: { listen: 127.0.0.1:8443, certificate_file: c.pem, key_file: c.pem, secret_file: s }
      service: { listen: 127.0.0.1:9464, certificate_file: c.pem, key_file: c.pem }
      targets:
        - name: ios
          provider: apns
          device_token: ${TOKEN}
          endpoint: https://api.push.apple.com
          credentials: { certificate_file: c.pem, private_key_file: c.pem }
          schedule: { rate: 1/s }

      """)
    let configuration = try PushscopeConfiguration.load(path: file, environment: ["TOKEN": "device"])
    #expect(
      configuration.shownCertificates.map(\.shownBy) == ["the receipt listener", "the web endpoint", "ios"])
  }
}
