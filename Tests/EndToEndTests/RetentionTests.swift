import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite("the store by hand: prune, check, backup, compact, adopt", .ownThread, .serialized)
struct RetentionTests {
  private func store(_ arguments: [String], of path: String) throws -> (
    status: Int32, output: String, error: String
  ) {
    try run(Programs.pushscope, ["store"] + arguments + ["--store", path])
  }

  /// The summary of the run before, as JSON.
  private func summary(_ installation: Installation) throws -> String {
    let result = try run(
      Programs.pushscope, ["summary", "--run", "before", "--json", "--store", installation.store])
    #expect(result.status == 0, "\(result.error)")
    return result.output
  }

  @Test("pruning beside a collector keeps every count, and says what it did", .timeLimit(.minutes(10)))
  func prune() throws {
    let installation = try Installation.recorded(runs: ["before"], count: 200)
    try installation.age(hours: 3)
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 250, by: collector)
    try eventually("the old notifications are rolled up", seen: { collector.standardError }) {
      try store(["prune", "--before", "-1h", "--dry-run"], of: installation.store).output.contains(
        "would delete 200 notifications") ? true : nil
    }
    let whole = try summary(installation)
    let tally = "SELECT planned, delivered, sent FROM tally WHERE target_id = 1"
    let counters = try installation.query(tally)
    #expect(try installation.query("SELECT count(*) FROM sample WHERE id >> 40 = 1") == [["200"]])

    let pruned = try store(["prune", "--before", "-1h"], of: installation.store)
    #expect(pruned.status == 0 && pruned.output.contains("deleted 200 notifications"), "\(pruned)")
    #expect(try installation.query("SELECT count(*) FROM sample WHERE id >> 40 = 1") == [["0"]])
    #expect(
      try installation.query("SELECT count(*) FROM receipt WHERE sample_id NOT IN (SELECT id FROM sample)")
        == [["0"]])
    #expect(try installation.query(tally) == counters)
    let rest = try summary(installation)
    func verdicts(_ text: String) -> [Substring] {
      text.matches(of: /"(?:delivered|late|lost|rejected|failed|missed)":\s*\d+\b/).map(\.0)
    }
    #expect(verdicts(rest) == verdicts(whole) && verdicts(rest).count >= 6, "\(whole) \(rest)")
    #expect(!whole.contains(/"pruned_to":\s*"/) && rest.contains(/"pruned_to":\s*"\d/), "\(rest)")
    let nothing = try store(["prune", "--before", "-1h"], of: installation.store)
    #expect(nothing.status == 0 && nothing.output.contains("nothing to delete"), "\(nothing)")

    // Beside the collector: a copy is consistent, and nothing else may write.
    let copy = installation.directory.file("copy.sqlite")
    #expect(try store(["backup", copy], of: installation.store).status == 0)
    #expect(try store(["check"], of: copy).status == 0)
    #expect(try store(["check"], of: installation.store).status == 0)
    #expect(try store(["backup", copy], of: installation.store).status == 73)
    #expect(try store(["backup", copy, "--replace"], of: installation.store).status == 0)
    for other in [installation.configuration, installation.directory.path, copy + "/below"] {
      #expect(try store(["backup", other, "--replace"], of: installation.store).status == 73, "\(other)")
    }
    #expect(try store(["compact"], of: installation.store).status == 73)
    #expect(try store(["adopt"], of: installation.store).status == 73)
    #expect(try collector.stop() == 0)
    service.signal(SIGTERM)

    let ids = "SELECT collector FROM meta"
    let former = try installation.query(ids, in: copy)
    #expect(try former == installation.query(ids))
    #expect(try store(["adopt"], of: copy).status == 0)
    #expect(try installation.query(ids, in: copy) != former)
    #expect(try installation.query("SELECT DISTINCT collector FROM run", in: copy) == former)
    let compacted = try store(["compact"], of: installation.store)
    #expect(compacted.status == 0 && compacted.output.contains("before,"), "\(compacted)")
    #expect(try installation.query("PRAGMA freelist_count") == [["0"]])
    #expect(try store(["check"], of: installation.store).status == 0)
  }

  @Test("a damaged file is told as such", .timeLimit(.minutes(10)))
  func damage() throws {
    let installation = try Installation.recorded(runs: ["one"], count: 400)
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: installation.store)[.size] as? Int)
    let file = try #require(FileHandle(forUpdatingAtPath: installation.store))
    try file.seek(toOffset: UInt64(size / 2 / 4096 * 4096))
    file.write(Data(repeating: 0xA5, count: 3 * 4096))
    try file.close()
    let checked = try store(["check"], of: installation.store)
    #expect(checked.status == 66, "\(checked.output)\(checked.error)")
  }

  @Test("retention of the configuration deletes by itself, and a reload may set it", .timeLimit(.minutes(10)))
  func automatic() throws {
    let installation = try Installation.recorded(runs: ["before"], count: 200)
    try installation.age(hours: 3)
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 250, by: collector)
    #expect(try installation.query("SELECT count(*) FROM sample WHERE id >> 40 = 1") == [["200"]])
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    try installation.directory.write("pushscope.yaml", text + "retention: { samples: 1h }\n")
    collector.signal(SIGHUP)
    try eventually("they are deleted", seen: { collector.standardError }) {
      try installation.query("SELECT count(*) FROM sample WHERE id >> 40 = 1") == [["0"]] ? true : nil
    }
    try collector.waitFor(error: "retention deleted 200 notifications")
    #expect(try collector.stop() == 0)
    service.signal(SIGTERM)
  }
}
