import FoundationEssentials
import Glibc
import Measurement
import Providers
import Synchronization
import TestTraits
import Testing
import TransportTestKit

@testable import Collector
@testable import Transport

/// Against a service in ntfy's shape that shares no code with ours.
@Suite(
  .ownThread, .serialized,
  .enabled(if: Tool.hasHypercorn, "python3 with hypercorn, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct NtfySubscriberTests {
  private static let authenticator = ReceiptAuthenticator(
    secret: Array("a secret of this test's own".utf8), collectorID: UUID())

  /// A subscriber and what it told.
  private final class Fixture: Sendable {
    let sink = TestSink(repliesAtOnce: true)
    let subscriber: Subscriber
    private let told: Told

    private final class Told: Sendable {
      let observations = Mutex<[Observation]>([])
    }

    init(
      _ server: ServerProcess, scheme: String = "https", authorization: NtfyAuthorization = .none,
      silence: Duration = .seconds(90)
    ) throws {
      let told = Told()
      self.told = told
      subscriber = try Subscriber(
        Subscriber.Subject(
          target: TransportRun.target, name: "news",
          service: NtfyTopic(
            subscription: try NtfySubscription(
              origin: "\(scheme)://127.0.0.1:\(server.port)", topic: "probe", authorization: authorization),
            silence: silence),
          authenticator: authenticator, caFile: scheme == "https" ? TestCertificate.good?.certificate : nil,
          bootID: "this boot", seed: 1),
        clock: SystemClock(), timeout: .seconds(20), sink: sink,
        post: { more in told.observations.withLock { $0 += more } })
    }

    deinit { subscriber.stop() }

    func events(_ kind: EventKind) -> [Event] {
      told.observations.withLock { $0 }.compactMap {
        guard case .event(let event) = $0, event.kind == kind else { return nil }
        return event
      }
    }
  }

  /// Publishes in a corner of its own.
  private static func publish(
    to server: ServerProcess, scheme: String = "https", rate: Double = 100, count: Int64,
    authorization: NtfyAuthorization = .none, isKept: Bool = false
  ) throws -> TransportRun.Seen {
    let run = TransportRun()
    var target = try TransportRun.target(
      "\(scheme)://127.0.0.1:\(server.port)/probe", rate: rate, count: count,
      caFile: scheme == "https" ? TestCertificate.good?.certificate : nil)
    let provider = try NtfyProvider(
      origin: "\(scheme)://127.0.0.1:\(server.port)", topic: "probe", authorization: authorization)
    target.providers = [isKept ? KeptProvider(provider: provider) : provider]
    target.authenticator = authenticator
    try run.start(target)
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    return run.seen
  }

  /// The same requests without the word that keeps them out of the server's cache.
  private struct KeptProvider: Provider {
    let provider: NtfyProvider

    func request(for notification: PushNotification) -> PushRequest {
      var request = provider.request(for: notification)
      request.headers.removeAll { $0.name == "cache" }
      return request
    }

    func assess(_ response: PushResponse) -> ProviderAssessment { provider.assess(response) }
  }

  @Test(arguments: ["https", "http"]) func hearsEveryMessageOnItsOwnClock(scheme: String) async throws {
    let server = try ServerProcess.ntfy(isEncrypted: scheme == "https")
    let fixture = try Fixture(server, scheme: scheme)
    try await fixture.subscriber.opened()
    _ = server.numbers(after: "subscribed", atLeast: 1)
    #expect(server.lines.contains("subscribed now"))
    let seen = try Self.publish(to: server, scheme: scheme, count: 50)
    #expect(seen.accepted == 50)
    try await fixture.sink.until { $0.received.count == 50 }
    let received = fixture.sink.received
    #expect(Set(received.map(\.id.sample)) == Set(seen.sent.keys))
    for receipt in received {
      let sent = try #require(seen.sent[receipt.id.sample])
      let stamp = try #require(receipt.receivedMonotonic)
      // One clock: it came after it went, and neither is guessed.
      #expect(stamp > sent.at)
      #expect(stamp - sent.at < .seconds(20))
      #expect(receipt.bootID == "this boot" && receipt.device == "news" && receipt.arrivedAt == stamp)
    }
    // The service tells its subscribers before it answers.
    #expect(received.contains { $0.arrivedAt < seen.answered[$0.id.sample]?.at ?? .zero })
    #expect(fixture.events(.connected).map(\.detail) == ["subscription"])
  }

  @Test(arguments: [true, false]) func showsWhoItIs(isToken: Bool) async throws {
    let server = try ServerProcess.ntfy(isToken ? ["--token", "tk_secret"] : ["--user", "anna:pass word"])
    let authorization =
      isToken
      ? NtfyAuthorization.token("tk_secret") : .basic(username: "anna", password: "pass word")
    let fixture = try Fixture(server, authorization: authorization)
    try await fixture.subscriber.opened()
    #expect(try Self.publish(to: server, count: 3, authorization: authorization).accepted == 3)
    try await fixture.sink.until { $0.received.count == 3 }
  }

  @Test func whoIsNotLetInIsTold() async throws {
    let server = try ServerProcess.ntfy(["--token", "tk_secret"])
    let fixture = try Fixture(server, authorization: .token("tk_wrong"))
    let error = await #expect(throws: CollectorError.self) { try await fixture.subscriber.opened() }
    #expect(error?.code == .refused)
    let text = error?.description ?? ""
    #expect(text.contains("403") && text.contains("forbidden"))
    #expect(!text.contains("tk_wrong"))
  }

  /// The server ends the stream in the middle; what it kept meanwhile is asked for, and comes.
  @Test func goesOnWhereItWasCutOff() async throws {
    let server = try ServerProcess.ntfy(["--drop-after", "10"])
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    let began = SystemClock().wallNow()
    let stands = Mutex<[Bool]>([])
    fixture.subscriber.onChange { isOpen in stands.withLock { $0.append(isOpen) } }
    let seen = try Self.publish(to: server, rate: 50, count: 40, isKept: true)
    #expect(seen.accepted == 40)
    try await fixture.sink.until { $0.received.count >= 40 }
    #expect(Set(fixture.sink.received.map(\.id.sample)).count == 40)
    #expect(fixture.sink.received.count == 40)
    #expect(fixture.events(.disconnected).count == 1)
    #expect(fixture.events(.connected).count == 2)
    _ = server.numbers(after: "subscribed", atLeast: 2)
    let since = server.lines.filter { $0.hasPrefix("subscribed ") }
    let second = try #require(since.last?.split(separator: " ").last.flatMap { Int64($0) }, "\(since)")
    #expect(since.count == 2 && second >= began.microseconds / 1_000_000)
    #expect(stands.withLock { $0 } == [true, false, true])
  }

  /// A service that was away is found by who publishes; who listens would wait for up to 5 s more.
  @Test func comesBackSoonerWhenItIsHurried() throws {
    // On a busy machine a soon connection may be seen late: one of a few tries is enough.
    #expect(try (1...4).contains { _ in try waitWhenHurried() < .milliseconds(1_500) })
  }

  /// - Returns: how long a subscriber that was turned away six times waits when a publisher connects.
  private func waitWhenHurried() throws -> Duration {
    let service = try #require(LoopbackSocket.silent())
    defer { close(service.fd) }
    let subject = Subscriber.Subject(
      target: TransportRun.target, name: "news",
      service: NtfyTopic(
        subscription: try NtfySubscription(origin: "http://127.0.0.1:\(service.port)", topic: "probe")),
      authenticator: Self.authenticator, bootID: "this boot", seed: 1)
    let clock = SystemClock()
    let services = try TargetServices(
      credentials: [], subscriptions: [.init(subject: subject, providers: { _ in [] })],
      on: CredentialThread(), clock: clock, seed: 1, timeout: .seconds(20),
      sink: TestSink(repliesAtOnce: true), post: { _ in })
    defer { services.stop() }
    func publisherConnects() {
      services.observe([.event(Event(at: clock.wallNow(), kind: .connected, target: subject.target))])
    }
    /// Lets it connect, and go.
    func turnAway(meanwhile: () -> Void = {}) -> ContinuousClock.Instant {
      var news = pollfd(fd: service.fd, events: Int16(POLLIN), revents: 0)
      var patience = 2_000
      while poll(&news, 1, 10) == 0, patience > 0 {
        meanwhile()
        patience -= 1
      }
      close(accept(service.fd, nil, nil))
      return .now
    }
    for _ in 1...5 { _ = turnAway() }
    let sixth = turnAway()
    // The wait after six is 1.6 to 3.2 s, the one after seven 2.5 to 5.
    let seventh = turnAway { publisherConnects() }
    // It has not got in: who calls again does not make it knock at once.
    #expect(turnAway { publisherConnects() } - seventh > .seconds(2))
    return seventh - sixth
  }

  /// A connection that looks whole and brings nothing: told by the sign of life that does not come.
  @Test func leavesASilentConnection() async throws {
    let server = try ServerProcess.ntfy(["--keepalive", "0.1", "--mute", "1"])
    let fixture = try Fixture(server, silence: .milliseconds(600))
    try await fixture.subscriber.opened()
    try await fixture.sink.until { _ in fixture.events(.connected).count >= 2 }
    #expect(fixture.events(.disconnected).first?.detail.contains("not even a keepalive") == true)
    // The second one gives signs of life and is kept.
    #expect(try Self.publish(to: server, count: 5).accepted == 5)
    try await fixture.sink.until { $0.received.count == 5 }
  }

  @Test func whatIsNotOursIsCountedAndNotBelieved() async throws {
    let server = try ServerProcess.ntfy(["--forge"])
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    _ = try Self.publish(to: server, count: 10)
    try await fixture.sink.until { $0.received.count == 10 }
    #expect(fixture.sink.refusals.reduce(0) { $0 + $1.count } == 10)
    #expect(fixture.sink.refusals.allSatisfy { $0.kind == .wrongMAC })
  }

  @Test func linesWithoutEndAreLeftOut() async throws {
    let server = try ServerProcess.ntfy(["--flood", "3000000"])
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    _ = try Self.publish(to: server, rate: 20, count: 5)
    try await fixture.sink.until { $0.received.count == 5 }
  }

  @Test func deliveredTwiceIsHeardTwice() async throws {
    let server = try ServerProcess.ntfy(["--twice"])
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    _ = try Self.publish(to: server, count: 4)
    try await fixture.sink.until { $0.received.count == 8 }
  }

  @Test func whenItIsStoppedItHoldsNobody() async throws {
    final class Sender: Sendable {}
    let server = try ServerProcess.ntfy()
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    weak var sender: Sender?
    do {
      let held = Sender()
      sender = held
      fixture.subscriber.onChange { [held] _ in _ = held }
    }
    #expect(sender != nil)
    fixture.subscriber.stop()
    #expect(sender == nil)
  }

  @Test func aStoppedOneEndsSoon() async throws {
    let server = try ServerProcess.ntfy()
    let fixture = try Fixture(server)
    try await fixture.subscriber.opened()
    fixture.subscriber.stop()
    _ = server.numbers(after: "listening")
    try await fixture.sink.until { _ in server.lines.contains("unsubscribed") }
  }
}
