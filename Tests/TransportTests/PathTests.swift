import Glibc
import Measurement
import TestTraits
import Testing
import Transport
import TransportTestKit

/// PING on real connections: what it measures, when it is sent, and that nothing depends on its answer.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct PathTests {
  private func target(
    _ server: ServerProcess, rate: Double, count: Int64? = nil, probe: Duration? = .milliseconds(100),
    timeout: Duration = .seconds(20)
  ) throws -> TransportTarget {
    var target = try TransportRun.target(
      TransportRun.https(server), rate: rate, count: count, timeout: timeout)
    target.pathProbe = probe
    return target
  }

  /// Answers take 200 ms, the path next to nothing.
  @Test func thePathIsNotTheProvidersTime() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--delay", "200"])
    let run = TransportRun()
    try run.start(target(server, rate: 100))
    #expect(run.wait { $0.pings.count >= 5 && $0.accepted >= 100 })
    run.thread?.stop(draining: .seconds(20))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [] && seen.failed.isEmpty)
    #expect(seen.pings.allSatisfy { $0.connectionID == 1 && $0.target == TransportRun.target })
    let middle = try #require(seen.pings.map(\.roundTrip).sorted().dropFirst(seen.pings.count / 2).first)
    // A loaded machine answers them late, too.
    #expect(middle < 150_000)
    // Each answer has the newest round trip before it.
    for answer in seen.answered.values {
      #expect(answer.at - (seen.sent[answer.id]?.at ?? .zero) >= .milliseconds(199))
      #expect(answer.path == seen.pings.last { $0.at <= answer.at }?.roundTrip)
    }
    // Only the first of the connection comes before the first PING.
    #expect(seen.answered.values.count { $0.path == nil } <= 5)
    #expect(server.numbers(after: "violation").isEmpty)
  }

  /// The kernel says when the peer's TCP had the request, long before the peer answered.
  @Test(.enabled(if: Kernel.isAtLeast(6, 2))) func thePeersTCPAcknowledgesBeforeThePeerAnswers() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--delay", "300"])
    let run = TransportRun()
    try run.start(target(server, rate: 50, count: 100, probe: nil))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [] && seen.accepted == 100)
    let known = seen.answered.values.filter { $0.peerAck != nil }
    #expect(known.count >= 80, "\(known.count)")
    for answer in known {
      let sent = try #require(seen.sent[answer.id]).at
      let peerAck = try #require(answer.peerAck)
      #expect(peerAck >= 0 && peerAck <= answer.at.microseconds - sent.microseconds)
    }
    // A delayed acknowledgment takes 40 ms; a busy machine may take some more.
    let middle = try #require(known.compactMap(\.peerAck).sorted().dropFirst(known.count / 2).first)
    #expect(middle < 200_000)
  }

  @Test(.enabled(if: Tool.hasNghttpd)) func nghttpdAnswersToo() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(target(server, rate: 200))
    #expect(run.wait { $0.pings.count >= 8 && $0.accepted >= 100 })
    run.thread?.stop(draining: .seconds(20))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [] && seen.failed.isEmpty)
    // One after the other, never two within the interval, but for what each takes to reach the peer.
    let sent = seen.pings.map { $0.at - .microseconds($0.roundTrip) }
    let gaps = zip(sent, sent.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 > .milliseconds(40) } && gaps.contains { $0 < .seconds(1) }, "\(gaps)")
  }

  @Test func offMeansNone() throws {
    let server = try ServerProcess.scripted(["--good", "100000"])
    let run = TransportRun()
    try run.start(target(server, rate: 100, count: 50, probe: nil))
    #expect(run.waitForEnd())
    #expect(run.seen.accepted == 50)
    #expect(run.seen.pings.isEmpty && run.seen.answered.values.allSatisfy { $0.path == nil })
    #expect(server.numbers(after: "ping").isEmpty)
  }

  /// With always something to send there is no idle time, which a PING needs (250 µs): it goes with the requests.
  @Test func aBusyTargetAsksToo() throws {
    let server = try ServerProcess.nghttpd()
    let run = TransportRun()
    try run.start(target(server, rate: 20_000, probe: .milliseconds(100)))
    #expect(run.wait { $0.pings.count >= 2 })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
  }

  @Test func nothingIsAskedInAPause() throws {
    let server = try ServerProcess.scripted([
      "--good", "30", "--bad", "1", "--behavior", "status:429,2", "--reason", "TooManyRequests",
    ])
    let run = TransportRun()
    // Slow enough that there is idle time before the refusal, which a PING needs.
    try run.start(target(server, rate: 20))
    func refusal(_ seen: TransportRun.Seen) -> MonotonicTime? {
      seen.answered.values.first { $0.status == 429 }?.at
    }
    func resumption(_ seen: TransportRun.Seen) -> MonotonicTime? {
      guard let refusal = refusal(seen) else { return nil }
      return seen.sent.values.map(\.at).filter { $0 > refusal + .seconds(1) }.min()
    }
    #expect(
      run.wait { seen in
        resumption(seen).map { resumed in seen.pings.contains { $0.at > resumed } } ?? false
      })
    run.thread?.stop(draining: .seconds(5))
    #expect(run.waitForEnd())
    let seen = run.seen
    let refused = try #require(refusal(seen))
    let resumed = try #require(resumption(seen))
    #expect(resumed - refused >= .milliseconds(1_900))
    // One may have been under way when the refusal came; at 100 ms each there would be twenty.
    let during = seen.pings.filter { $0.at > refused && $0.at < resumed }
    #expect(during.count <= 1, "\(during.map { $0.at - refused })")
    #expect(seen.pings.contains { $0.at < refused })
  }

  @Test func eachConnectionIsAskedForItself() throws {
    let server = try ServerProcess.scripted(["--good", "40", "--bad", "1", "--behavior", "close"])
    let run = TransportRun()
    try run.start(target(server, rate: 100, count: 120))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(Set(seen.pings.map(\.connectionID)) == [1, 2])
    let second = try #require(seen.pings.first { $0.connectionID == 2 })
    for answer in seen.answered.values where answer.connection?.id == 2 {
      #expect((answer.path != nil) == (answer.at >= second.at))
    }
  }

  @Test func aPeerThatNeverAnswersIsAskedOnce() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--mute-pings"])
    let run = TransportRun()
    // It goes on for longer than a request may take.
    try run.start(target(server, rate: 200, count: 700, timeout: .seconds(3)))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.accepted == 700 && seen.failed.isEmpty)
    #expect(seen.pings.isEmpty && seen.answered.values.allSatisfy { $0.path == nil })
    #expect(seen.events(.connected).count == 1)
    #expect(server.numbers(after: "ping", atLeast: 1).count == 1)
  }

  /// Some services end connections that ask too often: then they are asked no more.
  @Test func aPeerThatObjectsIsLeftAlone() throws {
    let server = try ServerProcess.scripted(["--good", "100000", "--calm-after", "3"])
    let run = TransportRun()
    try run.start(target(server, rate: 100))
    // A request that reaches the peer after its GOAWAY is answered by another one.
    #expect(run.wait { !$0.events(.goaway).isEmpty && $0.events(.connected).count == 2 })
    // As many as go out in ten times the interval of the probe.
    let atGoaway = run.seen.accepted
    #expect(run.wait { $0.accepted >= atGoaway + 100 })
    run.thread?.stop(draining: .seconds(20))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.events(.connected).count == 2)
    #expect(seen.logs.count { $0.contains("path_probe: off") } == 1, "\(seen.logs)")
    #expect(server.numbers(after: "ping", atLeast: 3).count == 3)
    #expect(seen.failed.count <= 5)
  }

  /// With its own write or among requests, it takes nobody's instant.
  @Test func noNotificationWaitsForIt() throws {
    func lateness(probe: Duration?) throws -> [Duration] {
      let server = try ServerProcess.nghttpd()
      let run = TransportRun()
      try run.start(target(server, rate: 500, count: 500, probe: probe))
      #expect(run.waitForEnd())
      let seen = run.seen
      return seen.sent.values.compactMap { sent in seen.planned[sent.id].map { sent.at - $0 } }.sorted()
    }
    // Ten PINGs a second among 500 requests: the middle and the upper tenth do not move. Where others have the processor, the least
    // of some runs tells.
    func least(_ rounds: [[Duration]], _ share: Double) -> Duration {
      rounds.map { $0[Int(Double($0.count) * share)] }.min() ?? .zero
    }
    var (without, with): ([[Duration]], [[Duration]]) = ([], [])
    func stays() -> Bool {
      least(with, 0.5) < least(without, 0.5) + .milliseconds(1)
        && least(with, 0.9) < least(without, 0.9) + .milliseconds(2)
    }
    repeat {
      without.append(try lateness(probe: nil))
      with.append(try lateness(probe: .milliseconds(100)))
    } while !stays() && with.count < 5
    #expect(
      stays(),
      "\(least(without, 0.5)) to \(least(with, 0.5)), \(least(without, 0.9)) to \(least(with, 0.9))")
  }
}

/// The kernel that the tests run on.
private enum Kernel {
  static func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
    var name = utsname()
    guard uname(&name) == 0 else { return false }
    let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (major, minor)
  }
}
