import Foundation
import TestKit
import TestTraits
import Testing

@Suite("Mistakes on the command line", .ownThread, .serialized)
struct CommandLineTests {
  @Test(
    "every command has help with an example",
    arguments: [
      ["collect"], ["status"], ["dashboard"], ["report"], ["export"], ["summary"], ["runs"],
      ["runs", "list"],
      ["runs", "show"],
      ["runs", "rename"], ["runs", "delete"],
      ["loopback"], ["demo"], ["calibrate"], ["doctor"],
    ])
  func help(command: [String]) throws {
    let result = try run(Programs.pushscope, command + ["--help"])
    #expect(result.status == 0)
    #expect(result.output.contains("Example: pushscope \(command[0])"))
    #expect(result.error.isEmpty)
  }

  @Test(
    "an unknown option or command is a usage error on stderr",
    arguments: [
      ["collect", "--cuont", "3"], ["exprot"], ["export", "smaples"], ["summary", "--since", "yesterday"],
      ["collect", "--rate", "fast"],
    ])
  func usage(arguments: [String]) throws {
    let result = try run(Programs.pushscope, arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.error.hasPrefix("pushscope: "))
  }

  @Test("the overview because of a missing command is a usage error", arguments: [[], ["store"], ["fleet"]])
  func overview(arguments: [String]) throws {
    let result = try run(Programs.pushscope, arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("SUBCOMMANDS:"))
    #expect(try run(Programs.pushscope, arguments + ["--help"]).status == 0)
  }

  @Test(
    "a preloaded library that sets a variable before main takes no arguments away",
    .enabled(if: Programs.has("cc")))
  func preloaded() throws {
    let directory = try TemporaryDirectory()
    let source = try directory.write(
      "early.c",
      """
      #include <stdlib.h>
      __attribute__((constructor)) static void early(void) { setenv("EARLY", "1", 1); }
      """)
    let library = directory.file("early.so")
    let built = try run("cc", ["-shared", "-fPIC", "-o", library, source])
    try #require(built.status == 0, "\(built.error)")
    let result = try run(
      Programs.pushscope, ["summary", "--store", directory.file("none.sqlite")],
      environment: ["LD_PRELOAD": library])
    #expect(result.status == 66, "\(result.output)\(result.error)")
  }

