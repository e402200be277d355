import CLinux
import Dispatch
import Measurement
import Synchronization
import Testing
import Threads
import TransportTestKit

@testable import Transport

@Suite struct ThreadSchedulingTests {
  /// The scheduling policies of a thread that takes precedence and gives it up; `nil` for the first if it is not permitted.
  private static func tryOut() throws -> (first: Int32?, usual: Int32) {
    let found = Mutex<(Int32?, Int32)>((nil, -1))
    let done = DispatchSemaphore(value: 0)
    try DedicatedThread.start(name: "turns") {
      let first = ThreadScheduling.areUndecided && ThreadScheduling.goFirst() ? clinux_policy() : nil
      ThreadScheduling.goShort()
      let usual = clinux_policy()
      found.withLock { $0 = (first, usual) }
      done.signal()
    }
    done.wait()
    return found.withLock { $0 }
  }

  @Test func goesFirstWhereItMayAndBackAgain() throws {
    let found = try Self.tryOut()
    #expect(found.usual == Int32(clinux_usual_turns))
    if let first = found.first { #expect(first == Int32(clinux_first_turns)) }
  }

  @Test func theTimingThreadGoesFirstWhereItMay() throws {
    let mayGoFirst = try Self.tryOut().first != nil
    let policies = Mutex<[Int32]>([])
    let news = DispatchSemaphore(value: 0)
    var generator = SeededGenerator(seed: 1)
    let thread = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator),
      targets: [TransportRun.target("https://127.0.0.1:1/", caFile: nil)]
    ) { _ in
      policies.withLock { $0.append(clinux_policy()) }
      news.signal()
    }
    let ended = DispatchSemaphore(value: 0)
    try thread.start { ended.signal() }
    // The thread itself passes the first block of the plan on.
    news.wait()
    thread.stop(draining: .zero)
    ended.wait()
    let wanted = Int32(mayGoFirst ? clinux_first_turns : clinux_usual_turns)
    #expect(policies.withLock { $0.first } == wanted)
  }
}
