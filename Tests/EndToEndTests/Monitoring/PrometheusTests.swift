import Foundation
import Glibc
import HTTPTestKit
import TestKit
import TestTraits
import Testing

/// What Debian's Prometheus makes of the metrics, and promtool of the rules.
@Suite("Prometheus and promtool take what is offered", .ownThread, .serialized)
struct PrometheusTests {
  private static let names = [
    "pushscope_notifications_planned_total", "pushscope_notifications_sent_total",
    "pushscope_notifications_duplicates_total", "pushscope_notifications_accepted_total",
    "pushscope_notifications_delivered_total", "pushscope_notifications_late_total",
    "pushscope_notifications_lost_total", "pushscope_notifications_failed_total",
    "pushscope_notifications_missed_total", "pushscope_notifications_interrupted_total",
    "pushscope_delivery_seconds_count", "pushscope_accept_seconds_count", "pushscope_service_seconds_count",
    "pushscope_schedule_lag_seconds_count", "pushscope_path_seconds_count",
    "pushscope_delivery_error_seconds_count",
    "pushscope_connected", "pushscope_streams_in_flight", "pushscope_connection_age_seconds",
    "pushscope_rate_asked",
    "pushscope_last_accepted_timestamp_seconds", "pushscope_last_delivered_timestamp_seconds",
    "pushscope_commit_seconds_count", "pushscope_store_bytes", "pushscope_store_oldest_timestamp_seconds",
    "pushscope_config_last_reload_successful", "pushscope_objective_good_total",
    "pushscope_objective_valid_total",
  ]

  private func program(_ name: String) throws -> String {
    guard let found = Programs.find(name) else {
      throw NeverHappened(what: "\(name) is there", seen: "scripts/bootstrap test unpacks it")
    }
    return found
  }

