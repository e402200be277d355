import Foundation
import TestKit
import TestTraits
import Testing

/// The whole program with push services whose answers are endless, malformed or abusive: each notification has a recorded
/// end, memory stays as low as with a well-behaved service, and the run ends in time.
@Suite(
  "Services that mean ill", .ownThread, .serialized,
  .enabled(if: Python.has("hpack") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct HostileServiceTests {
  /// A service's behavior and the expected ends of notifications: states with their reason or status, valid alternatives
  /// separated by `|`. `nil` where a protocol has no such behavior.
  private struct Behavior {
    let name: String
    let http1: String?
    let http2: String?

    init(_ name: String, _ http1: String?, _ http2: String?) {
      self.name = name
      self.http1 = http1
      self.http2 = http2
    }

    init(_ name: String, _ both: String) { self.init(name, both, both) }
  }

  /// Behaviors that end by themselves.
  private static let quick = [
    Behavior("endless-body-200", "failed protocol"), Behavior("endless-body-400", "failed protocol"),
    // Continues after it was told to stop: the next notifications share the connection with it.
    Behavior("deaf-endless-body-200", nil, "failed protocol"),
    Behavior("endless-headers-200", "failed protocol"), Behavior("endless-headers-400", "failed protocol"),
    Behavior("endless-line-200", "failed protocol"),
    Behavior("endless-trailers-200", "failed protocol"),
    Behavior("endless-interim", "failed protocol"),
    // Many headers, within the limits.
    Behavior("many-cookies-200", "accepted 200"), Behavior("long-fields-200", "accepted 200"),
    Behavior("long-fields-201", "accepted 201|rejected 201"),
    Behavior("cut-json-400", "rejected 400"), Behavior("deep-json-400", "rejected 400"),
    Behavior("deep-lists-400", "rejected 400"), Behavior("no-utf8-400", "rejected 400"),
    Behavior("wrong-types-400", "rejected 400"), Behavior("long-reason-400", "rejected 400"),
    Behavior("evil-reason-400", "rejected 400"), Behavior("html-502", "rejected 502|missed backoff"),
    Behavior("retry-digits-429", "rejected 429|missed retry_after"),
    Behavior("retry-negative-429", "rejected 429|missed retry_after"),
    Behavior("retry-huge-float-429", "rejected 429|missed retry_after"),
    Behavior("retry-far-503", "rejected 503|missed retry_after"),
    Behavior("retry-past-503", "rejected 503|missed retry_after"),
    Behavior("retry-no-date-429", "rejected 429|missed retry_after"),
    Behavior("retry-long-429", "rejected 429|missed retry_after"), Behavior("redirect-302", "rejected 302"),
    Behavior("redirect-307", "rejected 307"), Behavior("bomb-gzip-200", "accepted 200"),
    Behavior("bomb-gzip-400", "rejected 400"), Behavior("bomb-deflate-200", "accepted 200"),
    Behavior("bomb-br-200", "accepted 200"),
    Behavior("short-length-200", "failed closed", "failed reset|failed protocol"),
    Behavior("long-length-200", "accepted 200", "failed reset|failed protocol"),
    Behavior("huge-length-200", "accepted 200|failed closed", "failed reset|failed protocol"),
    Behavior("two-lengths-200", "failed closed|failed protocol", "failed reset|failed protocol"),
    Behavior("no-status", "failed protocol", "failed reset|failed protocol"),
    Behavior("odd-status", "failed protocol", "failed reset|failed protocol"),
    Behavior("twice", "accepted 200"),
    Behavior("switch", "failed closed", "failed closed|failed protocol|failed reset"),
    Behavior("evil-header-200", "failed protocol", "failed reset|failed protocol"),
    Behavior("garbage", "failed protocol"),
    Behavior("early", "accepted 200|failed closed|failed reset"),
    Behavior("settings", nil, "failed protocol"),
    Behavior("windows", nil, "failed protocol"),
    Behavior("push", nil, "failed protocol"), Behavior("farewell", nil, "failed goaway"),
    Behavior("large-frame", nil, "accepted 200|failed closed|failed protocol"),
  ]

  /// Behaviors that end with the target's timeout.
  private static let slow = [
    Behavior("silence", "failed timeout"), Behavior("drip-200", "failed timeout"),
    Behavior("empty-pieces-200", "failed timeout"),
    // More PINGs than the limit of a connection: it is closed.
    Behavior("pings", nil, "failed protocol"),
    Behavior("tiny-limit", nil, "failed timeout"),
    // An answer before any request belongs to none; with HTTP/1.1 it cannot be distinguished from a fast one.
    Behavior(
      "before-asked", "accepted 200", "accepted 200|failed timeout|failed closed|failed reset|failed protocol"
    ),
  ]

  /// - Parameter part: which part of the list; each part is a run of its own.
  private func check(
    _ list: [Behavior], _ protocolName: String, part: Int = 0, of parts: Int = 1, timing: String
  ) throws {
    let installation = try Installation()
    let decoy = try UnansweredListener()
    let isHTTP2 = protocolName == "h2"
    let behaviors = list.filter { (isHTTP2 ? $0.http2 : $0.http1) != nil }.enumerated()
      .filter { $0.offset % parts == part }.map(\.element)
    let names = behaviors.map { "\(protocolName):\($0.name)" }
    let files = try ProviderFiles(in: installation)
    let service = try HostileService(
      installation, ["\(protocolName):good", "h1:token-good"] + names,
      decoy: "https://127.0.0.1:\(decoy.port)/probe")
    try files.writeAccount(
      "account.json", tokenURI: "https://127.0.0.1:\(service.ports["h1:token-good"] ?? 1)/token")
    let providers = isHTTP2 ? ProviderFiles.providers : ProviderFiles.providersOfHTTP1
    func collect(_ store: String, hostile: Bool) throws -> (end: (status: Int32, peak: Int), error: String) {
      let targets = behaviors.flatMap { behavior in
        providers.map { provider in
          let port = service.ports["\(protocolName):\(hostile ? behavior.name : "good")"] ?? 1
          return ProviderFiles.target(
            "\(provider)-\(behavior.name)", provider, port: port, more: ["schedule: { rate: 4/s }", timing])
        }
      }
      try installation.directory.write(
        "pushscope.yaml", "targets:\n" + targets.joined(separator: "\n") + "\n")
      let collector = try RunningProcess(
        Programs.pushscope,
        ["collect", "--config", installation.configuration, "--store", store, "--count", "3"])
      return (try collector.waitForExitAndPeak(), collector.standardError)
    }
    let good = try collect(installation.directory.file("good.sqlite"), hostile: false)
    #expect(good.end.status == 0, "\(good.error)")
    let bad = try collect(installation.store, hostile: true)
    #expect(bad.end.status == 0, "\(bad.error)")
    print("\(protocolName) \(part) of \(parts): \(good.end.peak) kB, hostile \(bad.end.peak) kB")
    #expect(bad.end.peak - good.end.peak < 40_000, "\(good.end.peak) kB became \(bad.end.peak) kB")

    let rows = try installation.query(
      """
      SELECT target, CASE WHEN state IN ('accepted', 'rejected') THEN state || ' ' || status
        ELSE state || ' ' || reason END, count(*) FROM sample_view GROUP BY 1, 2
      """)
    let ends = Dictionary(grouping: rows, by: { $0[0] })
    for behavior in behaviors {
      let right =
        (isHTTP2 ? behavior.http2 : behavior.http1 ?? "")?.split(separator: "|").map(String.init) ?? []
      for provider in providers {
        let seen = ends["\(provider)-\(behavior.name)"] ?? []
        #expect(seen.reduce(0) { $0 + (Int($1[2]) ?? 0) } == 3, "\(provider) \(behavior.name): \(seen)")
        // A machine that pauses causes missed notifications; the service is not the cause.
        #expect(
          seen.allSatisfy { right.contains($0[1]) || $0[1] == "missed lag" },
          "\(provider) \(behavior.name): \(seen)")
        #expect(seen.contains { right.contains($0[1]) }, "\(provider) \(behavior.name): \(seen)")
      }
    }
    #expect(
      try installation.query("SELECT max(length(reason)) <= 200, min(service_us) >= 0 FROM sample_view") == [
        ["1", "1"]
      ])
    #expect(decoy.callers() == 0, "a redirect was followed")
    // Text from services is bounded in the store, too: some kB per target beside the tables themselves and two checkpoints of the
    // detector, of 10 kB each.
    let size = try FileManager.default.attributesOfItem(atPath: installation.store)[.size] as? Int ?? .max
    #expect(size < 600_000 + 31_000 * behaviors.count * providers.count)
    #expect(bad.error.utf8.count < 100_000 + 4_000 * behaviors.count * providers.count)
  }

  @Test("every provider, over HTTP/2", arguments: 0..<3) func http2(part: Int) throws {
    try check(Self.quick, "h2", part: part, of: 3, timing: "timeout: 20s, max_lag: 60s")
  }

  @Test("those that also speak HTTP/1.1", arguments: 0..<2) func http1(part: Int) throws {
    try check(Self.quick, "h1", part: part, of: 2, timing: "timeout: 20s, max_lag: 60s")
  }

  @Test("an endless answer ends with the target's timeout", arguments: ["h1", "h2"])
  func timeouts(protocolName: String) throws {
    try check(Self.slow, protocolName, timing: "timeout: 3s, max_lag: 2s")
  }

  @Test(
    "a service that repeats the sender's credentials does not get them into any output",
    arguments: ["h1", "h2"])
  func echo(protocolName: String) throws {
    let installation = try Installation()
    let files = try ProviderFiles(in: installation)
    let name = "\(protocolName):echo-400"
    let service = try HostileService(installation, [name, "h1:token-good"])
    let port = service.ports[name] ?? 1
    try files.writeAccount(
      "account.json", tokenURI: "https://127.0.0.1:\(service.ports["h1:token-good"] ?? 1)/token")
    try installation.directory.write("ntfy.token", "tk_0123456789abcdef\n")
    let vapid = "credentials: { vapid_key_file: key.p8, subject: 'mailto:ops@example.com' }"
    let more = [
      "webpush": [vapid], "ntfy": ["credentials: { token_file: ntfy.token }"],
      "http": ["headers: { authorization: 'Bearer ${PUSHSCOPE_TEST_BEARER}' }"],
    ]
    let providers = protocolName == "h2" ? ProviderFiles.providers : ProviderFiles.providersOfHTTP1
    let targets = providers.map {
      ProviderFiles.target($0, $0, port: port, more: ["schedule: { rate: 10/s }"] + (more[$0] ?? []))
    }
    try installation.directory.write("pushscope.yaml", "targets:\n" + targets.joined(separator: "\n") + "\n")
    let collector = try RunningProcess(
      Programs.pushscope,
      ["collect", "--config", installation.configuration, "--store", installation.store, "--count", "2"],
      environment: ["PUSHSCOPE_TEST_BEARER": "0123456789-of-a-hook"])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    let reasons = try installation.query(
      "SELECT DISTINCT target, reason FROM sample_view WHERE state = 'rejected'")
    #expect(Set(reasons.map { $0[0] }) == Set(providers), "\(reasons)")
    let bearing = Set(providers).subtracting(["loopback"])
    #expect(
      reasons.filter { bearing.contains($0[0]) }.allSatisfy { $0[1].contains("(hidden)") }, "\(reasons)")
    var written = Data(collector.standardError.utf8)
    for suffix in ["", "-wal"] {
      written += FileManager.default.contents(atPath: installation.store + suffix) ?? Data()
    }
    for secret in ["eyJ", "tk_0123", "0123456789-of", "ya29.good", "abababababab"] {
      #expect(written.range(of: Data(secret.utf8)) == nil, "\(secret) was kept")
    }
  }
}
