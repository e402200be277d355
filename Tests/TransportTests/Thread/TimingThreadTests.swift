import Dispatch
import Glibc
import HTTPClient
import Measurement
import Providers
import Synchronization
import TestKit
import TestTraits
import Testing
import Transport
import TransportTestKit

@Suite(.ownThread) struct TimingThreadTests {
  private func check(_ change: (inout TransportTarget) -> Void) throws {
    var target = try TransportRun.target("https://127.0.0.1:1/", caFile: nil)
    change(&target)
    var generator = SeededGenerator(seed: 1)
    _ = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator), targets: [target], sink: { _ in })
  }

  @Test func refusesWhatCannotBeUsed() throws {
    try check { _ in }
    for url in ["", "127.0.0.1", "ftp://127.0.0.1/", "https://", "https://a b/"] {
      #expect(throws: TransportError.self, "\(url)") { try check { $0.providers = [HTTPProvider(url: url)] } }
    }
    for header in [HeaderField("x y", "1"), HeaderField("x", "1\r\ny: 2"), HeaderField("", "1")] {
      #expect(throws: TransportError.self) {
        try check { $0.providers = [HTTPProvider(url: "https://127.0.0.1/", headers: [header])] }
      }
    }
    #expect(throws: TransportError.self) { try check { $0.caFile = "/nonexistent/ca.pem" } }
    #expect(throws: TransportError.self) {
      try check {
        $0.clientCertificate = ClientCertificate(certificateFile: "/nonexistent/a", keyFile: "/dev/null")
      }
    }
    #expect(throws: TransportError.self) { try check { $0.providers = [] } }
    #expect(throws: TransportError.self) { try check { $0.variants = [VariantID(rawValue: 1), .none] } }
    #expect(throws: TransportError.self) { try check { $0.timeout = .zero } }
    #expect(throws: TransportError.self) { try check { $0.limits.maxInFlight = 0 } }
  }

  /// Two reloads before the thread has looked once: the second ends what the first has begun, or changes it again.
  @Test("changes are made one after the other, however late the thread takes them")
  func changesKeepTheirOrder() throws {
    func target(_ id: Int64, generation: Int = 0, rate: Double = 20, count: Int64? = nil) throws
      -> TransportTarget
    {
      var target = try TransportRun.target("https://127.0.0.1:1/", rate: rate, count: count, caFile: nil)
      (target.id, target.generation) = (TargetID(rawValue: id), generation)
      target.limits.maxLag = .seconds(1)
      return target
    }
    let observed = Mutex<[PlannedBlock]>([])
    let committing = Mutex<TimingThread?>(nil)
    let ended = DispatchSemaphore(value: 0)
    var generator = SeededGenerator(seed: 1)
    let thread = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator), targets: [try target(1, count: 30)],
      sink: { new in
        for case .planned(let block) in new {
          observed.withLock { $0.append(block) }
          committing.withLock { $0 }?.committed(
            block.target, through: block.lastSequence, generation: block.generation)
        }
      })
    committing.withLock { $0 = thread }
    defer {
      thread.stop(draining: .zero)
      committing.withLock { $0 = nil }
    }
    try thread.change(ending: [], beginning: [try target(2), try target(3)])
    try thread.change(
      ending: [TargetID(rawValue: 2), TargetID(rawValue: 3)], beginning: [try target(3, generation: 1)])
    try thread.change(ending: [TargetID(rawValue: 3)], beginning: [try target(3, generation: 2, count: 10)])
    try thread.start { ended.signal() }
    // What nobody ends would send for ever.
    #expect(ended.wait(timeout: .now() + .seconds(30)) == .success)
    let blocks = observed.withLock { $0 }
    #expect(Set(blocks.map(\.target.rawValue)) == [1, 3])
    let third = blocks.filter { $0.target.rawValue == 3 }
    #expect(Set(third.map(\.generation)) == [2] && third.map(\.lastSequence).max() == 10)
  }

  /// The first configuration waits for an answer while others end and begin.
  @Test("no sequence number is given twice, however long one of several configurations is under way")
  func sequencesGoOn() throws {
    let silent = try #require(LoopbackSocket.silent())
    defer { close(silent.fd) }
    func target(_ url: String, generation: Int) throws -> TransportTarget {
      var target = try TransportRun.target(url, rate: 50, caFile: nil)
      target.generation = generation
      return target
    }
    struct Seen {
      var planned: Set<Int64> = []
      var twice: [Int64] = []
      var sent = false
      var failed = 0
      var withdrawals = 0
    }
    let seen = Mutex(Seen())
    let news = DispatchSemaphore(value: 0)
    let committing = Mutex<TimingThread?>(nil)
    var generator = SeededGenerator(seed: 1)
    let thread = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator),
      targets: [try target("http://127.0.0.1:\(silent.port)/", generation: 0)],
      sink: { new in
        for observation in new {
          switch observation {
          case .planned(let block):
            seen.withLock { seen in
              let sequences = block.firstSequence...block.lastSequence
              seen.twice += sequences.filter { !seen.planned.insert($0).inserted }
            }
            committing.withLock { $0 }?.committed(
              block.target, through: block.lastSequence, generation: block.generation)
          case .withdrawn(_, let sequences):
            seen.withLock { seen in
              seen.planned.subtract(sequences)
              seen.withdrawals += 1
            }
          case .sent: seen.withLock { $0.sent = true }
          case .failed: seen.withLock { $0.failed += 1 }
          default: break
          }
        }
        news.signal()
      })
    committing.withLock { $0 = thread }
    defer {
      thread.stop(draining: .zero)
      committing.withLock { $0 = nil }
    }
    func wait(_ isReached: (Seen) -> Bool) {
      while !seen.withLock({ isReached($0) }), news.wait(timeout: .now() + .seconds(30)) == .success {}
      #expect(seen.withLock { isReached($0) })
    }
    try thread.start()
    wait { $0.sent }
    let id = TransportRun.target
    try thread.change(ending: [id], beginning: [])
    wait { $0.withdrawals == 1 }
    for generation in 1...5 {
      let before = seen.withLock { $0 }
      try thread.change(
        ending: [], beginning: [try target("http://127.0.0.1:1/", generation: generation)])
      wait { $0.failed > before.failed + 2 }
      try thread.change(ending: [id], beginning: [])
      wait { $0.withdrawals > before.withdrawals }
    }
    #expect(seen.withLock { $0.twice } == [])
  }

  @Test func endsAtOnceWithoutTargets() throws {
    var generator = SeededGenerator(seed: 1)
    let thread = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator), targets: [], sink: { _ in })
    let ended = DispatchSemaphore(value: 0)
    try thread.start { ended.signal() }
    #expect(ended.wait(timeout: .now() + .seconds(30)) == .success)
  }
}
