import Measurement
import Store
import Testing

@testable import Collector

@Suite struct ReceiptDiagnosticsTests {
  /// What the collector hears by its own subscription does not show that the listener can be reached.
  @Test(arguments: [true, false]) func onlyPostedReceiptsSpeakForTheListener(isSubscribed: Bool) throws {
    var diagnostics = ReceiptDiagnostics()
    #expect(diagnostics.recordReceipt(TargetID(rawValue: 1), isSubscribed: isSubscribed) == nil)
    var notes: [ReceiptDiagnostics.Note] = []
    for _ in 0..<StateCounts.silence {
      if let note = diagnostics.recordLost(TargetID(rawValue: 2), isSubscribed: false) { notes.append(note) }
    }
    let message = try #require(notes.first).message
    #expect(
      notes.count == 1 && message.contains("receipts of other targets arrive") != isSubscribed, "\(message)")
  }
}
