import Measurement
import Store
import Synchronization
import Testing

@testable import Collector

@Suite("Recorder's thread")
struct RecorderThreadTests {
  @Test("when recording cannot go on, whoever sends is told at once", .timeLimit(.minutes(1)))
  func failure() async throws {
    let fixture = try RecorderFixture()
    let (run, target, store, inbox, clock) = (
      fixture.run, fixture.target, fixture.store, fixture.inbox, SystemClock()
    )
    fixture.plan(3)
    store.close()
    let told = Mutex<[StoreError.Code]>([])
    let thread = RecorderThread(
      inbox: inbox, clock: clock,
      make: {
        Recorder(
          run: run, bootID: "boot", targets: [LedgerTarget(id: target, receiptDeadline: nil)], store: store,
          inbox: inbox, clock: clock, onCommitted: { _ in Issue.record("nothing was committed") })
      },
      onTrouble: { _ in Issue.record("a closed store does not come back") },
      onFailure: { error in
        if let error = error as? StoreError { told.withLock { $0.append(error.code) } }
      })
    await #expect(throws: StoreError.self) { try await thread.finished() }
    #expect(told.withLock { $0 } == [.closed])
  }
}
