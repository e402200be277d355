import Glibc
import TestKit
import TestTraits
import Testing

@testable import Collector

@Suite(.ownThread) struct AddressProbeTests {
  /// The whole network 127.0.0.0/8 is this host's, and a listener has one address of it.
  @Test func theAddressThatRefusesIsNamed() throws {
    let listener = FreePort.makeSocket()
    defer { close(listener) }
    let port = try #require(FreePort.bind(listener))
    try #require(listen(listener, 4) == 0)
    let failures = AddressProbe.failures(of: ["127.0.0.1", "127.0.0.2"], port: port)
    #expect(failures == [.init(address: "127.0.0.2", reason: "Connection refused")])
    #expect(AddressProbe.failures(of: ["127.0.0.1"], port: port).isEmpty)
  }

  @Test func whatIsNoAddressIsNotTried() {
    #expect(AddressProbe.failures(of: ["push.example.com"], port: 9).isEmpty)
  }
}
