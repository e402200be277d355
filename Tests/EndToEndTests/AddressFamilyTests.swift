import Foundation
import TestKit
import TestTraits
import Testing

/// Hosts without IPv4, and names with addresses of both kinds of which one leads nowhere.
@Suite(
  "IPv6", .ownThread, .serialized,
  .enabled(if: NetworkNamespace.isPossible, NetworkNamespace.reason),
  .enabled(if: Programs.has("curl", "sqlite3")))
struct AddressFamilyTests {
  @Test("a host without IPv4 sends, receives receipts and serves metrics", .timeLimit(.minutes(10)))
  func onlyIPv6() throws {
    let installation = try Installation()
    let directory = installation.directory
    let network = try NetworkNamespace(["ip addr del 127.0.0.1/8 dev lo"])
    let service = try network.start(
      Programs.pushscope,
      [
        "loopback", "--host", "::1", "--credentials", directory.file("loopback"), "--receipts",
        "https://[::1]:8443", "--scenario",
        try directory.write("scenario.yaml", "answers: { delay: 1ms }\ndeliveries: { delay: 20ms }\n"),
      ])
    try service.waitFor(output: "https://[::1]:8471\n")
    // The file that the service writes, with a web endpoint.
    let written = try String(contentsOfFile: directory.file("loopback/loopback.yaml"), encoding: .utf8)
    #expect(!written.contains("127.0.0.1"))
    let configuration = try directory.write(
      "loopback/own.yaml",
      written.replacing("collector:", with: "service: { listen: '[::1]:9477' }\ncollector:"))

    let doctor = try network.run(
      Programs.pushscope, ["doctor", "--config", configuration, "--store", installation.store])
    #expect(doctor.status == 0, "\(doctor)")
    #expect(doctor.output.contains("[::1]:8443 is free"))
    #expect(!doctor.output.contains("no connection over the loopback interface"))

    let collector = try network.start(
      Programs.pushscope,
      ["collect", "--config", configuration, "--store", installation.store, "--rate", "20/s"])
    try installation.waitFor("delivered", over: 40, by: collector)
    let delivered =
      "SELECT target FROM sample_view WHERE state = 'delivered' GROUP BY target HAVING count(*) > 10"
    try eventually("each of the four targets has delivered", seen: { collector.standardError }) {
      try installation.query("SELECT count(*) FROM (\(delivered))") == [["4"]]
    }
    let ready = try network.run("curl", ["-sg", "--max-time", "30", "http://[::1]:9477/-/ready"])
    #expect(ready.output.hasPrefix("ready"), "\(ready)")
    #expect(try collector.stop() == 0)
    // One clock: receipts of this host are recognized as such.
    #expect(
      try installation.query(
        """
        SELECT count(DISTINCT target), sum(delivery_error_us <> 0), sum(connect_us IS NOT NULL) >= 4 FROM sample_view
        """) == [["4", "0", "1"]])
    #expect(try service.stop() == 0)
  }

  @Test("a listener at an IPv6 address without quotes is told to have some", .timeLimit(.minutes(10)))
  func quotes() throws {
    let directory = try TemporaryDirectory()
    let configuration = try directory.write("c.yaml", "service:\n  listen: [::1]:9477\ntargets: []\n")
    let result = try run(Programs.pushscope, ["collect", "--check", "--config", configuration])
    #expect(result.status == 78)
    #expect(result.error.contains("in quotes, like '[::1]:8443'"), "\(result.error)")
  }

  @Test(
    "an address that leads nowhere costs a new connection 0.2 s, and doctor names it",
    .timeLimit(.minutes(10)))
  func blackHole() throws {
    let installation = try Installation()
    let directory = installation.directory
    // The address that is tried first says nothing.
    let hosts = try directory.write(
      "hosts", "2001:db8::10 push.example\n192.0.2.10 push.example\n", mode: 0o644)
    let network = try NetworkNamespace([
      "ip addr add 192.0.2.10/32 dev lo", "ip addr add 2001:db8::10/128 dev lo nodad",
      "mount --bind '\(hosts)' /etc/hosts",
    ])
    let server = try network.start(
      Programs.python,
      [
        Programs.scripts + "/http1_server.py", "--host", "192.0.2.10", "--port", "8080", "--silent",
        "2001:db8::10",
      ])
    try server.waitFor(output: "listening")
    let configuration = try directory.write(
      "both.yaml",
      """
      targets:
        - { name: h, provider: http, endpoint: "http://push.example:8080/x", schedule: { rate: 20/s }, max_lag: 30s }

      """)
    let doctor = try network.run(
      Programs.pushscope, ["doctor", "--config", configuration, "--store", installation.store])
    #expect(doctor.status == 0, "\(doctor)")
    #expect(doctor.output.contains("h  connect  port 8080 accepts connections"), "\(doctor)")
    #expect(
      doctor.output.contains("h  address  2001:db8::10 accepts no connection at port 8080"), "\(doctor)")
    #expect(!doctor.output.contains("192.0.2.10 accepts no connection"), "\(doctor)")

    let collector = try network.start(
      Programs.pushscope,
      ["collect", "--config", configuration, "--store", installation.store, "--count", "20"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    #expect(try installation.states() == ["accepted": 20])
    // The wait is the connection's, and in no service time.
    #expect(
      try installation.query(
        """
        SELECT count(connect_us) >= 1, min(connect_us) >= 190000, max(connect_us) < 5000000, min(dns_us) < 190000,
          min(CASE WHEN connect_us IS NOT NULL THEN accept_us END) >= 190000, min(service_us) < 190000
        FROM sample_view
        """) == [["1", "1", "1", "1", "1", "1"]])
    try server.kill()
  }
}
