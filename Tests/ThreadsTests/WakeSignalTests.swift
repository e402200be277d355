import Glibc
import TestTraits
import Testing
import Threads

@Suite("Wake signal", .ownThread, .timeLimit(.minutes(10))) struct WakeSignalTests {
  @Test("a wait ends when its time is over") func waitEndsInTime() throws {
    let signal = try WakeSignal()
    let start = SuspendingClock.now
    signal.wait(atMost: .milliseconds(30))
    #expect(SuspendingClock.now - start >= .milliseconds(30))
    signal.wait(atMost: .zero)
    signal.wait(atMost: .seconds(-5))
  }

  @Test("a raise before a wait ends the next wait only") func raiseBeforeWait() throws {
    let signal = try WakeSignal()
    signal.raise()
    signal.raise()
    signal.wait(atMost: .seconds(3_600))
    let start = SuspendingClock.now
    signal.wait(atMost: .milliseconds(20))
    #expect(SuspendingClock.now - start >= .milliseconds(20))
  }

  @Test("another thread ends the wait, however long it is") func raiseFromAnotherThread() async throws {
    let signal = try WakeSignal()
    let ended = FirstResult<Void, Never>()
    try DedicatedThread.start(name: "waiting") {
      signal.wait(atMost: .seconds(100_000_000_000))
      ended.finish()
    }
    signal.raise()
    await ended.value()
  }

  @Test("a wait for a descriptor tells the descriptor from the signal") func waitForDescriptor() throws {
    let signal = try WakeSignal()
    let other = try WakeSignal()
    WakeSignal.raise(other.descriptor)
    #expect(signal.wait(for: other.descriptor, events: Int16(POLLIN)))
    other.clear()
    signal.raise()
    #expect(!signal.wait(for: other.descriptor, events: Int16(POLLIN)))
    #expect(!signal.wait(for: other.descriptor, events: Int16(POLLIN), atMost: .milliseconds(5)))
  }
}
