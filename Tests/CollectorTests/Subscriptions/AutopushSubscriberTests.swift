import Configuration
import Cryptography
import Foundation
import Measurement
import Providers
import Synchronization
import TestKit
import TestTraits
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

/// Against a push service that shares no code with ours (Tests/Support/autopush_server.py).
@Suite(
  "A subscriber of a push service", .ownThread, .serialized,
  .enabled(if: Python.has("wsproto"), "python3 with wsproto is not installed"), .timeLimit(.minutes(10)))
struct AutopushSubscriberTests {
  private static let authenticator = ReceiptAuthenticator(
    secret: Array("a secret of this test's own".utf8), collectorID: UUID())

  /// A subscriber, what it told, and what sends to it.
  private final class Fixture: Sendable {
    let sink: TestSink
    let subscriber: Subscriber
    let endpoint: SubscribedEndpoint
    let identities: AutopushIdentityFile
    private let senderKey: String
    private let told: Told

    private final class Told: Sendable {
      let observations = Mutex<[Observation]>([])
    }

    init(
      _ server: ServerProcess, in directory: TemporaryDirectory, timeout: Duration = .seconds(20),
      senderKey: String = "a-key", repliesAtOnce: Bool = true,
      _ change: (inout AutopushAgent) -> Void = { _ in }
    ) throws {
      let told = Told()
      self.told = told
      self.senderKey = senderKey
      sink = TestSink(repliesAtOnce: repliesAtOnce)
      endpoint = SubscribedEndpoint(origin: "https://127.0.0.1:\(server.port)")
      identities = AutopushIdentityFile(besideStore: directory.file("store"), target: "news")
      var agent = AutopushAgent(
        service: Endpoint(scheme: .https, host: "127.0.0.1", port: server.port, target: "/"),
        senderKey: senderKey,
        endpoint: endpoint, identities: identities)
      change(&agent)
      subscriber = try Subscriber(
        Subscriber.Subject(
          target: TransportRun.target, name: "news", service: agent, authenticator: authenticator,
          caFile: TestCertificate.good?.certificate, bootID: "this boot", seed: 1),
        clock: SystemClock(), timeout: timeout, sink: sink,
        post: { more in told.observations.withLock { $0 += more } })
    }

    deinit { subscriber.stop() }

    func events(_ kind: EventKind) -> [Event] {
      told.observations.withLock { $0 }.compactMap {
        guard case .event(let event) = $0, event.kind == kind else { return nil }
        return event
      }
    }

    var log: [String] {
      told.observations.withLock { $0 }.compactMap {
        guard case .log(let line) = $0 else { return nil }
        return line.message
      }
    }

    /// Everything that was said, in which no secret may be.
    var words: String { "\(told.observations.withLock { $0 })" }

    func publish(rate: Double = 100, count: Int64, ttl: Duration = .seconds(30)) throws -> TransportRun.Seen {
      let run = TransportRun()
      var target = try TransportRun.target(
        endpoint.origin + "/", rate: rate, count: count, caFile: TestCertificate.good?.certificate)
      target.providers = [
        try SubscribedProvider(to: endpoint, awayTTL: .seconds(30)) { (subscription) throws(ProviderError) in
          try WebPushProvider(subscription: subscription, ttl: ttl, authorization: "vapid t=x,k=\(senderKey)")
        }
      ]
      target.authenticator = authenticator
      try run.start(target)
      endpoint.onReplacement { [weak run] in
        run?.thread?.updateReceiver(of: TransportRun.target, isAnother: true)
      }
      #expect(run.waitForEnd())
      #expect(run.seen.wrongs == [])
      return run.seen
    }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Waits for lines of the service.
  private func lines(_ beginning: String, of server: ServerProcess, atLeast count: Int = 1) throws -> [String]
  {
    try eventually("\(count) lines \(beginning)", seen: { server.lines.suffix(30).joined(separator: "\n") }) {
      let found = server.lines.filter { $0.hasPrefix(beginning) }
      return found.count >= count ? found : nil
    }
  }

