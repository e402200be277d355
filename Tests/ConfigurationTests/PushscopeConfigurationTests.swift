import Foundation
import Measurement
import TestKit
import Testing

@testable import Configuration

@Suite struct PushscopeConfigurationTests {
  @Test func theAnnotatedExampleLoadsAsItIs() throws {
    let example = URL(fileURLWithPath: Programs.repository + "/config/pushscope.yaml")
    let text = try String(contentsOf: example, encoding: .utf8)
    let directory = try populatedDirectory()
    let file = try directory.write("pushscope.yaml", text)
    let configuration = try PushscopeConfiguration.load(path: file, environment: [:])

    let receipts = try #require(configuration.collector.receipts)
    #expect(receipts.listen == ListenAddress(host: "127.0.0.1", port: 8443))
    #expect(receipts.certificateFile == directory.path + "/loopback/server.pem")
    #expect(try receipts.secretFile.read() == Array("0123456789abcdef0123456789abcdef".utf8))
    let target = try #require(configuration.targets.first)
    #expect(configuration.targets.count == 1)
    #expect(target.name == "loopback")
    #expect(target.provider == .loopback)
    #expect(target.endpoint.url == "https://127.0.0.1:8471")
    #expect(target.caFile == directory.path + "/loopback/ca.pem")
    #expect(
      target.schedule
        == ScheduleConfiguration(arrivals: .poisson, rate: try #require(ArrivalRate(4, per: .seconds(1)))))
    #expect(target.device == "phone")
    #expect(target.receiptDeadline == .seconds(30))
    #expect(target.settings == .loopback(LoopbackSettings()))
  }

  /// The commented targets of the example are right as well.
  @Test(
    "the annotated example says of jitter and burst what they are without a line",
    arguments: ["jitter", "burst"])
  func annotatedSchedule(key: String) throws {
    let root = URL(fileURLWithPath: Programs.repository)
    let text = try String(contentsOf: root.appendingPathComponent("config/pushscope.yaml"), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.contains("# \(key): ") })
    let example = try #require(line.split(separator: "#").first { $0.contains("\(key): ") })
    let arrivals = key == "jitter" ? "jittered" : "burst"
    func schedule(_ more: String) throws -> ScheduleConfiguration {
      let target = "name: a, provider: loopback, endpoint: 'https://127.0.0.1:1'"
      let loaded = try load("targets: [{ \(target), schedule: { arrivals: \(arrivals), rate: 4/s\(more) } }]")
      return try #require(loaded.targets.first).schedule
    }
    let written = try schedule(", " + example.trimmingCharacters(in: .whitespaces))
    #expect(try written == schedule(""))
    #expect(line.contains(key == "jitter" ? "0 to 1" : "2 to 10000"))
  }

