import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

/// The table of docs/commands.md: one code for each class of failure, in every command.
@Suite("Exit codes", .ownThread, .serialized, .enabled(if: Programs.has("sqlite3")), .timeLimit(.minutes(10)))
struct ExitCodeTests {
  private let directory: TemporaryDirectory
  private let store: String

  init() throws {
    directory = try TemporaryDirectory()
    store = directory.file("pushscope.sqlite")
    let fixture = Programs.repository + "/Tests/Fixtures/store-version-11.sql"
    #expect(try run("sqlite3", [store, ".read \(fixture)"]).status == 0)
  }

  private static let readers = [
    ["status"], ["summary"], ["export", "samples"], ["runs", "list"], ["runs", "show", "latest"],
    ["dashboard", "--plain"],
    ["dashboard", "--plain", "--run", "latest"],
  ]
  private static let writers = [
    ["runs", "rename", "latest", "x"], ["runs", "delete", "latest", "--yes"],
    ["calibrate", "--duration", "100ms"],
  ]

  private func expect(
    _ code: Int32, _ command: [String], store: String? = nil, says words: String? = nil,
    environment: [String: String] = [:], location: SourceLocation = #_sourceLocation
  ) throws {
    let arguments = store.map { command + ["--store", $0] } ?? command
    let result = try run(Programs.pushscope, arguments, environment: environment)
    #expect(result.status == code, "\(arguments): \(result.error)", sourceLocation: location)
    #expect(result.error.hasPrefix("pushscope: "), "\(arguments): \(result.error)", sourceLocation: location)
    if let words {
      #expect(result.error.contains(words), "\(arguments): \(result.error)", sourceLocation: location)
    }
  }

