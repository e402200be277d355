import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// Peers that send too much: each causes a recorded failure within limits, and the schedule continues.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct HostilePeerTests {
  private static func run(_ url: String, timeout: Duration = .milliseconds(1500)) throws -> TransportRun.Seen
  {
    let run = TransportRun()
    try run.start(
      TransportRun.target(url, rate: 20, count: 6, timeout: timeout, maximumStreams: 1))
    #expect(run.waitForEnd())
    #expect(run.seen.wrongs == [])
    #expect(run.seen.ends == 6)
    return run.seen
  }

  /// HTTP/2: 70 to 600 kB of headers in an answer, and a thousand interim answers.
  @Test(arguments: ["headers:70000", "headers:140000", "headers:400000", "headers:600000", "interim:2000"])
  func headersWithoutEnd(behavior: String) throws {
    let server = try ServerProcess.scripted(["--good", "2", "--bad", "1", "--behavior", behavior])
    let seen = try Self.run(TransportRun.https(server), timeout: .seconds(15))
    #expect(seen.failed.count == 1, "\(seen.failed)")
    #expect(seen.failed.values.allSatisfy { $0.reason == .protocol }, "\(seen.failed)")
    #expect(seen.accepted == 5)
  }

  /// While others are under way on the connection: it costs them nothing.
  @Test(arguments: ["headers:70000", "interim:20000"]) func headersWithoutEndAmongOthers(behavior: String)
    throws
  {
    let server = try ServerProcess.scripted([
      "--good", "20", "--bad", "1", "--behavior", behavior, "--delay", "150",
    ])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 100, count: 60))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(seen.failed.values.map(\.reason) == [.protocol], "\(seen.failed)")
    #expect(seen.accepted + seen.missed(.lag) == 59, "\(seen.missed)")
  }

  /// A header block of 600 kB, which HTTP/2 cannot go on without: the connection ends, and the others say by what.
  @Test func aHeaderBlockWithoutEndEndsTheConnection() throws {
    let server = try ServerProcess.scripted([
      "--good", "20", "--bad", "1", "--behavior", "headers:600000", "--delay", "150",
    ])
    let run = TransportRun()
    try run.start(TransportRun.target(TransportRun.https(server), rate: 100, count: 60))
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    #expect(!seen.failed.isEmpty && seen.accepted + seen.failed.count + seen.missed(.lag) == 60)
    #expect(
      seen.failed.values.allSatisfy {
        $0.reason == .protocol && ($0.detail.contains("CONTINUATION") || $0.detail.contains("without end"))
      }, "\(seen.failed)")
  }

  /// An answer within the limits is read completely at once, without waiting for another event of the connection.
  @Test(arguments: ["headers:60000", "big:60000"]) func whatIsLargeIsNotHeldUp(behavior: String) throws {
    let server = try ServerProcess.scripted(["--good", "2", "--bad", "4", "--behavior", behavior])
    let seen = try Self.run(TransportRun.https(server), timeout: .seconds(15))
    #expect(seen.accepted == 6, "\(seen.failed)")
  }

  /// HTTP/1.1, where libcurl by itself would read without a limit.
  @Test(arguments: ["endless-headers", "endless-interim"]) func linesWithoutEnd(behavior: String) throws {
    let server = try ServerProcess.hostile([behavior, "--good", "2", "--bad", "1"])
    let seen = try Self.run("http://127.0.0.1:\(server.port)/", timeout: .seconds(15))
    #expect(seen.failed.values.map(\.reason) == [.protocol], "\(seen.failed)")
    #expect(seen.failed.values.first?.detail.contains("without end") == true)
    #expect(seen.accepted == 5)
  }

  /// 64 kB that would decompress to 64 MB: the request allows no content coding, so none is decoded.
  @Test func aBombIsNotUnpacked() throws {
    let server = try ServerProcess.hostile(["bomb", "--good", "0", "--bad", "6"])
    let seen = try Self.run("http://127.0.0.1:\(server.port)/")
    // The encoded bytes are within the limit: the status decides.
    #expect(seen.accepted == 6)
  }

  @Test(arguments: ["not-http", "negative-length", "empty", "close", "reset", "half-headers"])
  func nonsense(behavior: String) throws {
    let server = try ServerProcess.hostile([behavior, "--good", "2", "--bad", "1"])
    let seen = try Self.run("http://127.0.0.1:\(server.port)/")
    #expect(seen.failed.count == 1, "\(seen.answered.values.map(\.status))")
    #expect(seen.accepted == 5)
  }
}
