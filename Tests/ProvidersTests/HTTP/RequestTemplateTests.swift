import Measurement
import Providers
import Testing

@Suite struct RequestTemplateTests {
  private let notification = Probes.notification(7)

  private func body(_ template: String, bytes: Int? = nil) -> String {
    let provider = HTTPProvider(url: "https://a/", body: Array(template.utf8), payloadBytes: bytes)
    return String(decoding: provider.request(for: notification).body, as: UTF8.self)
  }

  @Test func placeholdersAreFilledAndOtherBracesKept() {
    #expect(
      body(#"{"id":"{id}","m":"{mac}","at":{planned_ms},"n":{sequence},"x":{"y":{}},"z":"{unknown}{id"#)
        == #"{"id":"\#(notification.id)","m":"\#(notification.mac ?? "")","at":1772600767123,"n":7,"x":{"y":{}},"z":"{unknown}{id"#
    )
    #expect(body("{planned_at}") == "2026-03-04T05:06:07.123456Z")
    #expect(body("{{id}}") == "{\(notification.id)}")
    #expect(PayloadMember.ticket(in: Array(body(#"{"pushscope":{pushscope}}"#).utf8))?.id == notification.id)
  }

  @Test func urlAndHeadersAreTemplatesToo() {
    let provider = HTTPProvider(
      url: "https://a/p/{id}", method: "PUT", headers: [HeaderField("x-sequence", "{sequence}")])
    let request = provider.request(for: notification)
    #expect(request.url == "https://a/p/\(notification.id)")
    #expect(request.headers == [HeaderField("x-sequence", "7")])
  }

  @Test func bodiesHaveExactlyTheirSize() throws {
    for bytes in [60, 100, 5000] {
      let filled = body(#"{"id":"{id}","pad":"{padding}"}"#, bytes: bytes)
      #expect(filled.utf8.count == bytes)
      #expect(throws: Never.self) { try Probes.object(Array(filled.utf8)) }
    }
    #expect(throws: Never.self) { try HTTPProvider.check(body: Array("{padding}".utf8), payloadBytes: 1) }
    #expect(throws: ProviderError.self) { try HTTPProvider.check(body: Array("x".utf8), payloadBytes: 10) }
    #expect(throws: ProviderError.self) {
      try HTTPProvider.check(body: Array("{id}{padding}".utf8), payloadBytes: 35)
    }
  }

  @Test func withoutAMACThereIsNothingInItsPlace() {
    let provider = HTTPProvider(url: "https://a/", body: Array("[{mac}]".utf8))
    #expect(provider.request(for: Probes.notification(mac: nil)).body == Array("[]".utf8))
  }
}
