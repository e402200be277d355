import FoundationEssentials
import Measurement
import Providers
import Testing

@testable import Collector

@Suite struct NtfyStreamTests {
  private static let authenticator = ReceiptAuthenticator(
    secret: Array("a secret of this test's own".utf8), collectorID: UUID())

  private static func line(_ number: Int, _ id: NotificationID, mac: String, time: Int = 1) -> String {
    let text = "{\\\"pushscope\\\":{\\\"v\\\":1,\\\"id\\\":\\\"\(id)\\\",\\\"mac\\\":\\\"\(mac)\\\"}}"
    return
      "{\"id\":\"m\(number)\",\"time\":\(time),\"event\":\"message\",\"topic\":\"t\",\"message\":\"\(text)\"}\n"
  }

  private static func ids() -> [NotificationID] {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return (1...2).map {
      NotificationID(run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: Int64($0)))
    }
  }

  /// Receipts with the same stamp are one receipt that was sent again; these were two messages.
  @Test func copiesInOnePieceHaveStampsOfTheirOwn() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    let ids = Self.ids()
    let text = [ids[0], ids[1], ids[0], ids[0]].enumerated().map { number, id in
      Self.line(number, id, mac: Self.authenticator.mac(for: id))
    }.joined()
    let at = MonotonicTime(nanoseconds: 1000)
    let heard = Array(text.utf8).withUnsafeBytes { stream.receive($0, at: at) }
    #expect(heard.map(\.id) == [ids[0], ids[1], ids[0], ids[0]])
    #expect(heard.map { ($0.at - at).nanoseconds } == [0, 1, 2, 3])
    #expect(stream.lastTime == 1)
    // A further one with the same packet, handed on by itself.
    let more = Self.line(4, ids[0], mac: Self.authenticator.mac(for: ids[0]))
    let later = Array(more.utf8).withUnsafeBytes { stream.receive($0, at: at) }
    #expect(later.map { ($0.at - at).nanoseconds } == [4])
  }

  /// The kernel has one stamp for both: the later sequence number that stands first in the stream came first.
  @Test func orderInTheStreamDecidesWhatIsOutOfOrder() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    let ids = Self.ids()
    func outOfOrder(_ ids: [NotificationID], from number: Int, at nanoseconds: Int64) -> [Bool] {
      let text = ids.enumerated().map { Self.line(number + $0, $1, mac: Self.authenticator.mac(for: $1)) }
      var order = DeliveryOrder()
      return Array(text.joined().utf8).withUnsafeBytes {
        stream.receive($0, at: MonotonicTime(nanoseconds: nanoseconds))
      }.map { order.record(sequence: $0.id.sample.sequence, at: $0.at) }
    }
    #expect(outOfOrder([ids[1], ids[0]], from: 1, at: 1000) == [false, true])
    #expect(outOfOrder([ids[0], ids[1]], from: 3, at: 2000) == [false, false])
    // A stamp before the last one is not believed: the stream has an order.
    #expect(outOfOrder([ids[1], ids[0]], from: 5, at: 1500) == [false, true])
  }

  /// Asked for what it kept since a second, a server also gives what was heard in that second.
  @Test func whatWasHeardBeforeTheBreakIsNotHeardAgain() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    let ids = Self.ids()
    func take(_ lines: [String]) -> [NotificationID] {
      Array(lines.joined().utf8).withUnsafeBytes { stream.receive($0, at: .zero) }.map(\.id)
    }
    let first = Self.line(1, ids[0], mac: Self.authenticator.mac(for: ids[0]), time: 7)
    let second = Self.line(2, ids[1], mac: Self.authenticator.mac(for: ids[1]), time: 7)
    #expect(take(["{\"event\":\"open\",\"time\":6}\n"]) == [] && stream.lastTime == 6)
    // Twice on one connection is twice.
    #expect(take([first, first]) == [ids[0], ids[0]])
    #expect(stream.lastTime == 7)
    stream.restart()
    #expect(take([first, second]) == [ids[1]])
    stream.restart()
    #expect(take([first, second]) == [])
    #expect(take(["{\"event\":\"keepalive\",\"time\":52}\n"]) == [] && stream.lastTime == 52)
    // Opening again, with what waited still to come, is nothing to go on from.
    stream.restart()
    #expect(take(["{\"event\":\"open\",\"time\":60}\n"]) == [] && stream.lastTime == 52)
    // What says no time leaves it as it was.
    #expect(take(["{\"event\":\"keepalive\"}\n{\"event\":\"open\",\"time\":-1}\n"]) == [])
    #expect(stream.lastTime == 52)
  }

  @Test func manyMessagesLaterTheFirstIsForgotten() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    let ids = Self.ids()
    let lines = (0..<5000).map { Self.line($0, ids[0], mac: Self.authenticator.mac(for: ids[0])) }
    _ = Array(lines.joined().utf8).withUnsafeBytes { stream.receive($0, at: .zero) }
    stream.restart()
    let again = (lines[0] + lines[4000...].joined()).utf8
    #expect(Array(again).withUnsafeBytes { stream.receive($0, at: .zero) }.count == 1)
  }

  @Test func aWrongMACIsCounted() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    let ids = Self.ids()
    let text = Self.line(1, ids[0], mac: Self.authenticator.mac(for: ids[1]))
    #expect(Array(text.utf8).withUnsafeBytes { stream.receive($0, at: .zero) } == [])
    #expect(stream.drainForged() == 1)
    #expect(stream.drainForged() == 0)
  }

  /// Only what is an event shows that a stream lives.
  @Test func bytesAreNoSignOfLife() {
    var stream = NtfyStream(authenticator: Self.authenticator)
    func take(_ text: String) -> Int {
      _ = Array(text.utf8).withUnsafeBytes { stream.receive($0, at: .zero) }
      return stream.events
    }
    #expect(take(String(repeating: "x", count: 100_000) + "\n") == 0)
    #expect(take("\n\n{}\n{\"event\":7}\n\u{FFFD}\n") == 0)
    #expect(take("{\"event\":\"keepalive\"}\n") == 1)
    #expect(take("{\"event\":\"poll_request\"}\n{\"event\":\"open\"}\n") == 3)
    #expect(stream.isOpen)
  }
}
