import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

@Suite("SIGHUP takes a changed configuration while the run goes on", .ownThread, .serialized)
struct ReloadTests {
  /// A target whose requests wait for their answers however loaded the machine is: none fails.
  private func target(_ name: String, _ installation: Installation, rate: String) -> String {
    """
      - name: \(name)
        provider: loopback
        endpoint: https://127.0.0.1:\(installation.loopbackPort)
        ca_file: loopback/ca.pem
        schedule: { arrivals: constant, rate: \(rate) }
        receipt_deadline: 30s
        timeout: 1m

    """
  }

  /// The installation's receipt listener with other targets.
  private func write(_ targets: [String], _ installation: Installation) throws {
    let text = try String(contentsOfFile: installation.configuration, encoding: .utf8)
    let head = try #require(text.range(of: "targets:\n")).upperBound
    try installation.directory.write("pushscope.yaml", text[..<head] + targets.joined())
  }

  private func delivered(_ target: String, _ installation: Installation) -> Int {
    let rows = try? installation.query(
      "SELECT count(*) FROM sample_view WHERE target = '\(target)' AND state = 'delivered'")
    return (rows?.first?.first).flatMap { Int($0) } ?? 0
  }

  private func details(_ kind: String, _ installation: Installation) throws -> [String] {
    try installation.query("SELECT detail FROM event_view WHERE kind = '\(kind)'").compactMap(\.first)
  }

  private func wait(_ what: String, _ collector: RunningProcess, until holds: () throws -> Bool) throws {
    try eventually(what, seen: { collector.standardError }) { try holds() ? true : nil }
  }

  /// What a collector has open, and its threads by name.
  private func resources(_ collector: RunningProcess) -> (descriptors: Int, threads: [String: Int]) {
    let manager = FileManager.default
    let process = "/proc/\(collector.pid)"
    let names = ((try? manager.contentsOfDirectory(atPath: "\(process)/task")) ?? []).compactMap {
      try? String(contentsOfFile: "\(process)/task/\($0)/comm", encoding: .utf8)
    }
    return (
      (try? manager.contentsOfDirectory(atPath: "\(process)/fd").count) ?? 0,
      Dictionary(names.map { ($0.trimmingCharacters(in: .newlines), 1) }, uniquingKeysWith: +)
    )
  }

