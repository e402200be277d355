import HTTPTestKit
import TestTraits
import Testing

/// RFC 9113 and RFC 7541 against the receipt listener, case by case as h2spec lists them.
@Suite(.ownThread) struct HTTP2ConformanceTests {
  @Test func receiptListener() async throws {
    try await withListener { listener in
      let outcome = try await HTTP2Conformance(
        port: listener.port, authorityFile: listener.authorityFile, path: "/v1/receipts")
      #expect(outcome.count == HTTP2Conformance.caseCount)
      #expect(outcome.surprises == [])
    }
  }
}
