import Foundation
import TestKit
import TestTraits
import Testing

/// The configuration that the loopback service writes, unchanged: four providers, four dialects, and one script that the
/// store is compared with.
@Suite("All four dialects of the loopback service", .ownThread, .serialized)
struct FourDialectsTests {
  private struct Line: Decodable {
    var entry: String
    var dialect: String
    var index: Int?
    var id: String
    var answer: String?
    var status: Int?
    var lost: Bool?
    var deliveries_us: [Int]?

    /// The outcomes that the collector must have recorded.
    var state: String {
      if answer == "refused" { return "rejected" }
      return lost == true ? "lost" : "delivered"
    }
  }

  @Test("notifications of the written configuration end as scripted", .timeLimit(.minutes(10)))
  func readyMade() throws {
    let count = 60
    let installation = try Installation()
    let script = installation.directory.file("script.jsonl")
    let service = try installation.startLoopback(
      scenario: """
        seed: 23
        answers:
          delay: 2ms
          errors: [{ reason: BadDeviceToken, probability: 8% }]
        deliveries: { delay: 15ms, lost: 8%, duplicated: 8% }
        fcm: { answers: { delay: 9ms } }
        """, extra: ["--script", script])
    let configuration = installation.directory.file("loopback/loopback.yaml")
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", configuration, "--store", installation.store, "--rate", "20/s", "--count",
        "\(count)",
      ])
    #expect(try collector.waitForExit(within: .seconds(180)) == 0, "\(collector.standardError)")
    #expect(try service.stop() == 0)

    let lines = try String(contentsOfFile: script, encoding: .utf8).split(separator: "\n")
      .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
      .filter { $0.entry == "request" }
    #expect(lines.allSatisfy { $0.index != nil }, "a provider of ours broke its dialect's rules")
    let samples = try installation.query(
      "SELECT target, notification_id, state, status, reason FROM sample_view")
    #expect(samples.count == 4 * count)
    // A busy host is late with some.
    let missed = samples.count { $0[2] == "missed" && $0[4] == "lag" }
    #expect(missed < count / 2)
    #expect(lines.count == 4 * count - missed, "each was sent once")
    let byID = Dictionary(lines.map { ($0.id, $0) }) { first, _ in first }
    #expect(byID.count == lines.count)
    for dialect in ["apns", "fcm", "webpush", "ntfy"] {
      let rows = samples.filter { $0[0] == dialect }
      #expect(rows.count == count, "\(dialect)")
      let sent = rows.filter { $0[2] != "missed" }
      for row in sent {
        let line = try #require(byID[row[1]], "\(row)")
        #expect(line.dialect == dialect)
        #expect(row[2] == line.state, "\(dialect) \(row[1])")
        #expect(row[3] == line.status.map(String.init), "\(dialect) \(row[1])")
      }
      let states = Set(sent.map { $0[2] })
      let all: Set = ["delivered", "lost", "rejected"]
      #expect(states.isSubset(of: all))
      #expect(states == all || sent.count < count, "\(dialect): choose a seed that shows all of it")
    }
    let duplicates = lines.reduce(0) { $0 + (($1.deliveries_us?.count ?? 0) == 2 ? 1 : 0) }
    #expect(try installation.query("SELECT sum(duplicates) FROM sample_view") == [["\(duplicates)"]])
  }
}