  @Test(
    "every notification is received on this host's clock, and acknowledged",
    arguments: [
      [], ["--fragments"], ["--ping"], ["--noise"], ["--twice"],
    ])
  func hears(options: [String]) async throws {
    let server = try ServerProcess.autopush(options)
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    let seen = try fixture.publish(count: 50)
    // On a host that stands still some are missed, and never sent.
    let count = seen.sent.count
    #expect(seen.accepted == count && seen.failed.isEmpty && count >= 25, "\(seen.accepted) of \(count)")
    try await fixture.sink.until { $0.received.count >= count }
    _ = try lines("ack 1 100", of: server, atLeast: count)
    let received = fixture.sink.received
    // A copy with the same version is no second delivery.
    #expect(received.count == count && Set(received.map(\.id.sample)) == Set(seen.sent.keys))
    for receipt in received {
      let sent = try #require(seen.sent[receipt.id.sample])
      let stamp = try #require(receipt.receivedMonotonic)
      #expect(stamp > sent.at && stamp - sent.at < .seconds(20))
      #expect(receipt.bootID == "this boot" && receipt.device == "news" && receipt.arrivedAt == stamp)
    }
    #expect(fixture.events(.connected).map(\.detail) == ["subscription"])
    if options == ["--ping"] { #expect(try lines("pong 1", of: server, atLeast: count).count >= count) }
    if options == ["--noise"] { #expect(try lines("ack 1 102", of: server, atLeast: count).count >= count) }
    let identity = try #require(fixture.identities.read())
    for secret in [identity.uaid, identity.endpoint, identity.channelID] {
      #expect(!fixture.words.contains(secret))
    }
    let mode = try FileManager.default.attributesOfItem(atPath: fixture.identities.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("the identity is kept from one start to the next, unless it is of another key or service")
  func keepsItsIdentity() async throws {
    let server = try ServerProcess.autopush()
    do {
      let fixture = try Fixture(server, in: directory)
      try await fixture.subscriber.opened()
    }
    let first = try #require(
      AutopushIdentityFile(besideStore: directory.file("store"), target: "news").read())
    do {
      let fixture = try Fixture(server, in: directory)
      #expect(try lines("hello 2", of: server) == ["hello 2 known"])
      try await fixture.subscriber.opened()
      #expect(try fixture.publish(count: 3).accepted == 3)
      try await fixture.sink.until { $0.received.count == 3 }
      #expect(fixture.identities.read() == first)
    }
    do {
      let fixture = try Fixture(server, in: directory, senderKey: "another")
      try await fixture.subscriber.opened()
      #expect(try lines("unregister 3", of: server).count == 1)
      #expect(try lines("register 3", of: server).count == 1)
      #expect(try fixture.publish(count: 3).accepted == 3)
      try await fixture.sink.until { $0.received.count == 3 }
    }
    try directory.write("store-news.subscription.json", "{}")
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    #expect(try lines("hello 4", of: server) == ["hello 4 new"])
  }

  @Test(
    "an end of the connection costs nothing that is kept meanwhile",
    arguments: [
      ["--close-after", "10", "--code", "1011", "--reason", "PongTimeout"],
      ["--close-after", "10", "--code", "1001"],
      ["--close-after", "10", "--abort"],
      ["--close-after", "10", "--code", "1000", "--reason", "SM"],
    ])
  func comesBack(options: [String]) async throws {
    let server = try ServerProcess.autopush(options)
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    let seen = try fixture.publish(rate: 50, count: 40)
    #expect(seen.accepted == 40)
    try await fixture.sink.until { $0.received.count >= 40 }
    #expect(Set(fixture.sink.received.map(\.id.sample)).count == 40 && fixture.sink.received.count == 40)
    #expect(try lines("hello 2", of: server) == ["hello 2 known"])
    #expect(fixture.events(.disconnected).count == 1 && fixture.events(.connected).count == 2)
    // Until the store has a receipt, its notification is not acknowledged; all are in the end.
    try await eventually("all are acknowledged") {
      Set(server.lines.filter { $0.hasPrefix("ack ") }.map { $0.split(separator: " ")[3] }).count == 40
    }
  }

  @Test("what is not stored is not acknowledged, and comes again") func acknowledgesWhatIsStored()
    async throws
  {
    let server = try ServerProcess.autopush()
    do {
      let fixture = try Fixture(server, in: directory, repliesAtOnce: false)
      try await fixture.subscriber.opened()
      #expect(try fixture.publish(count: 5).accepted == 5)
      try await fixture.sink.until { $0.received.count == 5 }
      #expect(server.lines.allSatisfy { !$0.hasPrefix("ack ") })
    }
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    try await fixture.sink.until { $0.received.count == 5 }
    // They may be copies, so that the ledger takes them for no second delivery.
    #expect(fixture.sink.received.allSatisfy { $0.mayBeRepeated })
    _ = try lines("ack 2 100", of: server, atLeast: 5)
  }

  @Test("a service that forgets the user agent is told by its answers: another hello, another subscription")
  func isForgotten() async throws {
    let server = try ServerProcess.autopush(["--forget-after", "5"])
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    let seen = try fixture.publish(rate: 20, count: 60)
    #expect(seen.accepted > 40, "\(seen.accepted)")
    #expect(try lines("hello 2", of: server) == ["hello 2 unknown"])
    try await fixture.sink.until { $0.received.count == seen.accepted }
    #expect(fixture.log.contains { $0.contains("the subscription is a new one") })
    #expect(fixture.events(.connected).count == 2)
  }

  @Test("a mute service is found by a Ping") func isMute() async throws {
    let server = try ServerProcess.autopush(["--mute-after", "3"])
    let fixture = try Fixture(server, in: directory) {
      $0.pingInterval = .milliseconds(400)
      $0.pongTimeout = .milliseconds(300)
    }
    try await fixture.subscriber.opened()
    #expect(try fixture.publish(count: 3).accepted == 3)
    try await fixture.sink.until { _ in fixture.events(.connected).count >= 2 }
    #expect(fixture.events(.disconnected).first?.detail.contains("not even an answer to a Ping") == true)
    // The second connection answers and is kept.
    _ = try lines("ping 2", of: server, atLeast: 3)
    #expect(fixture.events(.disconnected).count == 1)
  }

  @Test("a connection is renewed after its time") func isRenewed() async throws {
    let server = try ServerProcess.autopush()
    let fixture = try Fixture(server, in: directory) { $0.longest = .milliseconds(1500) }
    try await fixture.subscriber.opened()
    _ = try lines("hello 2 known", of: server)
    #expect(try lines("closed 1", of: server) == ["closed 1 1001"])
  }

  @Test(
    "what will not change ends the start, with what to do",
    arguments: [
      (["--refuse", "403"], "answers 403"),
      (["--register-status", "400"], "refuses a subscription with 400"),
      (["--other-origin"], "endpoint: https://elsewhere.example.net"),
    ])
  func refusals(options: [String], words: String) async throws {
    let server = try ServerProcess.autopush(options)
    let fixture = try Fixture(server, in: directory)
    let error = await #expect(throws: CollectorError.self) { try await fixture.subscriber.opened() }
    #expect(
      error?.code == .refused && error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test(
    "what may change is tried again",
    arguments: [
      ["--silent", "hello"], ["--silent", "register"], ["--register-status", "500"], ["--refuse", "503"],
    ])
  func triesAgain(options: [String]) async throws {
    let server = try ServerProcess.autopush(options)
    let fixture = try Fixture(server, in: directory) { $0.answerTimeout = .milliseconds(500) }
    try await fixture.subscriber.opened()
    #expect(try fixture.publish(count: 3).accepted == 3)
    try await fixture.sink.until { $0.received.count == 3 }
  }

  @Test("what cannot be decrypted is acknowledged as that, and said once") func isUnreadable() async throws {
    let server = try ServerProcess.autopush(["--spoil"])
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    #expect(try fixture.publish(count: 3).accepted == 3)
    #expect(try lines("ack 1 101", of: server) == ["ack 1 101 1"])
    try await fixture.sink.until { $0.received.count == 2 }
    #expect(fixture.log.contains("1 notification of the subscription cannot be decrypted"))
  }

  @Test("while nobody is connected nothing has a time to live of zero") func isKeptMeanwhile() async throws {
    let server = try ServerProcess.autopush()
    do {
      let fixture = try Fixture(server, in: directory)
      try await fixture.subscriber.opened()
      #expect(try fixture.publish(count: 2, ttl: .zero).accepted == 2)
      try await fixture.sink.until { $0.received.count == 2 }
      fixture.subscriber.stop()
      _ = try lines("gone 1", of: server)
      #expect(try fixture.publish(count: 2, ttl: .zero).accepted == 2)
    }
    let pushes = try await eventually("the server has told all of them", seen: { "\(server.lines)" }) {
      let pushes = server.lines.filter { $0.hasPrefix("push ") }
      return pushes.count < 4 ? nil : pushes
    }
    #expect(pushes == ["push 201 0", "push 201 0", "push 201 30", "push 201 30"])
  }

  @Test("a stopped one says that it goes") func stops() async throws {
    let server = try ServerProcess.autopush()
    let fixture = try Fixture(server, in: directory)
    try await fixture.subscriber.opened()
    fixture.subscriber.stop()
    #expect(try lines("closed 1", of: server) == ["closed 1 1001"])
  }
}
