import Collector
import Dispatch
import HTTPClient
import Measurement
import Providers
import Testing

@Suite struct TimingThreadTests {
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

  @Test func endsAtOnceWithoutTargets() throws {
    var generator = SeededGenerator(seed: 1)
    let thread = try TimingThread(
      run: RunID(at: WallTime(microseconds: 0), using: &generator), targets: [], sink: { _ in })
    let ended = DispatchSemaphore(value: 0)
    try thread.start { ended.signal() }
    #expect(ended.wait(timeout: .now() + .seconds(30)) == .success)
  }
}
