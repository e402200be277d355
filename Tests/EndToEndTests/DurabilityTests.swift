import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite("Full disk, locked store, read-only store", .ownThread, .serialized)
struct DurabilityTests {
  /// Expects sequences without gaps, no open states, an end for every sent notification, and an intact file.
  private func expectAccounted(_ installation: Installation) throws {
    #expect(try installation.query("PRAGMA integrity_check") == [["ok"]])
    #expect(
      try installation.query(
        "SELECT run, count(*), max(sequence) FROM sample_view GROUP BY run HAVING count(*) <> max(sequence)"
      ).isEmpty, "sequences have no gaps")
    let open = "SELECT count(*) FROM sample_view WHERE state IN ('planned', 'in_flight')"
    #expect(try installation.query(open) == [["0"]])
  }

  @Test(
    "a file that may not grow: it says so, keeps to its plan, and goes on when there is room",
    .enabled(if: Programs.has("prlimit")), .timeLimit(.minutes(10)))
  func fileSizeLimit() throws {
    let installation = try Installation(rate: "50/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    // 1 MiB in blocks of 512 bytes (POSIX): twice what the WAL of a new store takes, which grows beyond it within seconds.
    let collector = try RunningProcess(
      "/bin/sh",
      [
        "-c", "ulimit -S -f 2048; exec \"$0\" \"$@\"", Programs.pushscope, "collect", "--config",
        installation.configuration, "--store", installation.store,
      ])
    try collector.waitFor(error: "sending waits for the store")
    #expect(collector.standardError.contains("no room left"), "\(collector.standardError)")
    let before = try installation.states()["delivered"] ?? 0
    _ = poll(nil, 0, 2500)
    #expect(try run("prlimit", ["--pid", "\(collector.pid)", "--fsize=unlimited:"]).status == 0)
    try collector.waitFor(error: "commits to the store succeed again")
    try installation.waitFor("delivered", over: before + 30)
    #expect(try collector.stop() == 0)
    try service.stop()
    try expectAccounted(installation)
    let missed = try installation.query(
      "SELECT count(*), min(reason), max(reason) FROM sample_view WHERE state = 'missed' AND reason <> 'stopping'"
    )
    #expect(
      (missed.first?.first).flatMap { Int($0) } ?? 0 > 50, "what was due meanwhile is missed: \(missed)")
    #expect(missed.first?.dropFirst() == ["lag", "lag"])
    #expect(
      try installation.query("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 1000000") == [["0"]],
      "nothing is sent late in a bunch")
  }

  @Test(
    "a store that another program has locked: the same", .timeLimit(.minutes(10)))
  func locked() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 20)
    let lock = try StoreLock(of: installation)
    // The recorder's line: maintenance may find the lock earlier, and has a line of its own.
    try collector.waitFor(error: "sending waits for the store")
    // Two hundred notifications come due.
    _ = poll(nil, 0, 2000)
    try lock.release()
    try collector.waitFor(error: "commits to the store succeed again")
    let before = try installation.states()["delivered"] ?? 0
    try installation.waitFor("delivered", over: before + 50)
    #expect(try collector.stop() == 0)
    try service.stop()
    try expectAccounted(installation)
    let missed = try installation.query("SELECT count(*) FROM sample_view WHERE reason = 'lag'")
    #expect((missed.first?.first).flatMap { Int($0) } ?? 0 > 100)
  }

  @Test("a read-only store is refused before anything is sent", .timeLimit(.minutes(10)))
  func readOnly() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    #expect(try installation.collect(["--count", "5"]).waitForExit() == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: installation.store))
    chmod(installation.store, 0o400)
    let collector = try installation.collect(["--count", "5"])
    #expect(try collector.waitForExit() == 73)
    #expect(collector.standardError.contains("read-only"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: installation.store)) == before)
    #expect(
      try run(Programs.pushscope, ["summary", "--store", installation.store]).status == 0, "it can be read")
    try service.stop()
  }

  @Test(
    "a collector that was stopped records what came due as missed, and sends no burst",
    .timeLimit(.minutes(10)))
  func stopped() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 10s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 20)
    func longestWake() throws -> Int {
      try installation.query("SELECT loop_lag_max_us FROM instrument").first?.first.flatMap { Int($0) } ?? 0
    }
    // A stop is a late wake, too, but for one that found the thread at work.
    var stops = 0
    repeat {
      stops += 1
      collector.signal(SIGSTOP)
      _ = poll(nil, 0, 3000)
      collector.signal(SIGCONT)
      let before = try installation.states()["delivered"] ?? 0
      // Figures of the instrument are published each second.
      try installation.waitFor("delivered", over: before + 250)
    } while try longestWake() < 2_500_000 && stops < 2
    #expect(try longestWake() >= 2_500_000)
    #expect(try collector.stop() == 0)
    try service.stop()
    try expectAccounted(installation)
    let missed = try installation.query(
      "SELECT count(*) FROM sample_view WHERE state = 'missed' AND reason = 'lag'")
    #expect((missed.first?.first).flatMap { Int($0) } ?? 0 >= 100)
    // One or two may have been on their way when all threads were stopped.
    let late = try installation.query("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 1000000")
    #expect((late.first?.first).flatMap { Int($0) } ?? .max <= 2 * stops)
    let text = try run(Programs.pushscope, ["summary", "--store", installation.store]).output
    #expect(text.contains("own error: sent late"), "\(text)")
  }

  /// Another program that holds the store's write lock.
  private struct StoreLock {
    private let holder: RunningProcess

    init(of installation: Installation) throws {
      let script = """
        import signal, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        db.execute('BEGIN IMMEDIATE')
        print('held', flush=True)
        signal.sigwait([signal.SIGTERM])
        db.execute('COMMIT')
        """
      let holder = try RunningProcess(Programs.python, ["-c", script, installation.store])
      self.holder = holder
      try eventually("another program holds the lock", seen: { holder.standardError }) {
        holder.lines == ["held"]
      }
    }

    func release() throws {
      #expect(try holder.stop() == 0)
    }
  }

  // MARK: Everything sent is in the store, however the run ends

  /// The ids of all notifications in the service's own journal.
  private func arrived(_ script: String) throws -> Set<String> {
    struct Entry: Decodable {
      var entry: String
      var id: String?
    }
    let text = try String(contentsOfFile: script, encoding: .utf8)
    return Set(
      text.split(separator: "\n").compactMap { line in
        guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line.utf8)),
          entry.entry == "request"
        else { return nil }
        return entry.id
      })
  }

  private func expectKnown(_ installation: Installation, script: String) throws {
    let known = Set(try installation.query("SELECT notification_id FROM sample_view").compactMap(\.first))
    let arrived = try arrived(script)
    #expect(arrived.count > 100)
    #expect(arrived.subtracting(known).isEmpty, "sent, answered and gone from the store")
  }

  @Test(
    "a stop that cannot record the end of sent notifications deletes none of them", .timeLimit(.minutes(10)))
  func failedStop() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 1s"])
    let script = installation.directory.file("script.jsonl")
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 5ms }\n", extra: ["--script", script])
    let collector = try installation.collect(["--drain", "0s"])
    try installation.waitFor("delivered", over: 100, by: collector)
    let lock = try StoreLock(of: installation)
    try collector.waitFor(error: "sending waits for the store")
    collector.signal(SIGTERM)
    try collector.waitFor(error: "recording has ended")
    try lock.release()
    #expect(try collector.waitForExit() != 0)
    // If the end could not be written either, the next start writes it by the same rule.
    #expect(try installation.collect(["--count", "1"]).waitForExit() == 0)
    try service.stop()
    try expectKnown(installation, script: script)
    try expectAccounted(installation)
    #expect(try installation.states()["interrupted"] ?? 0 > 20, "more was sent than could be recorded")
  }

  /// Overwrites a page of the store while no process has it open. All of the store is then in its file: pages in a write-ahead
  /// log would hide the damage.
  private func damage(_ index: String, of installation: Installation) throws {
    let log = installation.store + "-wal"
    try #require(!FileManager.default.fileExists(atPath: log), "the collector left a write-ahead log behind")
    let rows = try installation.query(
      "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = '\(index)'")
    let numbers = try #require(rows.first).compactMap { UInt64($0) }
    try #require(numbers.count == 2)
    // The sqlite3 shell, which may only read, leaves an empty one.
    try #require((try? Data(contentsOf: URL(fileURLWithPath: log)))?.isEmpty ?? true)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: installation.store))
    try file.seek(toOffset: (numbers[0] - 1) * numbers[1])
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(numbers[1])))
    try file.close()
  }

  @Test("sent notifications stay in a store that is found damaged", .timeLimit(.minutes(10)))
  func damagedIndex() throws {
    // After the deadline the row of a receipt is read from the store: damagedReceipt().
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 30s"])
    let script = installation.directory.file("script.jsonl")
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 1500ms }\n", extra: ["--script", script])
    #expect(try installation.collect(["--count", "3"]).waitForExit() == 0)
    try damage("receipt_sample", of: installation)
    // The first receipt cannot be stored; by then many notifications are in flight.
    let collector = try installation.collect([])
    #expect(try collector.waitForExit() == 1, "\(collector.standardError)")
    #expect(collector.standardError.contains("damaged"))
    try service.stop()
    try expectKnown(installation, script: script)
    #expect(try installation.query("SELECT count(*) FROM run WHERE ended_at IS NULL") == [["0"]])
  }

  @Test(
    "a receipt whose row cannot be read is answered and reported, without busy waiting",
    .timeLimit(.minutes(10)))
  func damagedReceipt() throws {
    let installation = try Installation(rate: "2/s", target: ["receipt_deadline: 60s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 1ms }\n")
    #expect(try installation.collect(["--count", "3"]).waitForExit() == 0)
    try service.stop()
    try damage("receipt_sample", of: installation)
    // No service answers the second run, so it gets no receipts of its own.
    let collector = try installation.collect(["--drain", "0s"])
    try FreePort.waitUntilTaken(installation.receiptsPort, by: collector)
    let id = try #require(
      try installation.query("SELECT notification_id FROM sample_view LIMIT 1").first?.first)
    let owner = try #require(try installation.query("SELECT collector FROM meta").first?.first)
    let post = """
      import base64, hashlib, hmac, http.client, json, ssl, sys
      port, authority, secret, owner, id = sys.argv[1:]
      mac = hmac.digest(open(secret).read().strip().encode(), f"1|{owner}|{id}".encode(), "sha256")
      receipt = {"id": id, "mac": base64.urlsafe_b64encode(mac).decode().rstrip("="), "received_at_ms": 1, "device": "d"}
      context = ssl.create_default_context(cafile=authority)
      connection = http.client.HTTPSConnection("127.0.0.1", int(port), context=context, timeout=30)
      connection.request("POST", "/v1/receipts", json.dumps({"receipts": [receipt]}))
      answer = connection.getresponse()
      print(answer.status, answer.getheader("retry-after"), answer.read().decode())
      """
    let cpu = { () throws -> Int in
      let text = try String(contentsOfFile: "/proc/\(collector.pid)/stat", encoding: .utf8)
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 13 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }
    for _ in 0..<3 {
      let answer = try run(
        Programs.python,
        [
          "-c", post, "\(installation.receiptsPort)", installation.directory.file("loopback/ca.pem"),
          installation.directory.file("receipts.secret"), owner, id,
        ])
      #expect(answer.output.hasPrefix("503 60 "), "\(answer.output) \(answer.error)")
    }
    #expect(collector.standardError.contains("a receipt cannot be stored"), "\(collector.standardError)")
    // Far less CPU time than wall time: two seconds of 100 ticks each.
    let before = try cpu()
    _ = poll(nil, 0, 2000)
    #expect(try cpu() - before < 100)
    #expect(try collector.stop() == 0)
  }

  // MARK: One collector, and the file with the store's name

  @Test(
    "a store that is moved, deleted or replaced while it is written: it says so and ends",
    .timeLimit(.minutes(10)),
    arguments: ["mv STORE STORE.moved", "rm STORE", "cp STORE.other STORE.new && mv STORE.new STORE"])
  func moved(how: String) throws {
    let installation = try Installation(rate: "50/s", target: ["receipt_deadline: 5s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    try installation.directory.write("pushscope.sqlite.other", "")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 20, by: collector)
    #expect(
      try run("sh", ["-c", how.replacingOccurrences(of: "STORE", with: "'\(installation.store)'")]).status
        == 0)
    #expect(try collector.waitForExit() == 1)
    #expect(
      collector.standardError.contains("pushscope: the store was moved, deleted or replaced"),
      "\(collector.standardError)")
    try service.stop()
    guard how.contains("moved") else { return }
    let ended = try run("sqlite3", [installation.store + ".moved", "SELECT end_reason FROM run"])
    #expect(ended.output == "failed\n")
  }

  @Test("an idle collector notices a replaced file, too", .timeLimit(.minutes(10)))
  func movedWhileIdle() throws {
    let installation = try Installation(rate: "20/s")
    let service = try installation.startLoopback()
    let collector = try installation.collect(["--drain", "0s"])
    try installation.waitFor("accepted", over: 3, by: collector)
    let stop = """
      INSERT INTO control (command, at) VALUES ('stop', strftime('%s', 'now') * 1000000 + 1000000)
      """
    #expect(try run("sqlite3", ["-cmd", ".timeout 5000", installation.store, stop]).status == 0)
    try collector.waitFor(error: "idle")
    try FileManager.default.removeItem(atPath: installation.store)
    #expect(try collector.waitForExit() == 1)
    #expect(collector.standardError.contains("moved, deleted or replaced"))
    try service.stop()
  }

  /// The lock file is removed while the collector is stopped, so that a second one finds none before the first can create it
  /// again: the second has to detect that the store is being written.
  @Test("a second collector is refused although the lock file was removed", .timeLimit(.minutes(10)))
  func lockRemoved() throws {
    let installation = try Installation(rate: "50/s", target: ["receipt_deadline: 5s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 5ms }\n")
    let collector = try installation.collect([])
    try installation.waitFor("delivered", over: 20, by: collector)
    let lock = installation.store + ".lock"
    collector.signal(SIGSTOP)
    try FileManager.default.removeItem(atPath: lock)
    let second = try installation.collect([])
    try eventually("the second one has created a lock file", seen: { second.standardError }) {
      FileManager.default.fileExists(atPath: lock) ? true : nil
    }
    collector.signal(SIGCONT)
    #expect(try second.waitForExit() == 73)
    #expect(second.standardError.contains("another collector (process \(collector.pid))"))
    // The first collector holds the lock again.
    try eventually("a third one is refused by the lock alone", seen: { collector.standardError }) {
      () -> Bool? in
      let text = try? String(contentsOfFile: lock, encoding: .utf8)
      return text == "\(collector.pid)\n" ? true : nil
    }
    #expect(try installation.collect([]).waitForExit() == 73)
    #expect(
      try run(Programs.pushscope, ["runs", "rename", "latest", "kept", "--store", installation.store]).status
        == 0)
    #expect(try collector.stop() == 0)
    try service.stop()
    try expectAccounted(installation)
    #expect(try installation.query("SELECT name, end_reason FROM run") == [["kept", "stopped"]])
  }
}