  @Test("66: a store that is missing, not a store, newer or damaged")
  func unusableStores() throws {
    let text = try directory.write("notes.txt", String(repeating: "these are notes\n", count: 100))
    let newer = directory.file("newer.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: newer)
    #expect(try run("sqlite3", [newer, "PRAGMA user_version = 99"]).status == 0)
    // The header is valid, the schema's page is not.
    let damaged = directory.file("damaged.sqlite")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
    for index in 100..<4000 { bytes[index] = 0xFF }
    try bytes.write(to: URL(fileURLWithPath: damaged))
    for path in [text, newer, damaged, directory.path] {
      for command in Self.readers + Self.writers { try expect(66, command, store: path, says: path) }
    }
    let missing = directory.file("missing.sqlite")
    for command in Self.readers + Self.writers.filter({ $0[0] == "runs" }) {
      try expect(66, command, store: missing, says: missing)
    }
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test("66: unknown runs and targets, configurations and scenarios that cannot be read")
  func missingInput() throws {
    try expect(66, ["summary", "--run", "none"], store: store)
    try expect(66, ["summary", "--target", "none"], store: store)
    try expect(66, ["runs", "rename", "none", "x"], store: store)
    try expect(66, ["dashboard", "--plain", "--run", "none"], store: store)
    for path in ["/nowhere/pushscope.yaml", directory.path] {
      try expect(66, ["collect", "--config", path], store: store, says: path)
      try expect(66, ["doctor", "--config", path], store: store, says: path)
      try expect(66, ["loopback", "--scenario", path, "--credentials", directory.path], says: path)
    }
  }

  @Test(
    "66: both places that are searched for a configuration are named",
    .enabled(if: !Self.hasSystemConfiguration))
  func searchedPlaces() throws {
    for command in [["collect"], ["doctor"]] {
      let environment = ["XDG_CONFIG_HOME": directory.path]
      try expect(66, command, says: "/etc/pushscope/pushscope.yaml", environment: environment)
      try expect(66, command, says: "\(directory.path)/pushscope/pushscope.yaml", environment: environment)
    }
  }

  private static let hasSystemConfiguration = FileManager.default.fileExists(
    atPath: "/etc/pushscope/pushscope.yaml")

  @Test(
    "no home: what reads 66, what writes 73, and how to go on", arguments: ["", "/nonexistent-home", "/sys"])
  func home(path: String) throws {
    let environment = ["HOME": path, "XDG_DATA_HOME": ""]
    for command in Self.readers { try expect(66, command, says: "--store", environment: environment) }
    try expect(73, ["calibrate", "--duration", "100ms"], says: "--store", environment: environment)
    try expect(73, ["loopback", "--port", "0"], says: "--credentials", environment: environment)
    let installation = try Installation()
    let service = try installation.startLoopback()
    try expect(
      73, ["collect", "--config", installation.configuration, "--count", "1"], says: "--store",
      environment: environment)
    try service.stop()
    #expect(!FileManager.default.fileExists(atPath: "/nonexistent-home"), "nobody's home is made")
  }

  @Test("73: outputs that cannot be written")
  func unwritableOutputs() throws {
    for path in ["/nowhere/a.csv", directory.path, "/sys/a.csv"] {
      try expect(73, ["export", "samples", "--output", path], store: store)
    }
    try expect(
      73, ["loopback", "--port", "0", "--credentials", directory.file("lo"), "--script", "/nowhere/a.jsonl"])
  }

  @Test("99: status with --exit-code, where the collector is gone; without it 0")
  func status() throws {
    // Killed, and nobody has opened the store since.
    #expect(
      try run("sqlite3", [store, "UPDATE run SET ended_at = NULL, end_reason = NULL WHERE name = 'killed'"])
        .status == 0)
    let plain = try run(Programs.pushscope, ["status", "--store", store])
    #expect(plain.status == 0 && plain.output.contains("silent"), "\(plain)")
    let asked = try run(Programs.pushscope, ["status", "--exit-code", "--store", store])
    #expect(asked.status == 99 && asked.output == plain.output && asked.error.isEmpty, "\(asked)")
    try expect(66, ["status", "--target", "none"], store: store, says: "none")
    try expect(64, ["status", "--by", "region"], store: store, says: "--fleet")
    try expect(
      64, ["summary", "--by", "nothing"], store: store,
      says: "\nUsage: pushscope summary <options>\n  See 'pushscope summary --help'")
  }

  @Test("73: a database that another process has locked")
  func locked() throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute("BEGIN IMMEDIATE")
      print("locked", flush=True)
      sys.stdin.read() if sys.stdin.isatty() else __import__("time").sleep(120)
      """
    #expect(try run(Programs.pushscope, ["summary", "--store", store]).status == 0)
    let holder = try RunningProcess("python3", ["-c", script, store])
    try holder.waitFor(output: "locked")
    try expect(73, ["runs", "rename", "latest", "x"], store: store)
    try expect(73, ["calibrate", "--duration", "100ms"], store: store)
    try holder.kill()
  }

  @Test("69: an address that is in use; no store is created")
  func addressInUse() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let other = try RunningProcess(
      Programs.pushscope,
      [
        "loopback", "--port", "\(installation.receiptsPort)", "--credentials",
        installation.directory.file("other"),
      ])
    try other.waitFor(output: "https://")
    let collector = try installation.collect(["--count", "1"])
    #expect(try collector.waitForExit() == 69)
    #expect(collector.standardError.contains("127.0.0.1:\(installation.receiptsPort)"))
    let left = try FileManager.default.contentsOfDirectory(atPath: installation.directory.path)
    #expect(!left.contains { $0.hasPrefix("pushscope.sqlite") }, "\(left)")
    try other.stop()
    let port = installation.loopbackPort
    try expect(
      69, ["loopback", "--port", "\(port)", "--credentials", installation.directory.file("loopback")])
    try service.stop()
  }

  @Test("78: an unusable certificate; no store is created")
  func unusableCertificate() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    try service.stop()
    try installation.directory.write("loopback/server.key", "no key\n")
    let collector = try installation.collect(["--count", "1"])
    #expect(try collector.waitForExit() == 78)
    #expect(collector.standardError.contains("server.key"))
    let left = try FileManager.default.contentsOfDirectory(atPath: installation.directory.path)
    #expect(!left.contains { $0.hasPrefix("pushscope.sqlite") }, "\(left)")
  }

  @Test(
    "64: what cannot be meant",
    arguments: [
      ["collect", "--duration", "0s"], ["demo", "--headless", "--duration", "0s"],
      ["calibrate", "--duration", "0s"],
      ["collect", "--run-name", "latest"], ["runs", "rename", "latest", "latest"],
      ["summary", "--since", "-1h", "--until", "-2h"],
      ["export", "events", "--since", "2026-03-02", "--until", "2026-03-01"],
      ["summary", "--since", "-1h", "--until", "tomorrow"], ["summary", "--since", "-1h", "--unkown"],
    ])
  func usage(arguments: [String]) throws { try expect(64, arguments) }

  @Test("64: a demonstration without a terminal asks for --headless and leaves nothing behind")
  func demonstration() throws {
    let scratch = try TemporaryDirectory()
    try expect(64, ["demo"], says: "--headless", environment: ["TMPDIR": scratch.path])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test(
    "times as people write them",
    arguments: ["-1w", "-1m30s", "2020-01-01", "2020-01-01T12:00", "2020-01-01 12:00:00"])
  func times(text: String) throws {
    #expect(try run(Programs.pushscope, ["export", "runs", "--since", text, "--store", store]).status == 0)
  }

  @Test("73: no command that writes a file replaces a database, whatever its name")
  func databasesAreKept() throws {
    let other = directory.file("other.sqlite")
    #expect(try run("sqlite3", [other, "CREATE TABLE t (a)"]).status == 0)
    #expect(try run(Programs.pushscope, ["summary", "--store", store]).status == 0)
    #expect(link(store, directory.file("hard")) == 0)
    #expect(symlink(store, directory.file("symbolic")) == 0)
    let before = try [store, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    for name in ["hard", "symbolic", "pushscope.sqlite", "other.sqlite"] {
      let path = directory.file(name)
      try expect(73, ["export", "samples", "--output", path], store: store, says: name)
      try expect(73, ["demo", "--headless", "--duration", "1s", "--output", path], says: name)
      for command in ["loopback", "device"] {
        let service = [command, "--port", "0", "--credentials", directory.file("lo"), "--script", path]
        try expect(73, service + ["--receipts", "https://127.0.0.1:1"], says: name)
      }
      // A shell's `>>` appends to any file.
      let shell = try run(
        "sh", ["-c", "\"$0\" export samples --store \"$1\" >>\"$2\"", Programs.pushscope, store, path])
      #expect(shell.status == 73, "\(name): \(shell.error)")
    }
    // A store with a second hard link would be refused for that reason.
    #expect(unlink(directory.file("hard")) == 0)
    for suffix in ["-wal", "-shm", "-journal", ".lock"] {
      try expect(73, ["export", "samples", "--output", store + suffix], store: store, says: suffix)
    }
    #expect(try [store, other].map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    // Any other file is replaced, also through a link.
    let report = try directory.write("report.csv", "old")
    #expect(symlink("new.csv", directory.file("dangling")) == 0)
    for path in [report, directory.file("dangling")] {
      #expect(
        try run(Programs.pushscope, ["export", "samples", "--store", store, "--output", path]).status == 0)
      #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("run,target,"))
    }
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: directory.file("dangling")) == "new.csv")
  }
}
