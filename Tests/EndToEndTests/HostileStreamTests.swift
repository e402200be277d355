import Foundation
import TestKit
import TestTraits
import Testing

/// A server that imitates ntfy may send its subscribers anything: the run continues, and store and memory stay bounded.
@Suite(
  "Streams that mean ill", .ownThread, .serialized,
  .enabled(if: Python.has("hpack") && Programs.has("openssl", "sqlite3")),
  .timeLimit(.minutes(10)))
struct HostileStreamTests {
  private struct Scene {
    let installation: Installation
    let service: HostileService

    /// One configuration for all behaviors.
    init(_ names: [String]) throws {
      installation = try Installation()
      _ = try ProviderFiles(in: installation)
      service = try HostileService(installation, names)
    }

    func write(_ name: String, _ names: [String], rate: String = "4/s") throws {
      let targets = names.map {
        ProviderFiles.target(
          String($0.dropFirst(10)), "ntfy", port: service.ports[$0] ?? 1,
          more: [
            "subscribe: true", "schedule: { rate: \(rate) }", "receipt_deadline: 10s", "timeout: 10s",
            "max_lag: 30s",
          ])
      }
      try installation.directory.write("\(name).yaml", "targets:\n" + targets.joined(separator: "\n") + "\n")
    }

    func collect(_ name: String, count: Int) throws -> RunningProcess {
      try RunningProcess(
        Programs.pushscope,
        [
          "collect", "--config", installation.directory.file("\(name).yaml"), "--store",
          installation.directory.file("\(name).sqlite"), "--count", "\(count)",
        ])
    }

    func query(_ name: String, _ sql: String) throws -> [[String]] {
      let result = try run(
        "sqlite3", ["-readonly", "-separator", "\t", installation.directory.file("\(name).sqlite"), sql])
      return result.output.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
    }
  }

  private static let afterOpening = [
    "line", "keepalives", "no-json", "deep", "many-lines", "forged", "foreign", "others", "replayed",
    "odd-ids", "flapping",
  ]

  @Test(
    "lines after a valid start of the stream are read, counted and rate-limited", arguments: ["h1", "h2"])
  func afterOpening(protocolName: String) throws {
    let hostile = Self.afterOpening.map { "\(protocolName):stream-\($0)" }
    let good = Self.afterOpening.indices.map { _ in "\(protocolName):stream-good" }
    let scene = try Scene(hostile + [good[0]])
    try scene.write("bad", hostile)
    let collector = try scene.collect("bad", count: 16)
    let end = try collector.waitForExitAndPeak()
    #expect(end.status == 0, "\(collector.standardError.suffix(3000))")
    try scene.write("good", [good[0]])
    let peaceful = try scene.collect("good", count: 16)
    let peak = try peaceful.waitForExitAndPeak()
    #expect(peak.status == 0, "\(peaceful.standardError)")
    #expect(
      try scene.query("good", "SELECT state, count(*) FROM sample_view GROUP BY 1") == [["delivered", "16"]])
    print("\(protocolName) streams: \(peak.peak) kB, hostile \(end.peak) kB")
    // Room for eleven targets instead of one.
    #expect(end.peak - peak.peak < 40_000, "\(peak.peak) kB became \(end.peak) kB")

    // Every message was published and accepted; the replayed one was received once, and its repetitions are
    // counted: the service sends fifty at a time.
    #expect(
      try scene.query("bad", "SELECT count(*), sum(accepted_at IS NOT NULL) FROM sample_view") == [
        ["176", "176"]
      ])
    #expect(
      try scene.query(
        "bad", "SELECT target, state, count(*) FROM sample_view WHERE state != 'lost' GROUP BY 1, 2"
      )
      .filter { $0[0] != "replayed" } == [])
    #expect(
      try scene.query(
        "bad", "SELECT DISTINCT duplicates > 40 FROM sample_view WHERE target = 'replayed' AND sequence = 1")
        == [["1"]])
    let receipts = try scene.query("bad", "SELECT count(*) FROM receipt")
    #expect((Int(receipts[0][0]) ?? .max) <= 100)
    let forged = try scene.query(
      "bad", "SELECT count(*), sum(count) FROM event_view WHERE kind = 'forged_receipt'")
    // An event stands for many of them.
    let (events, forgeries) = (Int(forged[0][0]) ?? .max, Int(forged[0][1]) ?? 0)
    #expect(events <= 20 && forgeries > events, "\(forged)")
    let kinds = try scene.query(
      "bad", "SELECT coalesce(target, kind), kind, count(*) FROM event_view GROUP BY 1, 2")
    #expect(kinds.allSatisfy { (Int($0[2]) ?? .max) <= 150 }, "\(kinds)")
    let losses = collector.standardError.split(separator: "\n").filter {
      $0.contains("the subscription is lost")
    }
    #expect((1...2).contains(losses.count { $0.contains("flapping") }), "\(losses)")
    let size = try FileManager.default.attributesOfItem(
      atPath: scene.installation.directory.file("bad.sqlite"))[
        .size]
    #expect(size as? Int ?? .max < 4_000_000)
  }

  private static let neverOpen: [(name: String, words: String)] = [
    ("never-open", "did not open the stream"), ("line-first", "did not open the stream"),
    ("bomb", "did not open the stream"), ("status-silence", "did not open the stream"),
    ("status-endless-headers-200", "the subscription of target"),
    ("status-endless-interim", "too large"),
    ("status-endless-body-403", "the server answers 403"), ("status-html-502", "the server answers 502"),
    ("status-redirect-302", "the server answers 302"), ("status-evil-reason-400", "the server answers 400"),
  ]

  @Test("a stream without a valid start ends the run with a message")
  func neverOpen() throws {
    let scene = try Scene(Self.neverOpen.map { "h2:stream-\($0.name)" })
    // All in parallel: nearly all of the time is waiting.
    let collectors = try Self.neverOpen.map { name, words in
      try scene.write(name, ["h2:stream-\(name)"])
      return (name, words, try scene.collect(name, count: 5))
    }
    for (name, words, collector) in collectors {
      let end = try collector.waitForExitAndPeak()
      // A refusal is final and needs no wait.
      #expect(end.status == (words.contains("answers 4") ? 78 : 69), "\(name): \(collector.standardError)")
      #expect(end.peak < 100_000, "\(name): \(end.peak) kB")
      #expect(collector.standardError.contains(words), "\(name): \(collector.standardError)")
      #expect(collector.standardError.utf8.count < 3_000, "\(name): \(collector.standardError)")
      #expect(try scene.query(name, "SELECT end_reason FROM run") == [["failed"]], "\(name)")
      #expect(try scene.query(name, "SELECT count(*) FROM sample_view") == [["0"]], "\(name)")
    }
  }
}
