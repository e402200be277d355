import Foundation
import Measurement
import TestKit
import Testing

@testable import Configuration

/// `service`, `labels`, `objectives` and `alerts`.
@Suite struct ServiceConfigurationTests {
  private static let target =
    "targets: [{ name: ios, provider: ntfy, endpoint: 'https://127.0.0.1:1', topic: t, subscribe: true }, "
    + "{ name: hook, provider: http, endpoint: 'https://127.0.0.1:1', schedule: { every: 10s } }]\n"

  private func loaded(_ text: String, environment: [String: String] = [:]) throws -> PushscopeConfiguration {
    try load(Self.target + text, environment: environment)
  }

  /// Message and remedy of every problem, with its key.
  private func mistakes(_ text: String, environment: [String: String] = [:]) throws -> [String] {
    try problems(in: Self.target + text, environment: environment).map {
      "\($0.key): \($0.message); \($0.remedy)"
    }
  }

  @Test func nothingIsConfiguredUnlessItIsWritten() throws {
    let configuration = try loaded("")
    #expect(configuration.service == nil)
    #expect(configuration.labels.isEmpty)
    #expect(configuration.objectives.isEmpty)
    #expect(configuration.alerts == nil)
  }

  /// The sections that the annotated example has in comments are valid as they stand there.
  @Test func annotatedSectionsAreValid() throws {
    let example = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("config/pushscope.yaml")
    let lines = try String(contentsOf: example, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasPrefix("# service:") })
    let last = try #require(lines.firstIndex { $0.hasPrefix("targets:") })
    let text = lines.enumerated().map { index, line in
      guard (first..<last).contains(index), line.hasPrefix("# "), line.contains(":") || line.contains("- {")
      else { return String(line) }
      let body = line.dropFirst(2)
      return body.first == " " || body.prefix { $0 != " " }.hasSuffix(":") ? String(body) : String(line)
    }
    let directory = try populatedDirectory()
    try directory.write("hook.url", "https://hooks.example.com/T0PS3CRET\n")
    for name in ["writer", "reader"] { try directory.write("\(name).password", "correct horse") }
    let file = try directory.write("pushscope.yaml", text.joined(separator: "\n"))
    let configuration = try PushscopeConfiguration.load(path: file, environment: [:])
    let service = try #require(configuration.service)
    #expect(service.listen == ListenAddress(host: "127.0.0.1", port: 9477))
    #expect(service.identity?.certificateFile == directory.path + "/loopback/server.pem")
    #expect(service.authentication?.username == "prometheus")
    #expect(!service.allowsReload)
    #expect(configuration.labels == [ConfiguredLabel(name: "region", value: "eu-1")])
    #expect(
      configuration.objectives == [
        ObjectiveConfiguration(
          name: "fast", target: "loopback",
          promise: .share(0.99, within: .seconds(2), of: .delivery, window: .seconds(30 * 86_400))),
        ObjectiveConfiguration(name: "alive", target: "loopback", promise: .silence(.seconds(600))),
      ])
    let webhook = try #require(configuration.alerts?.webhook)
    #expect(webhook.sendsResolved)
    #expect(webhook.repeatInterval == .seconds(4 * 3600))
    #expect(webhook.currentURL()?.host == "hooks.example.com")
    #expect(configuration.alerts?.command?.arguments == ["/bin/cat", "-u"])
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(!dumped.contains("T0PS3CRET"))
  }

  @Test(arguments: ["127.0.0.1", "127.9.8.7", "localhost", "[::1]"])
  func loopbackAddressNeedsNoPassword(host: String) throws {
    #expect(try loaded("service: { listen: '\(host):0' }").service?.identity == nil)
  }

  @Test(arguments: ["0.0.0.0", "10.1.2.3", "[::]", "example.com", "127.0.0.1.example.com"])
  func otherAddressNeedsTLSAndAuthentication(host: String) throws {
    let found = try mistakes("service: { listen: '\(host):9477' }")
    #expect(found.count == 1)
    #expect(found.first?.contains("TLS and authentication are required") == true)
    #expect(
      found.first?.contains("certificate_file and key_file, username and password_file") == true)
    let half = try mistakes(
      "service: { listen: '\(host):9477', username: p, password_file: loopback/receipts.secret }")
    #expect(half.count == 1)
    #expect(half.first?.contains("add certificate_file and key_file, or") == true)
    let whole = try mistakes(
      "service: { listen: '\(host):9477', username: p, password_file: loopback/receipts.secret, "
        + "certificate_file: loopback/server.pem, key_file: loopback/server.key }")
    #expect(whole.isEmpty)
  }

  @Test(arguments: [
    (
      "service: { listen: '127.0.0.1:1', certificate_file: loopback/server.pem }",
      "needs the key \"key_file\""
    ),
    ("service: { listen: '127.0.0.1:1', username: a }", "needs the key \"password_file\""),
    (
      "service: { listen: '127.0.0.1:1', username: 'a:b', password_file: loopback/receipts.secret }",
      "contains a colon"
    ),
    (
      "service: { listen: '127.0.0.1:1', username: a, password_file: short.secret }",
      "too few for a secret"
    ),
    ("service: { listen: '127.0.0.1:1', allow_reload: perhaps }", "neither true nor false"),
    ("service: { port: 1 }", "there is no such key"),
    ("labels: { 9a: a }", "is not a label name"),
    ("labels: { __a: a }", "is not a label name"),
    ("labels: { a-b: a }", "is not a label name"),
    ("objectives: [{ name: a, target: iso, within: 2s, share: 99% }]", "did you mean \"ios\"?"),
    ("objectives: [{ name: a, target: ios, within: 2s, share: 100% }]", "is out of range"),
    ("objectives: [{ name: a, target: ios, share: 99% }]", "needs the key \"within\""),
    ("objectives: [{ name: a, target: ios, within: 2s, share: 99%, metric: path }]", "is not a valid value"),
    (
      "objectives: [{ name: a, target: hook, within: 2s, share: 99%, metric: delivery }]",
      "no receipt is expected"
    ),
    ("objectives: [{ name: a, target: ios, within: 2s, share: 99%, window: 5m }]", "is out of range"),
    ("objectives: [{ name: a, target: hook, silence: 29s }]", "write at least 30s"),
    ("objectives: [{ name: a, target: ios, silence: 1h, share: 99% }]", "cannot be combined"),
    (
      "objectives: [{ name: a, target: ios, silence: 1h }, { name: a, target: hook, silence: 1h }]",
      "is another objective named \"a\""
    ),
    ("alerts: {}", "tells nobody"),
    ("alerts: { webhook: { url: 'https://example.com/s3cret' } }", "contains a secret as plain text"),
    ("alerts: { webhook: { url_file: body.json } }", "others may read it"),
    ("alerts: { webhook: { url_file: short.secret } }", "does not hold an https or http URL"),
    ("alerts: { webhook: { url: '${URL}', repeat: 1s } }", "is out of range"),
    ("alerts: { command: page }", "where a list is required"),
    ("alerts: { command: [] }", "is empty"),
    ("alerts: { command: [page] }", "is not an absolute path"),
    ("alerts: { command: [/etc/passwd] }", "is not a program that this user may run"),
    ("alerts: { command: [/nowhere/page] }", "is not a program that this user may run"),
  ])
  func mistakeIsNamed(text: String, expected: String) throws {
    let found = try mistakes(text, environment: ["URL": "https://example.com/s3cret"])
    #expect(found.contains { $0.contains(expected) }, "\(found)")
    #expect(!found.contains { $0.contains("s3cret") })
  }

  @Test func metricFollowsWhatTheTargetCanHave() throws {
    let objectives = try loaded(
      """
      objectives:
        - { name: a, target: ios, within: 2s, share: 0.99 }
        - { name: b, target: hook, within: 250ms, share: 99.9%, window: 7d }
      """
    ).objectives
    #expect(
      objectives.map(\.promise) == [
        .share(0.99, within: .seconds(2), of: .delivery, window: .seconds(30 * 86_400)),
        .share(0.999, within: .milliseconds(250), of: .accept, window: .seconds(7 * 86_400)),
      ])
  }

  @Test("an objective with a metric that cannot be read is none: its name is free")
  func unreadMetric() throws {
    let found = try mistakes(
      """
      objectives:
        - { name: a, target: ios, within: 2s, share: 99%, metric: path }
        - { name: a, target: hook, silence: 1h }
      """)
    #expect(found.count == 1 && found.first?.contains("is not a valid value") == true, "\(found)")
  }

  @Test("labels that metrics and alerts have themselves are refused", arguments: MetricLabel.allCases)
  func reserved(label: MetricLabel) throws {
    #expect(
      try mistakes("labels: { \(label.rawValue): a }").first?.contains("is a label that metrics have already")
        == true)
  }

  @Test func tooManyLabelsAreRefused() throws {
    let labels = (1...21).map { "l\($0): x" }.joined(separator: ", ")
    #expect(try mistakes("labels: { \(labels) }").first?.contains("give at most 20") == true)
  }
}
