import TestKit
import Testing

@testable import Configuration

@Suite("The section fleet")
struct FleetConfigurationTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("fleet-section")
    try directory.write("good.password", "sécret with spaces\n")
    try directory.write("other.password", "other\n")
  }

  private func load(_ section: String) throws -> FleetConfiguration? {
    let file = try directory.write("c.yaml", "fleet: { \(section) }\n")
    return try PushscopeConfiguration.loadFleet(path: file, environment: [:])
  }

  private func problem(_ section: String) -> ConfigurationProblem? {
    do { _ = try load(section) } catch { return (error as? ConfigurationError)?.problems.first }
    return nil
  }

  private static let url = "url: 'https://clickhouse.example.com:8443'"

  @Test("a file of authorities has a certificate")
  func authorities() throws {
    let base64 = "MIIBkTCB+wIJAL\nabc+/w=="
    let users = "reader: { user: r }"
    let good = "-----BEGIN CERTIFICATE-----\r\n\(base64)\r\n-----END CERTIFICATE-----\r\n"
    try directory.write("ca.pem", "an authority\n" + good)
    #expect(try load("\(Self.url), \(users), ca_file: ca.pem")?.caFile == directory.file("ca.pem"))
    for text in [
      "no certificate\n", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\n\(base64)\n",
      "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n",
    ] {
      try directory.write("ca.pem", text)
      let found = problem("\(Self.url), \(users), ca_file: ca.pem")
      #expect(
        found?.key == "fleet.ca_file" && found?.message.contains("has no certificate") == true, "\(text)")
    }
  }

  @Test("a password that cannot be sent is refused")
  func passwords() throws {
    let section = "\(Self.url), reader: { user: r, password_file: p }"
    try directory.write("p", "sécret with spaces \n")
    #expect(try load(section)?.reader?.password() == "sécret with spaces")
    for bytes in [
      Array("a\u{1}b".utf8), Array("a\nb\n".utf8), Array("a\u{7F}".utf8), [0x61, 0xFF], Array(" a".utf8),
    ] {
      try directory.write("p", bytes)
      let found = problem(section)
      #expect(found?.key == "fleet.reader.password_file", "\(bytes)")
      #expect(found?.description.contains("sécret") == false)
    }
  }

  @Test("one name with two passwords is no user")
  func names() throws {
    func section(_ writer: String, _ reader: String) -> String {
      "\(Self.url), writer: { user: u\(writer) }, reader: { user: u\(reader) }"
    }
    let password = ", password_file: good.password"
    let found = problem(section(password, ", password_file: other.password"))
    #expect(found?.key == "fleet.reader" && found?.remedy == "give reader a user of its own")
    #expect(problem(section(password, ""))?.key == "fleet.reader")
    #expect(problem(section(password, password)) == nil && problem(section("", "")) == nil)
  }

  @Test(
    "databases of the engine are not ours", arguments: ["system", "information_schema", "INFORMATION_SCHEMA"])
  func databases(name: String) throws {
    let found = problem("\(Self.url), database: \(name), reader: { user: r }")
    #expect(found?.key == "fleet.database" && found?.message.contains("the engine itself") == true)
    #expect(try load("\(Self.url), database: default, reader: { user: r }")?.database == "default")
  }

  @Test("a user in the URL is told where to go")
  func userInURL() throws {
    let found = problem("url: 'https://u:hunter2@h:8443', reader: { user: r }")
    #expect(found?.key == "fleet.url" && found?.remedy.contains("password_file") == true)
    #expect(found?.remedy.contains("header") == false && found?.description.contains("hunter2") == false)
  }
}