  @Test(
    "after twenty reloads as many threads, descriptors and connections as after a start",
    .timeLimit(.minutes(10)))
  func leavesNothing() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let file = installation.directory.file("loopback/loopback.yaml")
    let written = try String(contentsOfFile: file, encoding: .utf8)
    func write(_ rate: Int) throws {
      try installation.directory.write(
        "loopback/loopback.yaml", written.replacing("poisson, rate: 4/s", with: "poisson, rate: \(rate)/s"))
    }
    try write(30)
    let collector = try RunningProcess(
      Programs.pushscope, ["collect", "--config", file, "--store", installation.store, "--drain", "1s"])
    try wait("all four send", collector) {
      let rows = try? installation.query(
        "SELECT count(DISTINCT target) FROM sample_view WHERE state IN ('accepted', 'delivered')")
      return rows?.first?.first == "4"
    }
    let before = resources(collector)
    for round in 1...20 {
      // Every second time one target alone changes.
      try write(round.isMultiple(of: 2) ? 30 : 31)
      collector.signal(SIGHUP)
      try wait("reload \(round) is taken", collector) {
        try details("config_reloaded", installation).count == round
      }
    }
    // A few are those of threads that the system's libraries keep.
    try eventually("nothing is left", seen: { "\(before) \(resources(collector))" }) {
      let after = resources(collector)
      return ["credentials", "subscriber"].allSatisfy { after.threads[$0] == 1 }
        && after.descriptors <= before.descriptors + 5
    }
    #expect(try collector.stop() == 0)
    try service.stop()
  }

  @Test(
    "unchanged targets do not notice; changed ones go on, removed ones end, new ones begin",
    .timeLimit(.minutes(10)))
  func wholeReload() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    try write(
      [
        target("kept", installation, rate: "10/s"), target("changed", installation, rate: "20/s"),
        target("gone", installation, rate: "10/s"),
      ], installation)
    let collector = try installation.collect([])
    try wait("all of them deliver", collector) {
      ["kept", "changed", "gone"].allSatisfy { delivered($0, installation) >= 5 }
    }
    try write(
      [
        target("kept", installation, rate: "10/s"), target("changed", installation, rate: "40/s"),
        target("new", installation, rate: "10/s"),
      ], installation)
    collector.signal(SIGHUP)
    try wait("the reload is told", collector) { try details("config_reloaded", installation).count == 1 }
    let words = try #require(try details("config_reloaded", installation).first)
    for word in ["targets changed: changed", "targets new: new", "targets ended: gone"] {
      #expect(words.contains(word), "\(words)")
    }
    let before = delivered("changed", installation)
    try wait("the new and the changed one deliver", collector) {
      delivered("new", installation) >= 5 && delivered("changed", installation) >= before + 10
    }
    // At once, not when it has been silent for long.
    let status = try run(Programs.pushscope, ["status", "--store", installation.store]).output
    #expect(status.contains(/gone +ended +nothing planned since/), "\(status)")
    #expect(status.hasPrefix("collecting for ") && status.contains("3 targets"), "\(status)")
    #expect(try installation.query("SELECT asked_rate FROM target WHERE name = 'changed'") == [["40.0"]])
    #expect(try installation.query("SELECT asked_rate FROM former_target") == [["20.0"]])

    // All or nothing: the error is told with its line and key, and everything goes on.
    try write(
      [target("kept", installation, rate: "often"), target("changed", installation, rate: "1/s")],
      installation)
    collector.signal(SIGHUP)
    try wait("the refusal is told", collector) { try details("config_refused", installation).count == 1 }
    let refusal = try #require(try details("config_refused", installation).first)
    #expect(refusal.contains("pushscope.yaml:8:") && refusal.contains("schedule.rate"), "\(refusal)")
    let later = delivered("changed", installation)
    try wait("sending goes on", collector) { delivered("changed", installation) >= later + 10 }

    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
    #expect(try installation.query("SELECT count(*) FROM run") == [["1"]])
    // No gap and no repetition, across the change; nothing was given up by it.
    for name in ["kept", "changed", "gone", "new"] {
      #expect(
        try installation.query(
          "SELECT min(sequence), max(sequence) = count(*), count(DISTINCT sequence) = count(*) FROM sample_view WHERE target = '\(name)'"
        )
          == [["1", "1", "1"]], "\(name)")
    }
    let states = try installation.states()
    // The loopback service loses and rejects some; nothing is left open, and nothing was given up.
    let failed = try installation.query(
      "SELECT target, reason, count(*) FROM sample_view WHERE state = 'failed' GROUP BY target, reason")
    #expect(
      Set(states.keys).isSubset(of: ["delivered", "late", "lost", "rejected", "missed"]),
      "\(states), \(failed)")
    #expect(
      try installation.query(
        "SELECT count(DISTINCT connection_id) FROM sample_view WHERE target = 'kept' AND connection_id IS NOT NULL"
      )
        == [["1"]])
    let sums = try installation.query(
      "SELECT sum(delivered + late + lost + rejected + missed) = (SELECT count(*) FROM sample) FROM tally")
    #expect(sums == [["1"]])
  }

  @Test("a credential file that is replaced is taken up by itself", .timeLimit(.minutes(10)))
  func replacedCredential() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 30s"])
    let service = try installation.startLoopback()
    let collector = try installation.collect([])
    try wait("it delivers", collector) { delivered("loopback", installation) >= 5 }
    let authority = try String(
      contentsOfFile: installation.directory.file("loopback/ca.pem"), encoding: .utf8)
    // Not usable: refused, and the former one goes on.
    try installation.directory.write("loopback/ca.pem", "nothing\n")
    try wait("the file is refused", collector) { try details("config_refused", installation).count >= 1 }
    let before = delivered("loopback", installation)
    try wait("sending goes on", collector) { delivered("loopback", installation) >= before + 5 }
    try installation.directory.write("loopback/ca.pem", authority + "# renewed\n")
    try wait("the new one is taken up", collector) { try details("config_reloaded", installation).count >= 1 }
    #expect(try details("config_reloaded", installation).last?.contains("loopback/ca.pem") == true)
    let later = delivered("loopback", installation)
    try wait("sending goes on with it", collector) { delivered("loopback", installation) >= later + 5 }
    collector.signal(SIGTERM)
    #expect(try collector.waitForExit() == 0)
    service.signal(SIGTERM)
    #expect(try installation.query("SELECT count(*) FROM run") == [["1"]])
  }

  /// Starts a program with a terminal of its own, and takes the terminal away when a file appears.
  private static let terminal = """
    import os, pty, sys, threading, time
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[2], sys.argv[2:])
    def drain():
        try:
            while os.read(fd, 4096): pass
        except OSError: pass
    threading.Thread(target=drain, daemon=True).start()
    while not os.path.exists(sys.argv[1]): time.sleep(0.05)
    os.close(fd)
    print("exit", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    os._exit(0)
    """

  @Test("a terminal that closes ends the run in order", .timeLimit(.minutes(10)))
  func hangup() throws {
    let installation = try Installation(rate: "20/s", target: ["receipt_deadline: 30s"])
    let service = try installation.startLoopback()
    let flag = installation.directory.file("hang-up")
    let terminal = try RunningProcess(
      Programs.python,
      [
        "-c", Self.terminal, flag, Programs.pushscope, "collect", "--config", installation.configuration,
        "--store", installation.store,
      ])
    try wait("it delivers", terminal) { delivered("loopback", installation) >= 5 }
    try installation.directory.write("hang-up", "")
    #expect(try terminal.waitForExit() == 0)
    #expect(terminal.standardOutput == "exit 0\n")
    #expect(try installation.query("SELECT end_reason FROM run") == [["stopped"]])
    service.signal(SIGTERM)
  }
}
