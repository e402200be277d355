import Findings
import Foundation
import Glibc
import Measurement
import TestKit
import Testing

/// Two loopback services as two providers, a collector with two devices at each, and one case after a quiet stretch.
final class CauseInstallation {
  /// Seconds of the episode, of quiet before it and after it.
  struct Pace {
    var quiet: Double
    var episode: Double
    var after: Double
    /// Notifications a second to each device at each provider.
    var rate: Int
  }

  private let instance: CauseCase
  private let pace: Pace
  private let directory: TemporaryDirectory
  private let ports: [CauseCase.Service: Int]
  private let receiptsPort: Int
  private let names = ["phone", "tablet"]

  init(_ instance: CauseCase, pace: Pace) throws {
    self.instance = instance
    self.pace = pace
    directory = try TemporaryDirectory()
    receiptsPort = try FreePort.take()
    ports = [.east: try FreePort.take(), .west: try FreePort.take()]
  }

  // MARK: - Files

  private func scenario(of service: CauseCase.Service, seed: Int) -> String {
    var lines = [
      "seed: \(seed)", "answers: { delay: { distribution: lognormal, median: 6ms, sigma: 0.3 } }",
      "deliveries: { delay: { distribution: lognormal, median: 250ms, sigma: 0.2 }, lost: 0.2%, shown: { distribution: lognormal, median: 40ms, sigma: 0.3 } }",
    ]
    guard let changes = instance.changes[service] else { return lines.joined(separator: "\n") + "\n" }
    lines.append("episodes:")
    let (length, every) = instance.bursts ?? (pace.episode, pace.episode)
    for offset in stride(from: 0, to: pace.episode, by: every) {
      lines.append("  - name: \(instance.name)")
      lines.append("    from: \(Int((pace.quiet + offset) * 1000))ms")
      lines.append("    for: \(Int(length * 1000))ms")
      lines += changes.map { "    " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func target(_ service: CauseCase.Service, _ device: String) -> String {
    """
      - name: \(service.rawValue)-\(device)
        provider: loopback
        endpoint: https://127.0.0.1:\(ports[service] ?? 0)
        ca_file: \(service.rawValue)/ca.pem
        device: \(device)
        schedule: { arrivals: jittered, rate: \(pace.rate)/s }
        timeout: 3s
        receipt_deadline: 3s
        path_probe: 100ms
    """
  }

  private func writeConfiguration() throws {
    try directory.write("receipts.secret", "0123456789abcdef0123456789abcdef\n")
    let targets = CauseCase.Service.allCases.flatMap { service in names.map { target(service, $0) } }
    try directory.write(
      "pushscope.yaml",
      """
      collector:
        receipts: { listen: 127.0.0.1:\(receiptsPort), certificate_file: east/server.pem, key_file: east/server.key, secret_file: receipts.secret }
      targets:
      \(targets.joined(separator: "\n"))

      """)
  }

  // MARK: - The run

  /// Plays the case.
  /// - Returns: when its episode was, seconds since 1970.
  func play(seed: Int) throws -> ClosedRange<Double> {
    let services = try CauseCase.Service.allCases.map { service in
      let file = try directory.write(
        "\(service.rawValue).yaml", scenario(of: service, seed: seed + (service == .east ? 0 : 100)))
      let process = try RunningProcess(
        Programs.pushscope,
        [
          "loopback", "--port", "\(ports[service] ?? 0)", "--credentials", directory.file(service.rawValue),
          "--scenario", file, "--receipts", "https://127.0.0.1:\(receiptsPort)", "--receipts-ca",
          directory.file("east/ca.pem"),
        ])
      try eventually("the service in the \(service.rawValue) listens", seen: { process.standardError }) {
        process.standardOutput.contains("https://") ? true : nil
      }
      return process
    }
    try writeConfiguration()
    let length = pace.quiet + pace.episode + pace.after
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", directory.file("pushscope.yaml"), "--store", store, "--duration",
        "\(Int(length))s",
      ])
    try stall(collector)
    #expect(try collector.waitForExit(within: .seconds(length + 60)) == 0, "\(collector.standardError)")
    for service in services {
      service.signal(SIGTERM)
      #expect(try service.waitForExit() == 0)
    }
    let begin = Double(try #require(try started(), "nothing was sent").microseconds) / 1e6 + pace.quiet
    return begin...begin + pace.episode
  }

  private var store: String { directory.file("pushscope.sqlite") }

  /// Stops the collector for 120 ms of each 300 ms if the case wants it.
  private func stall(_ collector: RunningProcess) throws {
    guard instance.isStalling else { return }
    let begin = try eventually("notifications were sent", seen: { collector.standardError }) {
      try started()
    }
    let from = Double(begin.microseconds) / 1e6 + pace.quiet
    try eventually("the stall begins", within: .seconds(from - Date().timeIntervalSince1970 + 10)) {
      Date().timeIntervalSince1970 >= from ? true : nil
    }
    while Date().timeIntervalSince1970 < from + pace.episode {
      collector.signal(SIGSTOP)
      _ = poll(nil, 0, 120)
      collector.signal(SIGCONT)
      _ = poll(nil, 0, 180)
    }
  }

  // MARK: - What the store says

  private func query(_ sql: String) throws -> [[String]] {
    let result = try run("sqlite3", ["-readonly", "-cmd", ".timeout 5000", "-separator", "\t", store, sql])
    guard result.status == 0 else { throw NeverHappened(what: sql, seen: result.error) }
    return result.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// When scenario time began, to some milliseconds; `nil` before.
  private func started() throws -> WallTime? {
    guard FileManager.default.fileExists(atPath: store) else { return nil }
    let first = try? query("SELECT min(planned_at + schedule_lag_us) FROM sample WHERE state > 1").first?
      .first
    return first.flatMap { $0 }.flatMap { Int64($0) }.map { WallTime(microseconds: $0) }
  }

  /// A row of the table that the collector wrote while it recorded.
  struct StoredFinding: CustomStringConvertible {
    var target: String
    var metric: String
    var causes: [CauseCase.Expectation]
    var evidence: String
    /// Seconds after the case began.
    var after: Double

    var description: String {
      "\(target) \(metric) after \(after) s: \(causes) (\(evidence))"
    }
  }

  /// What the collector found, of what got worse.
  func findings() throws -> [StoredFinding] {
    let origin = try #require(try started(), "nothing was sent")
    let rows = try query(
      """
      SELECT target, metric, started_at, evidence, verdicts FROM finding
      WHERE kind <> 'faster' AND status <> 'withdrawn' ORDER BY started_at, id
      """)
    return try rows.map { row in
      let start = try #require(Int64(row[2]))
      return StoredFinding(
        target: row[0], metric: row[1], causes: try causes(row[4]), evidence: row[3],
        after: Double(start - origin.microseconds) / 1e6 - pace.quiet)
    }
  }

  /// A provider bears its endpoint where there are several of one kind.
  private func causes(_ verdicts: String) throws -> [CauseCase.Expectation] {
    struct Stored: Decodable {
      var cause: String
      var scope: String?
    }
    return try JSONDecoder().decode([Stored].self, from: Data(verdicts.utf8)).map { stored in
      let service = ports.first { stored.scope == "loopback at 127.0.0.1:\($0.value)" }?.key
      return CauseCase.Expectation(cause: stored.cause, scope: service?.provider ?? stored.scope)
    }
  }

  /// What is said about the rows of its episode.
  func verdicts() throws -> [Verdict] {
    let origin = try #require(try started(), "nothing was sent")
    let start = origin.advanced(byMicroseconds: Int64(pace.quiet * 1e6))
    let end = start.advanced(byMicroseconds: Int64(pace.episode * 1e6))
    // Next to the episode and as long as it, as for provisional findings.
    let before = start.advanced(byMicroseconds: -Int64(pace.episode * 1e6))
    let episode = Episode(
      window: start..<end, baseline: before..<start, targets: try targets(), pings: try pings())
    return Diagnosis(episode).verdicts
  }

  private func service(of target: String) -> CauseCase.Service { target.hasPrefix("east") ? .east : .west }

  private func targets() throws -> [EpisodeTarget] {
    let states = Dictionary(uniqueKeysWithValues: NotificationState.allCases.map { ($0.name, $0) })
    var samples: [String: [EpisodeSample]] = [:]
    let rows = try query(
      """
      SELECT target, strftime('%s', planned_at), substr(planned_at, 21, 6), state, status, reason,
        schedule_lag_us, service_us, delivery_us, fresh_connection, connection_age_ms, shown_us
      FROM sample_view ORDER BY planned_at
      """)
    for row in rows {
      let seconds = try #require(Int64(row[1]))
      var sample = Sample(
        id: SampleID(rawValue: 0), variant: .none,
        plannedAt: WallTime(microseconds: seconds * 1_000_000 + (Int64(row[2]) ?? 0)), plannedMonotonic: 0)
      sample.state = try #require(states[row[3]])
      sample.status = Int(row[4])
      sample.reason = row[5].isEmpty ? nil : row[5]
      sample.scheduleLag = Int64(row[6])
      sample.serviceTime = Int64(row[7])
      sample.deliveryLatency = Int64(row[8])
      sample.deliveryError = 0
      sample.shownLatency = Int64(row[11])
      // All devices report what they show.
      if sample.state == .delivered { sample.display = sample.shownLatency == nil ? .unseen : .shown }
      if let age = Int64(row[10]) {
        sample.connection = ConnectionUse(id: 1, age: age, isFresh: row[9] == "true", streamsInFlight: 1)
      }
      samples[row[0], default: []].append(EpisodeSample(sample))
    }
    return samples.keys.sorted().map { name in
      EpisodeTarget(
        name: name, provider: service(of: name).provider,
        device: String(name.split(separator: "-").last ?? ""), samples: samples[name] ?? [])
    }
  }

  private func pings() throws -> [String: [TimedLatency]] {
    let rows = try query(
      """
      SELECT t.name, p.at - p.round_trip_us, p.round_trip_us FROM path p JOIN target t ON t.id = p.target_id
      ORDER BY 2
      """)
    return try rows.reduce(into: [:]) { pings, row in
      let at = WallTime(microseconds: try #require(Int64(row[1])))
      let latency = try #require(Int64(row[2]))
      pings[service(of: row[0]).provider, default: []].append(TimedLatency(plannedAt: at, latency: latency))
    }
  }
}
