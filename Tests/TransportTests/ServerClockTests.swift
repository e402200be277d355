import Measurement
import Providers
import TestTraits
import Testing
import Transport
import TransportTestKit

/// A server that writes down, by the clock that our stamps are on, when each request was complete and when it handed each answer
/// over: no request is stamped later than it had arrived, and no answer earlier than it was given.
@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct ServerClockTests {
  /// What stands between the wall clock of the kernel's stamps and CLOCK_MONOTONIC (``RealtimeOffset``).
  private static let tolerance: Int64 = 2_000

  @Test(arguments: [(200.0, 200), (2000.0, 1200)]) func noStampIsEarlierThanPossible(rate: Double, count: Int)
    throws
  {
    let server = try ServerProcess.scripted(["--times", "--delay", "30", "--max-streams", "1000"])
    let run = TransportRun()
    var target = try TransportRun.target(TransportRun.https(server), rate: rate, count: Int64(count))
    target.providers = [SequenceProvider(url: TransportRun.https(server), bodyBytes: 100)]
    try run.start(target)
    #expect(run.waitForEnd())
    let seen = run.seen
    #expect(seen.wrongs == [])
    let times = server.times(atLeast: seen.answered.count)
    #expect(times.count == seen.answered.count && seen.answered.count + seen.missed.count == count)
    for (id, answer) in seen.answered {
      let time = try #require(times[id.sequence])
      let sent = try #require(seen.sent[id]).at.nanoseconds
      #expect(
        sent <= time.arrived + Self.tolerance, "request \(id.sequence): \(sent - time.arrived) ns too late")
      let early = time.answered - answer.at.nanoseconds
      #expect(early <= Self.tolerance, "answer \(id.sequence), \(answer.source): \(early) ns too early")
      #expect(time.bytes == 100 && time.adler == Adler32.sum(SequenceProvider.body(id.sequence, bytes: 100)))
    }
    let kernel = seen.answered.values.count { $0.source == .kernel }
    #expect(kernel * 100 >= seen.answered.count * 95, "\(kernel) of \(seen.answered.count)")
  }
}

/// Each notification has a path and a body of its own.
struct SequenceProvider: Provider {
  let name = "sequence"
  var url: String
  var bodyBytes: Int

  func request(for notification: PushNotification) -> PushRequest {
    let sequence = notification.id.sample.sequence
    return PushRequest(url: "\(url)\(sequence)", body: Self.body(sequence, bytes: bodyBytes))
  }

  /// Bytes that say whose they are, with some that say where they stand.
  static func body(_ sequence: Int64, bytes: Int) -> [UInt8] {
    var body = [UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: bytes)
    for place in stride(from: 0, to: bytes, by: 97) { body[place] = UInt8(truncatingIfNeeded: place / 97) }
    return body
  }

  func assess(_ response: PushResponse) -> ProviderAssessment {
    ProviderAssessment(response.status == 200 ? .accepted : .rejected(reason: ""))
  }
}

/// RFC 1950, section 8.2.
enum Adler32 {
  static func sum(_ bytes: [UInt8]) -> Int {
    var a = 1
    var b = 0
    for byte in bytes {
      a = (a &+ Int(byte)) % 65521
      b = (b &+ a) % 65521
    }
    return b << 16 | a
  }
}

extension ServerProcess {
  /// What `h2_server.py --times` wrote down of a request.
  struct Times {
    var arrived: Int64
    var answered: Int64
    var bytes: Int
    var adler: Int
  }

  /// By the number that the path is.
  func times(atLeast count: Int) -> [Int64: Times] {
    _ = numbers(after: "times", atLeast: count)
    var result: [Int64: Times] = [:]
    for line in lines where line.hasPrefix("times ") {
      let words = line.split(separator: " ")
      guard words.count == 6, let sequence = Int64(words[1].dropFirst()), let arrived = Int64(words[2]),
        let answered = Int64(words[3]), let bytes = Int(words[4]), let adler = Int(words[5])
      else { continue }
      result[sequence] = Times(arrived: arrived, answered: answered, bytes: bytes, adler: adler)
    }
    return result
  }
}