  @Test(
    "Prometheus scrapes text and native histograms, and its sums are the store's",
    .enabled(if: Programs.has("prometheus", "promtool", "curl")), .timeLimit(.minutes(10)),
    arguments: [false, true])
  func scrapes(isNative: Bool) throws {
    let monitored = try MonitoredInstallation(
      rate: "50/s", target: ["receipt_deadline: 30s"],
      sections: [
        "labels: { region: eu-1 }",
        "objectives: [{ name: fast, target: loopback, within: 30ms, share: 90% }]",
      ])
    let installation = monitored.installation
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: { distribution: uniform, from: 20ms, to: 40ms } }\n")
    let collector = try installation.collect([])
    try monitored.waitUntilReady(collector)
    let port = try FreePort.take()
    // As shipped, but for address and pace.
    let folder = Programs.repository + "/config/prometheus/"
    for name in ["prometheus.yml", "rules.yml"] {
      try installation.directory.write(
        name,
        try String(contentsOfFile: folder + name, encoding: .utf8).replacing(
          "scrape_interval: 15s", with: "scrape_interval: 1s\n  evaluation_interval: 1s"
        ).replacing("127.0.0.1:9477", with: "127.0.0.1:\(monitored.port)"))
    }
    let configuration = installation.directory.file("prometheus.yml")
    let prometheus = try RunningProcess(
      try program("prometheus"),
      [
        "--config.file=\(configuration)", "--storage.tsdb.path=\(installation.directory.file("tsdb"))",
        "--web.listen-address=127.0.0.1:\(port)",
      ] + (isNative ? ["--enable-feature=native-histograms"] : []))
    let server = "http://127.0.0.1:\(port)"
    func query(_ expression: String) throws -> String {
      try run(try program("promtool"), ["query", "instant", server, expression]).output
    }
    /// The value of an instant vector with one element.
    func value(_ expression: String) throws -> Double? {
      guard let arrow = try query(expression).split(separator: "=>").last else { return nil }
      return Double(arrow.split(separator: "@").first?.trimmingCharacters(in: .whitespaces) ?? "")
    }
    try eventually("it scrapes", within: .seconds(90), seen: { prometheus.standardError }) {
      try value("up{job=\"pushscope\"}") == 1 ? true : nil
    }
    try eventually("some hundred are delivered", within: .seconds(90), seen: { collector.standardError }) {
      try monitored.scrape().sum("pushscope_notifications_delivered_total") > 200 ? true : nil
    }
    var missing: [String] = []
    // The store's own figures are looked at now and then.
    try eventually("every metric is there", seen: { "\(missing)" }) {
      let text = try monitored.scrape()
      missing = Self.names.filter { !text.has($0) }
      return missing.isEmpty ? true : nil
    }
    try monitored.stopRun()
    let text = try monitored.scrape()
    let delivered = Double(text.sum("pushscope_notifications_delivered_total"))
    #expect(String(Int(delivered)) == (try installation.query("SELECT sum(delivered) FROM tally")[0][0]))
    try eventually("it has the last ones", within: .seconds(60)) {
      try value("sum(pushscope_notifications_delivered_total{region=\"eu-1\"})") == delivered ? true : nil
    }
    #expect(try value("sum(pushscope_delivery_seconds_count)") == delivered)
    let within = try installation.query("SELECT count(*) FROM sample WHERE delivery_us <= 30000")[0][0]
    #expect(try value("sum(pushscope_delivery_seconds_bucket{le=\"0.03\"})") == Double(within))
    #expect(try value("sum(pushscope_objective_good_total{objective=\"fast\"})") == Double(within))
    if isNative {
      #expect(try value("sum(histogram_count(pushscope_delivery_seconds))") == delivered)
      let median = try #require(try value("histogram_quantile(0.5, sum(pushscope_delivery_seconds))"))
      let exact = try installation.query(
        "SELECT delivery_us FROM sample WHERE delivery_us IS NOT NULL ORDER BY delivery_us LIMIT 1 OFFSET \(Int(delivered / 2))"
      )
      let truth = (Double(exact[0][0]) ?? 0) / 1e6
      // A bucket is 2.2 % wide.
      #expect(abs(median - truth) < truth * 0.03, "\(median) \(truth)")
    }
    // What is shipped has values, of native histograms alone too, as where another scrape file is used.
    let shipped = try dashboardQueries() + shippedRules.map(\.expression)
    for query in shipped {
      for query in isNative ? [query, query.replacing("_bucket", with: "_none")] : [query] {
        let result = try run(try program("promtool"), ["query", "instant", server, query])
        #expect(result.status == 0, "\(query): \(result.error)")
        #expect(!result.output.isEmpty || !query.contains("histogram_quantile"), "\(query)")
        #expect(!result.output.isEmpty || !query.contains("increase"), "\(query)")
      }
    }
    for rule in try shippedRules where rule.isRecorded {
      #expect(try !query(rule.name).isEmpty, "\(rule.name)")
    }
    prometheus.signal(SIGTERM)
    collector.signal(SIGTERM)
    service.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
  }

  @Test(
    "promtool finds nothing wrong with the metrics", .enabled(if: Programs.has("promtool", "curl")),
    .timeLimit(.minutes(10)))
  func lint() async throws {
    let monitored = try MonitoredInstallation(
      rate: "50/s", target: ["receipt_deadline: 1s"],
      sections: ["objectives: [{ name: \"quoted \\\"fast\\\"\", target: loopback, within: 1s, share: 90% }]"])
    let service = try monitored.installation.startLoopback()
    let collector = try monitored.installation.collect([])
    try monitored.waitUntilReady(collector)
    try await eventually("something is delivered") {
      try monitored.scrape().sum("pushscope_notifications_delivered_total") > 20 ? true : nil
    }
    let text = try monitored.ask("/metrics")
    let checked = try await Programs.run(
      try program("promtool"), ["check", "metrics"], input: text.body + "\n")
    #expect(checked.status == 0, "\(checked.output)\(checked.error)")
    let openMetrics = try monitored.ask(
      "/metrics", ["-H", "Accept: application/openmetrics-text;version=1.0.0"])
    #expect(openMetrics.body.hasSuffix("# EOF\n"))
    #expect(openMetrics.body.contains(" # {notification_id=\""))
    #expect(try monitored.ask("/metrics", ["-X", "POST"]).status == 405)
    #expect(try monitored.ask("/-/reload", ["-X", "POST", "-H", "X-Pushscope-Reload: 1"]).status == 404)
    #expect(try monitored.ask("/nothing").status == 404)
    #expect(try monitored.ask("/").body.contains("/metrics"))
    collector.signal(SIGTERM)
    service.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
  }

  @Test("promtool takes the rules, and they do what their tests say", .enabled(if: Programs.has("promtool")))
  func rules() throws {
    let folder = Programs.repository + "/config/prometheus"
    let promtool = try program("promtool")
    let checked = try run(promtool, ["check", "rules", folder + "/rules.yml"])
    #expect(checked.status == 0, "\(checked.output)\(checked.error)")
    let configuration = try run(promtool, ["check", "config", "--syntax-only", folder + "/prometheus.yml"])
    #expect(configuration.status == 0, "\(configuration.output)\(configuration.error)")
    let tested = try run(promtool, ["test", "rules", folder + "/rules-test.yml"])
    #expect(tested.status == 0, "\(tested.output)\(tested.error)")
  }

  /// The shipped rules; what an alert compares with a limit is taken without it.
  private var shippedRules: [(name: String, expression: String, isRecorded: Bool)] {
    get throws {
      let text = try String(
        contentsOfFile: Programs.repository + "/config/prometheus/rules.yml", encoding: .utf8)
      var found: [(name: String, expression: String, isRecorded: Bool)] = []
      var isOpen = false
      for line in text.split(separator: "\n") {
        let words = line.trimmingCharacters(in: .whitespaces)
        if words.hasPrefix("- record: ") || words.hasPrefix("- alert: ") {
          found.append((String(words.split(separator: " ")[2]), "", words.hasPrefix("- record: ")))
        } else if words.hasPrefix("expr: ") {
          found[found.count - 1].expression =
            words == "expr: >-" ? "" : String(words.dropFirst("expr: ".count))
          isOpen = words == "expr: >-"
        } else if ["for:", "labels:", "- name:", "#"].contains(where: words.hasPrefix) {
          isOpen = false
        } else if isOpen {
          found[found.count - 1].expression += " " + words
        }
      }
      return found.map {
        $0.isRecorded ? $0 : ($0.name, $0.expression.replacing(" > 0.05", with: ""), false)
      }
    }
  }

  /// The dashboard's queries, with values in place of its variables.
  private func dashboardQueries() throws -> [String] {
    let data = try Data(
      contentsOf: URL(fileURLWithPath: Programs.repository + "/config/grafana/pushscope.json"))
    let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    #expect(dashboard["schemaVersion"] is Int)
    #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
    return panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { target in
      (target["expr"] as? String)?.replacing("$__rate_interval", with: "5m").replacing(
        "$target", with: "loopback")
    }
  }

  @Test(
    "the dashboard's queries are valid, of metrics that there are", .enabled(if: Programs.has("promtool")))
  func dashboard() throws {
    let queries = try dashboardQueries()
    var rules: [String] = []
    for query in queries {
      #expect(!query.contains("$"), "\(query)")
      for name in query.split(whereSeparator: { !$0.isLetter && $0 != "_" })
      where name.hasPrefix("pushscope_") {
        let known = Self.names.contains {
          $0.hasPrefix(name) || name.hasPrefix($0.replacing("_count", with: ""))
        }
        #expect(
          known || name.hasPrefix("pushscope_finding_open")
            || name.hasPrefix("pushscope_notifications_rejected")
            || name.hasPrefix("pushscope_clock_offset"), "\(name)")
      }
      rules.append("  - { record: 'pushscope:query:\(rules.count)', expr: \(quoted(query)) }")
    }
    #expect(rules.count >= 10)
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      "queries.yml", "groups:\n- name: queries\n  rules:\n" + rules.joined(separator: "\n") + "\n")
    let checked = try run(try program("promtool"), ["check", "rules", file])
    #expect(checked.status == 0, "\(checked.output)\(checked.error)")
  }

  private func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
