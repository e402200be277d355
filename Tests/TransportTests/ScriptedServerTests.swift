import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// A server on python-h2, a strict implementation, that fails by script: each failure has its own reason, and a request is sent
/// again only if the peer declared the first attempt unprocessed.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct ScriptedServerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var behavior: String
    var reason: FailureReason
    /// The peer declared the request unprocessed.
    var isRefusal: Bool
    /// Short where it passes.
    var timeout: Duration { reason == .timeout ? .milliseconds(1_500) : .seconds(10) }
    var testDescription: String { behavior }

    init(_ behavior: String, _ reason: FailureReason, isRefusal: Bool = false) {
      self.behavior = behavior
      self.reason = reason
      self.isRefusal = isRefusal
    }
  }

  static let cases = [
    Case("rst:2", .reset),  // INTERNAL_ERROR
    Case("rst:7", .refusedStream, isRefusal: true),  // REFUSED_STREAM
    Case("rst:8", .reset),  // CANCEL
    Case("headers-then-rst:2", .reset),
    Case("goaway", .goaway, isRefusal: true),  // names the previous stream as the last
    Case("goaway-after", .goaway),  // names this stream
    Case("close", .closed),
    Case("abort", .reset),
    Case("big:100000", .protocol),
    Case("silence", .timeout),
  ]

  /// One stream at a time.
  @Test(arguments: cases) func aloneOnAUsedConnection(_ expected: Case) throws {
    let server = try ServerProcess.scripted(["--good", "3", "--bad", "1", "--behavior", expected.behavior])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 50, count: 8, timeout: expected.timeout, maximumStreams: 1))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    // The server's log agrees with the recorded attempts.
    if expected.isRefusal {
      #expect(seen.failed.isEmpty && seen.accepted == 8, "\(seen.failed)")
      #expect(seen.answered.values.map(\.attempt).sorted() == [1, 1, 1, 1, 1, 1, 1, 2])
      #expect(server.numbers(after: "request", atLeast: 9).count == 9)
    } else {
      #expect(seen.failed.values.map(\.reason) == [expected.reason], "\(seen.failed.values.map(\.detail))")
      #expect(seen.failed.values.allSatisfy { $0.attempt == 1 && !$0.detail.isEmpty })
      #expect(seen.accepted == 7)
      #expect(server.numbers(after: "request", atLeast: 8).count == 8)
    }
    #expect(server.numbers(after: "violation").isEmpty)
  }

  /// The first request of a connection fails; libcurl treats it differently.
  @Test(arguments: cases) func onAFreshConnection(_ expected: Case) throws {
    let server = try ServerProcess.scripted(["--good", "0", "--bad", "1", "--behavior", expected.behavior])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 50, count: 4, timeout: expected.timeout, maximumStreams: 1))
    #expect(run.waitForEnd())
    let seen = run.seen
    let first = SampleID(target: TransportRun.target, sequence: 1)
    #expect(seen.wrongs == [])
    if expected.isRefusal {
      #expect(seen.failed.isEmpty && seen.accepted == 4, "\(seen.failed)")
      #expect(seen.answered[first]?.attempt == 2)
      #expect(server.numbers(after: "request", atLeast: 5).count == 5)
    } else {
      #expect(seen.failed.values.map(\.reason) == [expected.reason], "\(seen.failed.values.map(\.detail))")
      #expect(seen.failed[first] != nil)
      #expect(seen.accepted == 3)
      #expect(server.numbers(after: "request", atLeast: 4).count == 4)
    }
  }

  /// There are at most two attempts.
  @Test(arguments: [("rst:7", FailureReason.refusedStream), ("goaway", .goaway)])
  func whatIsRefusedTwiceHasFailed(behavior: String, reason: FailureReason) throws {
    let server = try ServerProcess.scripted(["--good", "2", "--bad", "2", "--behavior", behavior])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50, count: 6, maximumStreams: 1))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.failed.values.map(\.reason) == [reason], "\(seen.failed)")
    #expect(seen.failed.values.map(\.attempt) == [2])
    #expect(seen.accepted == 5)
    #expect(server.numbers(after: "request", atLeast: 7).count == 7)
  }

  /// A refusal says nothing about other requests: the connection is kept.
  @Test func aRefusalDisturbsNoOther() throws {
    let server = try ServerProcess.scripted([
      "--good", "100000", "--refuse-each", "10", "--delay", "200",
    ])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 100, count: 150))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted + seen.failed(.refusedStream) == 150 && seen.accepted >= 145, "\(seen.failed)")
    #expect(seen.answered.values.count { $0.attempt == 2 } >= 10)
    #expect(seen.events(.connected).count == 1 && seen.events(.disconnected).count <= 1)
    #expect(server.numbers(after: "connection").count == 1)
  }

  /// A front end without a backend: what is refused twice has failed by that, what waits for the next connection too, and
  /// nothing is called unreachable or our lag.
  @Test(arguments: [("rst:7", FailureReason.refusedStream), ("goaway-error:0", .goaway)])
  func aPeerThatRefusesEverything(behavior: String, reason: FailureReason) throws {
    let server = try ServerProcess.scripted(["--good", "0", "--bad", "100000", "--behavior", behavior])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 40, count: 80, limits: ScheduleLimits(maxLag: .milliseconds(250))))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.ends == 80 && seen.accepted == 0)
    // Only what the host was too late for is missed.
    #expect(seen.failed(reason) == seen.failed.count && seen.failed.count >= 60, "\(seen.missed)")
    #expect(Set(seen.failed.values.map(\.attempt)).isSubset(of: [0, 1, 2]))
    for attempt in [0, 2] { #expect(seen.failed.values.contains { $0.attempt == attempt }) }
    let told = seen.logs.filter { $0.hasPrefix("the peer takes no requests (\(reason.rawValue))") }
    #expect(told.count == 1 && !seen.logs.contains { $0.contains("cannot connect") }, "\(seen.logs)")
    // Pauses between connections grow: 2 s hold a handful.
    let connections = server.numbers(after: "connection").count
    #expect((2...8).contains(connections), "\(connections)")
    if reason == .refusedStream {
      // The connection is given up after 20.
      for connection in 1..<connections {
        #expect(server.numbers(after: "request").count { $0[0] == connection } == 20)
      }
    }
  }

  /// Beyond `max_lag` nothing is sent a second time.
  @Test func whatIsRefusedTooLateHasFailed() throws {
    let server = try ServerProcess.scripted([
      "--good", "1", "--bad", "1", "--behavior", "refuse-late:300",
    ])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 50, count: 4,
        limits: ScheduleLimits(maxLag: .milliseconds(250)), maximumStreams: 10))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.failed.values.map(\.reason) == [.refusedStream], "\(seen.failed)")
    #expect(seen.failed.values.map(\.attempt) == [1])
  }

  /// The service time of a second attempt begins with the first: the peer caused the refusal's delay.
  @Test func aSecondAttemptIsPartOfTheServiceTime() throws {
    let server = try ServerProcess.scripted(["--good", "1", "--bad", "1", "--behavior", "refuse-late:300"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50, count: 3, maximumStreams: 10))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    let again = try #require(seen.answered.values.first { $0.attempt == 2 })
    #expect(seen.accepted == 3)
    #expect(again.at - (try #require(seen.sent[again.id]).at) >= .milliseconds(300))
    #expect(again.connection?.id == 1 && again.connection?.isFresh == false)
  }

  /// With answers after 100 ms and 200 requests per second, about 20 are in flight when it happens.
  @Test(arguments: cases) func amongParallelRequests(_ expected: Case) throws {
    let server = try ServerProcess.scripted([
      "--good", "40", "--bad", "1", "--behavior", expected.behavior, "--delay", "100",
    ])
    let run = TransportRun()
    try run.start(
      TransportRun.target(TransportRun.https(server), rate: 200, count: 120, timeout: expected.timeout))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.ends == 120)
    // A peer that closes during a write sends a reset.
    let words: Set<FailureReason> = expected.reason == .closed ? [.closed, .reset] : [expected.reason]
    let others = seen.failed.values.filter { !words.contains($0.reason) }.map { "\($0.reason) \($0.detail)" }
    let again = seen.answered.values.count { $0.attempt == 2 }
    #expect(others.isEmpty, "\(others.prefix(3))")
    // Requests that were sent after the last stream of the GOAWAY, before it was read, are unprocessed.
    #expect(
      expected.isRefusal ? again > 0 : !seen.failed.isEmpty && (again == 0 || expected.reason == .goaway),
      "\(again) sent again, failed: \(seen.failed.values.map(\.detail))")
    #expect(server.numbers(after: "request").count <= seen.sent.count + again)
    // After its GOAWAY python-h2 treats requests in flight as a protocol violation.
    if expected.reason != .goaway { #expect(server.numbers(after: "violation").isEmpty) }
    #expect(seen.accepted >= 60)
    if ["close", "abort"].contains(expected.behavior) {
      let end = try #require(seen.events(.disconnected).first)
      #expect(end.connectionID == 1 && seen.failed.count > 1)
      #expect(end.detail == "\(seen.failed.count) unanswered")
    }
  }

  /// libcurl's error for an invalid frame depends on its version; the request fails in any case, and the next one uses a new
  /// connection.
  @Test(arguments: [0, 3]) func aPeerThatBreaksTheProtocol(good: Int) throws {
    let server = try ServerProcess.scripted(["--good", "\(good)", "--bad", "1", "--behavior", "garbage"])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 50, count: 8, timeout: .seconds(10), maximumStreams: 1))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.failed.count == 1)
    #expect(run.seen.accepted == 7)
    #expect(server.numbers(after: "request", atLeast: 8).count == 8)
  }

  @Test func aConnectionIsPrimedByOneRequest() throws {
    let server = try ServerProcess.scripted(["--prime", "--max-streams", "100", "--delay", "30"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 1000, count: 300))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.accepted == 300)
    #expect(server.numbers(after: "violation").isEmpty)
    #expect(server.numbers(after: "connection").count == 1)
    let open = server.numbers(after: "request").map { $0[2] }
    #expect(open.first == 1)
    // After the first answer requests are sent in parallel.
    #expect(open.max() ?? 0 > 10)
  }

  @Test func thePeersStreamLimitIsLearntAndKept() throws {
    let server = try ServerProcess.scripted(["--max-streams", "8", "--delay", "20"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 2000, count: 400))
    #expect(run.wait { !$0.events(.streamLimitChanged).isEmpty && $0.accepted >= 100 })
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 400)
    #expect(seen.answered.values.allSatisfy { ($0.connection?.streamsInFlight ?? 9) <= 8 })
    #expect(server.numbers(after: "request").allSatisfy { $0[2] <= 8 })
    #expect(server.numbers(after: "violation").isEmpty)
    #expect(server.numbers(after: "connection").count == 1)
    // They waited in the target's queue: the peer's 20 ms do not include it.
    let service = seen.answered.values.map { ($0.at - (seen.sent[$0.id]?.at ?? .zero)).microseconds }.sorted()
    #expect(service[service.count / 2] < 60_000)
    #expect(seen.events(.streamLimitChanged).first?.detail.contains("8 streams") == true)
  }

  @Test func whatIsUnderWayIsAnsweredAfterGoaway() throws {
    let server = try ServerProcess.scripted([
      "--good", "30", "--bad", "1", "--behavior", "goaway-and-finish", "--delay", "80",
    ])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 200, count: 100))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted + seen.failed(.goaway) == 100)
    #expect(seen.events(.goaway).count == 1)
    #expect(seen.events(.connected).count == 2)
    #expect(seen.accepted >= 80)
  }

  /// The peer's text is stored, and is untrusted.
  @Test func theTextOfGoawayIsTold() throws {
    let server = try ServerProcess.scripted(["--good", "3", "--bad", "1", "--behavior", "goaway-after"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50, count: 6, maximumStreams: 1))
    #expect(run.waitForEnd())
    let goaway = try #require(run.seen.events(.goaway).first)
    #expect(goaway.detail.hasPrefix("error 0, last stream 7, 1 unanswered: shutting down"))
    #expect(!goaway.detail.contains("\u{7}"))
  }

  @Test func aFarewellBetweenRequestsCostsNone() throws {
    let server = try ServerProcess.scripted(["--good", "3", "--bad", "1", "--behavior", "farewell"])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 5, count: 7))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 7)
    #expect(seen.events(.connected).count == 2)
    #expect(seen.events(.goaway).count == 1)
    #expect(seen.events(.disconnected).first?.connectionID == 1)
    #expect(seen.answered.values.count { $0.connection?.isFresh == true } == 2)
  }

  @Test func variantsTakeTurnsOnTheWire() throws {
    let server = try ServerProcess.scripted([])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 100, count: 30, maximumStreams: 1)
    target.providers = ["a", "b", "c"].map {
      TokenProvider(url: TransportRun.https(server, path: "/\($0)"), token: $0)
    }
    target.variants = [7, 8, 9].map { VariantID(rawValue: $0) }
    try run.start(target)
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.accepted == 30)
    _ = server.numbers(after: "request", atLeast: 30)
    let paths = server.lines.filter { $0.hasPrefix("request ") }.compactMap { $0.split(separator: " ").last }
    #expect(paths.map(String.init) == (0..<30).map { ["/a", "/b", "/c"][$0 % 3] })
  }

  /// Renewed credentials: later requests use them, over the same connection, and none is lost.
  @Test func providersAreReplacedInTheMiddle() throws {
    let server = try ServerProcess.scripted([])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: 100, count: 120, maximumStreams: 1)
    target.providers = [TokenProvider(url: TransportRun.https(server, path: "/old"), token: "1")]
    try run.start(target)
    #expect(run.wait { $0.accepted >= 20 })
    run.thread?.replaceProviders(
      [TokenProvider(url: TransportRun.https(server, path: "/new"), token: "2")], of: TransportRun.target)
    // Another number of providers is ignored.
    run.thread?.replaceProviders([], of: TargetID(rawValue: 99))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.accepted == 120)
    #expect(server.numbers(after: "request", atLeast: 120).count == 120)
    #expect(server.numbers(after: "connection").count == 1)
    let paths = server.lines.filter { $0.hasPrefix("request ") }.compactMap { $0.split(separator: " ").last }
    let turn = try #require(paths.firstIndex(of: "/new"))
    #expect(turn >= 20)
    #expect(paths[turn...].allSatisfy { $0 == "/new" })
  }

  @Test func beyondMaxInFlightIsMissed() throws {
    let server = try ServerProcess.scripted(["--delay", "200"])
    let run = TransportRun()
    try run.start(
      TransportRun.target(
        TransportRun.https(server), rate: 100, count: 100,
        limits: ScheduleLimits(maxInFlight: 5, maxLag: .seconds(60))))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.ends == 100)
    // A pause of the host causes a missed notification.
    #expect(seen.missed(.inFlight) + seen.missed(.lag) == seen.missed.count)
    #expect(seen.missed.count > 50)
    #expect(server.numbers(after: "request").allSatisfy { $0[2] <= 5 })
  }

  @Test func stoppingWaitsForAnswersButNotForever() throws {
    let server = try ServerProcess.scripted(["--good", "20", "--bad", "1000", "--behavior", "silence"])
    let run = TransportRun()
    try run.start(
      TransportRun.target(TransportRun.https(server), rate: 100, limits: ScheduleLimits(maxInFlight: 500)))
    #expect(run.wait { $0.sent.count >= 40 })
    let clock = ContinuousClock()
    let asked = clock.now
    run.thread?.stop(draining: .milliseconds(300))
    #expect(run.waitForEnd())
    #expect(clock.now - asked < .seconds(10))
    let seen = run.seen
    #expect(seen.wrongs == [])
    // The rest is open because the run did not wait for it: it has not failed.
    #expect(seen.failed.isEmpty)
    #expect(seen.sent.count >= seen.answered.count + 15)
  }

  @Test func nothingIsSentBeforeItsBlockIsCommitted() throws {
    let server = try ServerProcess.scripted([])
    let run = TransportRun(commitsBlocks: false)
    try run.start(TransportRun.target(TransportRun.https(server), rate: 50))
    #expect(run.wait { $0.planned.count >= 40 })
    run.thread?.committed(TransportRun.target, through: 10)
    #expect(run.wait { $0.accepted + $0.missed.count >= 10 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    #expect(run.seen.sent.keys.allSatisfy { $0.sequence <= 10 })
    #expect(run.seen.wrongs == [])
  }
}