  @Test func theExampleCanBeUncommented() throws {
    let example = URL(fileURLWithPath: Programs.repository + "/config/pushscope.yaml")
    let text = try String(contentsOf: example, encoding: .utf8)
    let lines = text.split(separator: "\n").map {
      $0.hasPrefix("  # - ") || $0.hasPrefix("  #   ") ? "  " + $0.dropFirst(4) : $0
    }
    let directory = try credentialsDirectory()
    try directory.write("AuthKey_ABC123DEFG.p8", "-----BEGIN PRIVATE KEY-----\n")
    try directory.write("fcm.token", "d:token\n")
    let file = try directory.write("pushscope.yaml", lines.joined(separator: "\n"))
    let configuration = try PushscopeConfiguration.load(path: file, environment: ["HOOK_TOKEN": "t0ps3cret"])
    #expect(
      configuration.targets.map(\.name) == [
        "loopback", "ios", "android", "browser", "mozilla", "ntfy", "hook",
      ])
    #expect(
      configuration.targets.map(\.provider) == [.loopback, .apns, .fcm, .webpush, .webpush, .ntfy, .http])
    #expect(configuration.targets[1].variants.map(\.name) == ["priority=10", "priority=5"])
    #expect(configuration.targets[3].variants.map(\.name) == ["urgency=high", "urgency=normal"])
    let hook = try #require(configuration.targets.last)
    #expect(hook.schedule == .gentle)
    let expected = HTTPSettings(
      headers: [
        HTTPSettings.Header(name: "authorization", value: Secret("Bearer t0ps3cret")),
        HTTPSettings.Header(name: "content-type", value: Secret("application/json")),
        HTTPSettings.Header(name: "x-probe", value: Secret("{sequence}")),
      ], body: Array("{}\n".utf8), environmentValues: [Secret("t0ps3cret")])
    #expect(hook.settings == .http(expected))
    var dumped = ""
    dump(configuration, to: &dumped)
    for secret in ["t0ps3cret", "s3cret"] {
      #expect(!"\(configuration)".contains(secret))
      #expect(!dumped.contains(secret))
    }
  }

  @Test func whatIsNotSaidHasItsDefault() throws {
    let configuration = try load(
      "targets: [{ name: a, provider: http, endpoint: 'https://Example.com/hook?x=1' }]")
    #expect(configuration.collector == CollectorConfiguration(receipts: nil, durability: .normal))
    let target = try #require(configuration.targets.first)
    #expect(target.maxInFlight == 1000)
    #expect(target.maxLag == .seconds(1))
    #expect(target.timeout == .seconds(10))
    #expect(target.device == nil)
    #expect(target.receiptDeadline == nil)
    #expect(target.schedule.rate.meanInterval == 15e9)
    #expect(target.endpoint.target == "/hook?x=1")
    #expect("\(target.endpoint)" == "https://example.com")
    #expect(target.settings == .http(HTTPSettings(method: .post, success: StatusRanges([200...299]))))
  }

  @Test func everythingCanBeSaid() throws {
    let configuration = try load(
      """
      collector: { durability: full }
      targets:
        - { name: a, provider: http, endpoint: "http://[::1]:81", method: PUT, success: "200,202-204", max_in_flight: 7,
            max_lag: 250ms, timeout: 1.5s, schedule: { every: 2m } }
        - { name: b, provider: loopback, endpoint: "https://localhost/", push_type: background }
      """)
    #expect(configuration.collector.durability == .full)
    let a = configuration.targets[0]
    #expect(a.endpoint == Endpoint(scheme: .http, host: "::1", port: 81))
    #expect(a.endpoint.url == "http://[::1]:81")
    #expect(a.maxInFlight == 7)
    #expect(a.maxLag == .milliseconds(250))
    #expect(a.timeout == .milliseconds(1500))
    #expect(
      a.schedule == ScheduleConfiguration(arrivals: .constant, rate: try #require(.every(.seconds(120)))))
    #expect(a.settings == .http(HTTPSettings(method: .put, success: StatusRanges([200...200, 202...204]))))
    let b = configuration.targets[1]
    #expect(b.endpoint.port == 443)
    #expect(b.settings == .loopback(LoopbackSettings(pushType: .background, priority: 5)))
  }

  @Test(
    arguments: [
      (
        "{ rate: 4/s, arrivals: jittered }", ArrivalRate(4, per: .seconds(1)).map { .jittered($0, jitter: 1) }
      ),
      (
        "{ every: 15s, arrivals: jittered, jitter: 20% }",
        ArrivalRate.every(.seconds(15)).map { .jittered($0, jitter: 0.2) }
      ),
      ("{ rate: 4/s, arrivals: burst }", ArrivalRate(4, per: .seconds(1)).map { .burst($0, size: 10) }),
      (
        "{ rate: 4/s, arrivals: burst, burst: 250 }",
        ArrivalRate(4, per: .seconds(1)).map { .burst($0, size: 250) }
      ),
    ] as [(String, ArrivalProcess?)])
  func readsEveryKindOfArrivals(text: String, process: ArrivalProcess?) throws {
    let configuration = try load(
      "targets: [{ name: a, provider: http, endpoint: 'https://h', schedule: \(text) }]\n")
    #expect(configuration.targets[0].schedule.process == process)
  }

  @Test func theUsersOwnFileComesBeforeTheSystems() {
    #expect(
      PushscopeConfiguration.defaultPaths(environment: ["XDG_CONFIG_HOME": "/x", "HOME": "/h"])
        == ["/x/pushscope/pushscope.yaml", "/etc/pushscope/pushscope.yaml"])
    #expect(
      PushscopeConfiguration.defaultPaths(environment: ["XDG_CONFIG_HOME": "relative", "HOME": "/h"])
        == ["/h/.config/pushscope/pushscope.yaml", "/etc/pushscope/pushscope.yaml"])
    #expect(PushscopeConfiguration.defaultPaths(environment: [:]) == ["/etc/pushscope/pushscope.yaml"])
  }

  // MARK: The path

  @Test(arguments: [
    ("", Duration.seconds(10)), (", path_probe: 100ms", .milliseconds(100)),
    (", path_probe: 1h", .seconds(3600)),
    (", path_probe: off", nil),
  ])
  func pathProbeIsWhatTheFileSays(line: String, expected: Duration?) throws {
    let directory = try credentialsDirectory()
    let file = try directory.write(
      "c.yaml",
      "targets:\n  - { name: a, provider: loopback, endpoint: 'https://127.0.0.1:1'\(line) }\n")
    let target = try #require(try PushscopeConfiguration.load(path: file, environment: [:]).targets.first)
    #expect(target.pathProbe == expected)
  }

  // MARK: Back-off

  private func backoff(_ provider: String, _ lines: String = "") throws -> BackoffConfiguration? {
    let directory = try credentialsDirectory()
    try directory.write("fcm.token", "d:token\n")
    let keys =
      switch provider {
      case "fcm": "device_token_file: fcm.token, credentials: { service_account_file: account.json }"
      case "ntfy": "topic: t"
      default: "timeout: 10s"
      }
    let file = try directory.write(
      "c.yaml",
      "targets:\n  - { name: a, provider: \(provider), endpoint: 'https://127.0.0.1:1', \(keys)\(lines) }\n")
    return try PushscopeConfiguration.load(path: file, environment: [:]).targets.first?.backoff
  }

  @Test func everyPushServiceHasABackoff() throws {
    let usual = BackoffConfiguration(first: .seconds(10), longest: .seconds(900), probeEvery: .seconds(10))
    #expect(try backoff("ntfy") == usual)
    #expect(
      try backoff("fcm")
        == BackoffConfiguration(first: .seconds(60), longest: .seconds(900), probeEvery: .seconds(60)))
    // Others go on as if nothing had been, unless they are told to.
    #expect(try backoff("http") == nil && backoff("loopback") == nil)
    #expect(try backoff("http", ", backoff: { first: 10s }") == usual)
  }

  @Test func backoffIsWhatTheFileSays() throws {
    let long = try backoff("ntfy", ", backoff: { first: 20m, probe_every: 1m }")
    #expect(
      long == BackoffConfiguration(first: .seconds(1200), longest: .seconds(1200), probeEvery: .seconds(60)))
    let silent = try backoff("fcm", ", backoff: { longest: 2h, probe_every: off }")
    #expect(
      silent == BackoffConfiguration(first: .seconds(60), longest: .seconds(7200), probeEvery: nil))
  }
}
