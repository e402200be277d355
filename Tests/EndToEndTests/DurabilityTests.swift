import Foundation
import Glibc
import Testing

@Suite("When the disk is full, the store is locked or may not be written", .serialized)
struct DurabilityTests {
  /// Sequences without gaps, no open states, what was sent has an end, and a sound file.
  private func expectAccounted(_ station: Station) throws {
    #expect(try station.query("PRAGMA integrity_check") == [["ok"]])
    #expect(
      try station.query(
        "SELECT run, count(*), max(sequence) FROM sample_view GROUP BY run HAVING count(*) <> max(sequence)"
      ).isEmpty, "sequences have no gaps")
    let open = "SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')"
    #expect(try station.query(open) == [["0"]])
  }

  @Test(
    "a file that may not grow: it says so, keeps to its plan, and goes on when there is room",
    .enabled(if: Programs.has("prlimit")), .timeLimit(.minutes(5)))
  func fileSizeLimit() throws {
    let station = try Station(rate: "50/s", target: ["receipt_deadline: 1s"])
    let service = try station.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    // 512 blocks of 512 bytes (POSIX): the store's log grows past that in a moment.
    let collector = try RunningProcess(
      "/bin/sh",
      [
        "-c", "ulimit -S -f 1024; exec \"$0\" \"$@\"", Programs.pushscope, "collect", "--config",
        station.configuration, "--store", station.store,
      ])
    try eventually("the trouble is told", seen: { collector.standardError }) {
      collector.standardError.contains("tried again each second") ? true : nil
    }
    #expect(collector.standardError.contains("no room left"), "\(collector.standardError)")
    let before = try station.states()["delivered"] ?? 0
    _ = poll(nil, 0, 2500)
    #expect(try run("prlimit", ["--pid", "\(collector.pid)", "--fsize=unlimited:"]).status == 0)
    try eventually("it goes on", seen: { collector.standardError }) {
      collector.standardError.contains("takes commits again") ? true : nil
    }
    try eventually("notifications are delivered again") {
      try (station.states()["delivered"] ?? 0) > before + 30 ? true : nil
    }
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
    try service.waitForExit()
    try expectAccounted(station)
    let missed = try station.query(
      "SELECT count(*), min(reason), max(reason) FROM sample_view WHERE state = 'missed' AND reason <> 'stopping'"
    )
    #expect(
      (missed.first?.first).flatMap { Int($0) } ?? 0 > 50, "what was due meanwhile is missed: \(missed)")
    #expect(missed.first?.dropFirst() == ["lag", "lag"])
    #expect(
      try station.query("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 1000000") == [["0"]],
      "nothing is sent late in a bunch")
  }

  @Test(
    "a store that another program has locked: the same", .timeLimit(.minutes(5)))
  func locked() throws {
    let station = try Station(rate: "100/s", target: ["receipt_deadline: 1s"])
    let service = try station.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try station.collect([])
    try eventually("notifications are delivered") {
      try (station.states()["delivered"] ?? 0) > 20 ? true : nil
    }
    let holder = """
      import sqlite3, sys, time
      db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
      db.execute('BEGIN IMMEDIATE')
      time.sleep(5)
      db.execute('COMMIT')
      """
    #expect(try run(Programs.python, ["-c", holder, station.store]).status == 0)
    try eventually("it goes on", seen: { collector.standardError }) {
      collector.standardError.contains("takes commits again") ? true : nil
    }
    #expect(collector.standardError.contains("another program holds a lock"))
    let before = try station.states()["delivered"] ?? 0
    try eventually("notifications are delivered again") {
      try (station.states()["delivered"] ?? 0) > before + 50 ? true : nil
    }
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
    try service.waitForExit()
    try expectAccounted(station)
    let missed = try station.query("SELECT count(*) FROM sample_view WHERE reason = 'lag'")
    #expect((missed.first?.first).flatMap { Int($0) } ?? 0 > 100)
  }

  @Test("a store that may not be written is refused before anything is sent", .timeLimit(.minutes(3)))
  func readOnly() throws {
    let station = try Station()
    let service = try station.startLoopback()
    #expect(try station.collect(["--count", "5"]).waitForExit() == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: station.store))
    chmod(station.store, 0o400)
    let collector = try station.collect(["--count", "5"])
    #expect(try collector.waitForExit() == 73)
    #expect(collector.standardError.contains("read-only"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: station.store)) == before)
    #expect(try run(Programs.pushscope, ["summary", "--store", station.store]).status == 0, "it can be read")
    service.signal(SIGTERM)
    try service.waitForExit()
  }

  @Test("a collector that stood still misses what came due, and sends no bunch", .timeLimit(.minutes(5)))
  func stopped() throws {
    let station = try Station(rate: "100/s", target: ["receipt_deadline: 10s"])
    let service = try station.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try station.collect([])
    try eventually("notifications are delivered") {
      try (station.states()["delivered"] ?? 0) > 20 ? true : nil
    }
    collector.signal(SIGSTOP)
    _ = poll(nil, 0, 3000)
    collector.signal(SIGCONT)
    let before = try station.states()["delivered"] ?? 0
    try eventually("it goes on") { try (station.states()["delivered"] ?? 0) > before + 50 ? true : nil }
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
    try service.waitForExit()
    try expectAccounted(station)
    let missed = try station.query(
      "SELECT count(*) FROM sample_view WHERE state = 'missed' AND reason = 'lag'")
    #expect((missed.first?.first).flatMap { Int($0) } ?? 0 >= 100)
    #expect(
      try station.query("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 1000000") == [["0"]])
    let text = try run(Programs.pushscope, ["summary", "--store", station.store]).output
    #expect(text.contains("own error: sent late"), "\(text)")
  }
}
