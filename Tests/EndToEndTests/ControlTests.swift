import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Runs are renamed, deleted, stopped and started from outside", .ownThread, .serialized)
struct ControlTests {
  /// Writes a command to the control table, as any other program could.
  private func leave(_ values: String, in installation: Installation) throws -> String {
    let result = try run(
      "sqlite3",
      [
        "-cmd", ".timeout 5000", installation.store,
        "INSERT INTO control (command, name, run, at) VALUES (\(values), strftime('%s', 'now') * 1000000 + 1000000); "
          + "SELECT last_insert_rowid()",
      ])
    #expect(result.status == 0, "\(result.error)")
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func answered(_ row: String, in installation: Installation) throws -> String {
    try eventually("the collector answers") {
      let rows = try installation.query(
        "SELECT done_at IS NOT NULL, ifnull(refusal, '') FROM control WHERE id = \(row)")
      return rows.first?.first == "1" ? rows[0][1] : nil
    }
  }

  @Test("while a collector records, and after it", .timeLimit(.minutes(10)))
  func wholeWay() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 1ms }\n")
    let collector = try installation.collect(["--run-name", "first"])
    try eventually("something is recorded", seen: { collector.standardError }) {
      try (installation.states()["delivered"] ?? installation.states()["accepted"] ?? 0) > 5 ? true : nil
    }
    func pushscope(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
      try run(Programs.pushscope, arguments + ["--store", installation.store])
    }

    #expect(try pushscope(["runs", "rename", "latest", "täglich"]).status == 0)
    #expect(try installation.query("SELECT name FROM run") == [["täglich"]])
    let refused = try pushscope(["runs", "delete", "latest", "--yes"])
    #expect(refused.status == 1)
    #expect(refused.error.contains("is being recorded"))
    #expect(try pushscope(["runs", "delete", "latest"]).status == 64)

    let stop = try leave("'stop', NULL, NULL", in: installation)
    #expect(try answered(stop, in: installation).isEmpty)
    #expect(try installation.query("SELECT end_reason FROM run") == [["stopped"]])
    let start = try leave("'start', 'second', NULL", in: installation)
    #expect(try answered(start, in: installation).isEmpty)
    try eventually("the second run is recorded") {
      try installation.query(
        "SELECT count(*) FROM sample_view WHERE sent_at IS NOT NULL AND run = (SELECT uuid FROM run WHERE name = 'second')"
      )
      .first?.first.flatMap { Int($0) } ?? 0 > 5 ? true : nil
    }
    #expect(try pushscope(["runs", "delete", "täglich", "--yes"]).status == 0)
    #expect(try installation.query("SELECT name FROM run") == [["second"]])
    #expect(try installation.query("SELECT count(DISTINCT run) FROM sample_view") == [["1"]])

    #expect(try collector.stop() == 0)
    try service.stop()

    #expect(try pushscope(["runs", "rename", "second", ""]).status == 0)
    #expect(try installation.query("SELECT count(*) FROM run WHERE name IS NULL") == [["1"]])
    #expect(try pushscope(["runs", "delete", "latest", "--yes"]).status == 0)
    let left = try installation.query(
      "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM sample), (SELECT count(*) FROM event), "
        + "(SELECT count(*) FROM receipt), (SELECT count(*) FROM log WHERE run_id IS NOT NULL), (SELECT count(*) FROM rollup)"
    )
    #expect(left == [["0", "0", "0", "0", "0", "0"]])
    #expect(try pushscope(["runs", "delete", "latest", "--yes"]).status == 66)
    #expect(try installation.query("PRAGMA integrity_check") == [["ok"]])
  }

  /// A daemon has many runs in its lifetime.
  @Test("a run that has ended leaves no file descriptor open", .timeLimit(.minutes(10)))
  func manyRuns() throws {
    let installation = try Installation()
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 1ms }\n")
    let collector = try RunningProcess(
      Programs.pushscope,
      [
        "collect", "--config", installation.directory.file("loopback/loopback.yaml"), "--store",
        installation.store,
        "--target", "ntfy", "--target", "fcm",
      ])
    try installation.waitFor("delivered", over: 0, by: collector)
    func descriptorsWhenIdle() throws -> Int {
      let stop = try leave("'stop', NULL, NULL", in: installation)
      #expect(try answered(stop, in: installation).isEmpty)
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(collector.pid)/fd").count
    }
    var counts = [try descriptorsWhenIdle()]
    for _ in 1...9 {
      let start = try leave("'start', NULL, NULL", in: installation)
      #expect(try answered(start, in: installation).isEmpty)
      counts.append(try descriptorsWhenIdle())
    }
    // The store opens readers on demand, and a listener's connections come and go: the least of some runs counts. One left
    // open by each run would be six more.
    let (first, last) = (try #require(counts.prefix(4).min()), try #require(counts.suffix(4).min()))
    #expect(last < first + 5, "\(counts)")
    #expect(try collector.stop() == 0)
    try service.stop()
  }
}
