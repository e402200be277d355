import Measurement
import Store
import Synchronization
import Testing

@testable import Collector

@Suite("Recorder's thread")
struct RecorderThreadTests {
  @Test("when recording cannot go on, whoever sends is told at once", .timeLimit(.minutes(10)))
  func failure() async throws {
    let fixture = try RecorderFixture()
    let (run, target, store, inbox, clock) = (
      fixture.run, fixture.target, fixture.store, fixture.inbox, SystemClock()
    )
    fixture.plan(3)
    let receipt = ArrivedReceipt(
      id: NotificationID(run: run, sample: fixture.id(1)), device: "d", arrivedAt: clock.monotonicNow(),
      receivedAt: clock.wallNow())
    let answers = Mutex<[ReceiptOutcome]>([])
    inbox.receive([receipt]) { outcome in answers.withLock { $0.append(outcome) } }
    store.close()
    let told = Mutex<[StoreError.Code]>([])
    let thread = try RecorderThread(
      inbox: inbox, clock: clock,
      make: {
        Recorder(
          run: run, bootID: "boot", targets: [LedgerTarget(id: target, receiptDeadline: nil)], store: store,
          inbox: inbox, clock: clock, onCommitted: { _ in Issue.record("nothing was committed") })
      },
      onTrouble: { _ in Issue.record("a closed store does not come back") },
      onFailure: { error, loss in
        #expect(loss.notifications + loss.changes > 0)
        if let error = error as? StoreError { told.withLock { $0.append(error.code) } }
      })
    await #expect(throws: StoreError.self) { try await thread.finished() }
    #expect(told.withLock { $0 } == [.closed])
    // Devices are told that nothing of it is stored, and so is who comes later.
    #expect(answers.withLock { $0 } == [ReceiptOutcome(failed: 1)])
    inbox.receive([receipt, receipt]) { outcome in answers.withLock { $0.append(outcome) } }
    #expect(answers.withLock { $0 } == [ReceiptOutcome(failed: 1), ReceiptOutcome(failed: 2)])
  }
}
