import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Text from providers, devices and options is escaped", .ownThread, .serialized)
struct HostileInputTests {
  /// Clears the screen, sets the title, changes the writing direction, looks like a formula, ends lines.
  private static let evil = "=cmd|' /C'!A0\u{1B}[2J\u{1B}]0;owned\u{7}\u{202E}\r\n\u{9B}31m\u{2028}x"

  private func expectHarmless(_ text: String, _ what: String, lineEnds: Set<Unicode.Scalar> = ["\n"]) {
    let harmful = text.unicodeScalars.first { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: !lineEnds.contains(scalar)
      default: scalar.properties.isBidiControl
      }
    }
    #expect(harmful == nil, "\(what) holds U+\(String(harmful?.value ?? 0, radix: 16))")
  }

  @Test("no sink writes it unescaped", .timeLimit(.minutes(10)))
  func sinks() throws {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 1s"])
    let service = try PushService(
      installation,
      ["--rejected", "0.3", "--reason", Self.evil, "--device", Self.evil, "--duplicated", "0.2"])
    let collector = try installation.collect(["--count", "150", "--run-name", Self.evil])
    #expect(try collector.waitForExit() == 0, "\(collector.standardError)")
    try service.stop()
    expectHarmless(collector.standardError, "the collector's log")
    #expect(try installation.states()["rejected"] ?? 0 > 10)
    #expect(
      try installation.query("SELECT count(*) FROM sample WHERE instr(reason, char(27)) > 0") != [["0"]])
    #expect(
      try installation.query("SELECT count(*) FROM receipt WHERE instr(device, char(27)) > 0") != [["0"]])

    let store = ["--store", installation.store]
    for table in ["samples", "receipts", "events", "log", "runs", "histogram", "summary"] {
      let csv = try run(Programs.pushscope, ["export", table] + store)
      #expect(csv.status == 0)
      expectHarmless(csv.output, "\(table).csv", lineEnds: ["\r", "\n"])
      #expect(!csv.output.contains(",="), "\(table).csv holds a formula")
      let lines = try run(Programs.pushscope, ["export", table, "--format", "jsonl"] + store)
      expectHarmless(lines.output, "\(table).jsonl")
    }
    for command in [
      ["status"], ["status", "--json"], ["summary"], ["summary", "--json"], ["runs", "list"],
      ["runs", "show", "latest"],
      ["summary", "--run", Self.evil], ["summary", "--run", "no\(Self.evil)"],
      ["summary", "--target", Self.evil], ["summary", "--since", Self.evil],
    ] {
      let result = try run(Programs.pushscope, command + store)
      expectHarmless(result.output, "\(command[0]) on stdout")
      expectHarmless(result.error, "\(command[0]) on stderr")
    }
    let missing = try run(Programs.pushscope, ["summary", "--store", "/nowhere/\(Self.evil)"])
    #expect(missing.status == 66)
    expectHarmless(missing.error, "an error that names a file")
    let unknown = try run(Programs.pushscope, ["collect", "--\(Self.evil)"])
    #expect(unknown.status == 64)
    expectHarmless(unknown.error, "a usage error")
  }

  @Test("the dashboard shows it as glyphs", .enabled(if: Programs.has("tmux")), .timeLimit(.minutes(10)))
  func dashboard() throws {
    let installation = try Installation(rate: "50/s", target: ["receipt_deadline: 1s"])
    let service = try PushService(
      installation, ["--rejected", "0.3", "--reason", Self.evil, "--device", Self.evil])
    let collector = try installation.collect(["--count", "100", "--run-name", Self.evil])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    let terminal = try Tmux(columns: 120, rows: 40)
    try terminal.type("\(Programs.pushscope) dashboard --store \(installation.store)")
    try terminal.press("Enter")
    let screen = try terminal.waitFor("loopback")
    expectHarmless(screen, "the screen")
    #expect(try terminal.state("pane_title").contains("owned") == false)
    try terminal.press("q")
    try terminal.waitFor("ready$")
  }
}
