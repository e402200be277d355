import Measurement
import Synchronization
import Testing

@testable import Collector

@Suite struct WakeSignalTests {
  @Test(.timeLimit(.minutes(1))) func aWaitEndsWhenItsTimeIsOver() {
    let signal = WakeSignal()
    let clock = SystemClock()
    let start = clock.monotonicNow()
    signal.wait(atMost: .milliseconds(30))
    #expect(clock.monotonicNow() - start >= .milliseconds(30))
    signal.wait(atMost: .zero)
    signal.wait(atMost: .seconds(-5))
  }

  @Test(.timeLimit(.minutes(1))) func whatWasRaisedBeforeEndsTheNextWaitOnly() {
    let signal = WakeSignal()
    signal.raise()
    signal.raise()
    signal.wait(atMost: .seconds(3_600))
    let clock = SystemClock()
    let start = clock.monotonicNow()
    signal.wait(atMost: .milliseconds(20))
    #expect(clock.monotonicNow() - start >= .milliseconds(20))
  }

  @Test(.timeLimit(.minutes(1))) func anotherThreadEndsTheWait() async {
    let signal = WakeSignal()
    let ended = AsyncStream<Never>.makeStream()
    DedicatedThread.start(name: "waiting") {
      signal.wait(atMost: .seconds(100_000_000_000))
      ended.continuation.finish()
    }
    signal.raise()
    for await _ in ended.stream {}
  }
}
