import CLinux
import Glibc
import Measurement
import TestTraits
import Testing
import TransportTestKit

@testable import Transport

/// Kernel timestamps of sent packets, on a real connection over the loopback interface.
@Suite(.ownThread) struct SentStampTests {
  private final class Pair {
    let near: Int32
    let far: Int32
    let socket: CorkedSocket

    init() throws {
      (near, far) = try #require(LoopbackSocket.connectedPair())
      socket = CorkedSocket(fd: near)
    }

    deinit {
      close(near)
      close(far)
    }

    func send() {
      var byte: UInt8 = 1
      write(near, &byte, 1)
    }

    /// The events that epoll and libcurl use.
    var looksBroken: Bool {
      var state = pollfd(fd: near, events: 0, revents: 0)
      return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0
    }
  }

  private let clock = SystemClock()

  @Test func aPacketIsStampedBetweenOurOwnReadings() throws {
    let pair = try Pair()
    pair.socket.stampSent()
    pair.socket.cork()
    pair.send()
    pair.send()
    let offset = RealtimeOffset(reading: clock)
    #expect(pair.socket.drainSentStamps(offset: offset).isEmpty)
    let began = clock.monotonicNow()
    pair.socket.uncork()
    let window = SendWindow(began: began, ended: clock.monotonicNow())
    let stamps = pair.socket.drainSentStamps(offset: offset)
    #expect(stamps.count == 1)
    #expect(window.departure(among: stamps) == stamps.first)
    #expect(pair.socket.drainSentStamps(offset: offset).isEmpty)
  }

  @Test func aStampInTheQueueLooksLikeAnErrorUntilItIsTaken() throws {
    let pair = try Pair()
    pair.socket.stampSent()
    pair.send()
    #expect(pair.looksBroken)
    #expect(pair.socket.dropSentStamps())
    #expect(!pair.looksBroken)
    #expect(!pair.socket.dropSentStamps())
    pair.send()
    _ = pair.socket.drainSentStamps(offset: RealtimeOffset(reading: clock))
    #expect(!pair.looksBroken)
  }

  /// With timestamps of sent packets the kernel adds a second form to those of received packets.
  @Test func whatIsReceivedKeepsItsStamps() throws {
    let pair = try Pair()
    _ = clinux_stamp_received(pair.near)
    pair.socket.stampSent()
    let offset = RealtimeOffset(reading: clock)
    // Timestamping begins some time after the first socket of the host requests it: a kernel worker enables it, which is
    // delayed on a busy machine.
    for _ in 0..<5_000 {
      var byte: UInt8 = 1
      let began = clock.monotonicNow()
      write(pair.far, &byte, 1)
      let window = pair.socket.peek(at: clock.monotonicNow(), offset: offset)
      read(pair.near, &byte, 1)
      if let window, let first = window.first, first >= began, first <= window.lookedAt, window.last == first
      {
        return
      }
      usleep(2_000)
    }
    Issue.record("no stamp")
  }
}