  @Test("control characters in a path are escaped in logs and errors")
  func hostilePath() throws {
    let installation = try Installation(rate: "50/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(scenario: "deliveries: { delay: 30ms }\n")
    let store = installation.directory.file("a\u{1B}[31m\u{7}\u{9B}b\u{202E}\n.sqlite")
    var said: [String] = []
    for arguments in [
      ["collect", "--config", installation.configuration, "--count", "5"], ["dashboard"], ["runs", "list"],
      ["export", "samples"], ["doctor", "--config", installation.configuration],
    ] {
      for path in arguments[0] == "collect" ? [store] : [store, store + ".missing"] {
        let result = try run(Programs.pushscope, arguments + ["--store", path])
        said.append(result.error)
        for text in [result.output, result.error] {
          let harmful = text.unicodeScalars.first { scalar in
            scalar.value < 0x20 && scalar != "\n" && scalar != "\r" || (0x7F..<0xA0).contains(scalar.value)
              || scalar.value == 0x202E
          }
          #expect(harmful == nil, "\(arguments) \(text.debugDescription)")
        }
      }
    }
    #expect(said.contains { $0.contains("into ") && $0.contains("\u{241B}[31m") })
    try service.stop()
  }

  @Test("an unknown key in the configuration is reported with file, line, column and the nearest valid key")
  func wrongKey() throws {
    let installation = try Installation(target: ["recipt_deadline: 3s"])
    try FileManager.default.createDirectory(
      atPath: installation.directory.file("loopback"), withIntermediateDirectories: true)
    for name in ["loopback/ca.pem", "loopback/server.pem", "loopback/server.key"] {
      try installation.directory.write(name, "x")
    }
    let result = try installation.collect(["--count", "1"])
    #expect(try result.waitForExit() == 78)
    #expect(result.standardError.contains("pushscope.yaml:9:5"))
    #expect(result.standardError.contains("receipt_deadline"))
    #expect(!FileManager.default.fileExists(atPath: installation.store), "nothing was begun")
  }

  @Test("a configuration file that does not exist is named")
  func noConfiguration() throws {
    let result = try run(Programs.pushscope, ["collect", "--config", "/nowhere/pushscope.yaml"])
    #expect(result.status == 66)
    #expect(result.error.contains("/nowhere/pushscope.yaml"))
  }

  @Test("files that are not stores are refused with a message and left unchanged")
  func noStore() throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write(
      "notes.txt", String(repeating: "these are notes, not a database\n", count: 100))
    for path in [directory.path, text, directory.file("missing.sqlite")] {
      let result = try run(Programs.pushscope, ["summary", "--store", path])
      #expect(result.status == 66)
      #expect(result.error.hasPrefix("pushscope: "))
      #expect(result.error.contains(path))
    }
    #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("these are notes"))
    #expect(
      !FileManager.default.fileExists(atPath: directory.file("missing.sqlite")), "reading makes no store")
  }

  @Test("an unknown target is reported with the names of the configured ones")
  func unknownTarget() throws {
    let installation = try Installation()
    let service = try installation.startLoopback()
    let result = try installation.collect(["--target", "ios"])
    #expect(try result.waitForExit() == 64)
    #expect(result.standardError.contains("ios"))
    #expect(result.standardError.contains("loopback"))
    try service.stop()
  }

  @Test(
    "the demonstration runs without a terminal, prints the summary and writes the samples",
    .timeLimit(.minutes(10)))
  func demo() throws {
    let directory = try TemporaryDirectory()
    let result = try run(
      Programs.pushscope, ["demo", "--headless", "--duration", "3s", "--output", directory.file("demo.csv")],
      environment: ["TMPDIR": directory.path])
    #expect(result.status == 0)
    #expect(result.output.contains("delivery"))
    let script = """
      import csv, sys
      rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8')))
      assert len(rows) > 20, len(rows)
      assert [int(r['sequence']) for r in rows] == list(range(1, len(rows) + 1))
      assert all(int(r['accept_us']) == int(r['schedule_lag_us']) + int(r['service_us']) for r in rows if r['accept_us'])
      print(len(rows))
      """
    let read = try run(Programs.python, ["-c", script, directory.file("demo.csv")])
    #expect(read.status == 0, "\(read.error)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["demo.csv"], "it cleans up")
  }

  @Test("exports agree with what Python and sqlite3 read from the same store", .timeLimit(.minutes(10)))
  func exports() throws {
    let installation = try Installation(rate: "200/s", target: ["receipt_deadline: 1s"])
    let service = try installation.startLoopback(
      scenario: "deliveries: { delay: 5ms, lost: 5%, duplicated: 5% }\n")
    let collector = try installation.collect(["--count", "200"])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    let script = """
      import csv, io, json, sqlite3, subprocess, sys
      binary, store = sys.argv[1:3]
      def export(table, *more):
          return subprocess.run([binary, 'export', table, '--store', store, *more], check=True, capture_output=True).stdout.decode()
      db = sqlite3.connect(f'file:{store}?mode=ro', uri=True)
      for table, view in [('samples', 'sample_view'), ('events', 'event_view')]:
          rows = list(csv.reader(io.StringIO(export(table), newline='')))
          cursor = db.execute(f'SELECT * FROM {view}')
          assert rows[0] == [c[0] for c in cursor.description], rows[0]
          want = [['' if v is None else str(v) for v in row] for row in cursor]
          assert rows[1:] == want, (table, rows[1], want[0])
          lines = [json.loads(line) for line in export(table, '--format', 'jsonl').splitlines()]
          assert len(lines) == len(want)
          assert list(lines[0]) == rows[0]
      for table in ['receipts', 'log', 'runs', 'histogram', 'summary']:
          rows = list(csv.reader(io.StringIO(export(table), newline='')))
          assert all(len(r) == len(rows[0]) for r in rows), table
          assert len(rows) > 1, table
      """
    let read = try run(Programs.python, ["-c", script, Programs.pushscope, installation.store])
    #expect(read.status == 0, "\(read.error)")
  }
}
