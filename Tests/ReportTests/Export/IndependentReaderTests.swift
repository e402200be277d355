import Formats
import Foundation
import Measurement
import Report
import Store
import StoreTestKit
import TestKit
import TestTraits
import Testing

/// Python's csv, json and sqlite3 modules against our writer: what they read from an export must be what the store's
/// view gives them.
@Suite(.ownThread) struct IndependentReaderTests {
  private static func fixture() throws -> RecordedStore {
    var generator = SystemRandomNumberGenerator()
    let fixture = try RecordedStore()
    let reasons = [
      "Unregistered", "=1+1", "+x", "-x", "@x", "a,b", "say \"no\"", "tab\there", "line\nbreak", "\r",
      "\u{1B}[31mred",
      "\u{202E}txt.exe", "ünïcödé 漢字 😀", "'quoted'", "", " spaces ", "\u{7F}\u{85}\u{200B}\u{2028}", "\\n",
    ]
    for number in 0..<2 {
      let run = try fixture.begin(
        number, name: number == 0 ? "=name, \"x\"" : nil,
        [
          TargetDescription(
            name: "b", provider: "loopback", receiptDeadline: 1, askedRate: 4,
            variants: ["priority=5", "priority=10"]),
          TargetDescription(name: "a", provider: "http", receiptDeadline: nil, askedRate: 4),
        ])
      for target in run.targets {
        let samples = (1...700).map {
          Sample.random(target.id, Int64($0), variants: target.variants, reasons: reasons, using: &generator)
        }
        try fixture.commit(run.run, samples)
      }
      try fixture.commit(
        run.run,
        events: reasons.enumerated().map { index, reason in
          Event(
            at: RecordedStore.start.advanced(byMicroseconds: Int64(index)),
            kind: EventKind.allCases.randomElement(using: &generator) ?? .failed,
            target: index.isMultiple(of: 3) ? nil : run.targets[0].id,
            connectionID: index.isMultiple(of: 2) ? nil : 5, sequence: index.isMultiple(of: 4) ? nil : 7,
            count: index,
            detail: reason)
        })
      var finding = FindingRecord(
        id: "f\(number)", incident: "f0", run: run.run, target: "a", variant: "", provider: "http",
        endpoint: "https://127.0.0.1", device: "phone", metric: .accept, kind: .slower, status: .closed,
        startedAt: RecordedStore.start, detectedAt: RecordedStore.start, seenUntil: RecordedStore.start)
      finding.evidence = reasons[number]
      try fixture.save([finding])
    }
    return fixture
  }

  /// Compares an export with a view, both read by Python. Text columns of the CSV carry the guard and show what acts;
  /// those of JSON Lines are exact.
  private static func script(_ table: String, texts: [String], booleans: [String], path: String) -> String {
    """
    import csv, json, re, sqlite3, sys
    texts, booleans = set(\(texts)), set(\(booleans))
    database = sqlite3.connect("file:\(path)?mode=ro", uri=True)
    view = database.execute("SELECT * FROM \(table)")
    names = [column[0] for column in view.description]
    expected = view.fetchall()
    harmful = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufdd0-\\ufdef\\ufeff\\ufff0-\\ufffb\\ufffe\\uffff\\U000e0000-\\U000e0fff]")
    def picture(match):
      value = ord(match.group())
      return chr(0x2400 + value) if value < 0x20 else chr(0x2421) if value == 0x7f else "\\\\u{%X}" % value
    def shown(name, value):
      if value is None: return ""
      if name not in texts: return str(value)
      return ("'" if value[:1] and value[0] in "=+-@\\t\\r" else "") + harmful.sub(picture, value)
    def exact(name, value):
      return {"true": True, "false": False}[value] if name in booleans and value is not None else value
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
      if file.read(1) == "{":
        file.seek(0)
        rows = [json.loads(line) for line in file]
        assert all(list(row) == names for row in rows)
        rows = [list(row.values()) for row in rows]
        wanted = [[exact(name, value) for name, value in zip(names, row)] for row in expected]
      else:
        file.seek(0)
        rows = list(csv.reader(file, strict=True))
        assert rows.pop(0) == names, names
        wanted = [[shown(name, value) for name, value in zip(names, row)] for row in expected]
    assert len(rows) == len(wanted), (len(rows), len(wanted))
    for row, want in zip(rows, wanted):
      assert row == want, [(n, a, b) for n, a, b in zip(names, row, want) if a != b]
    print(len(rows))
    """
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func samplesAreWhatTheViewSays() throws {
    let fixture = try Self.fixture()
    let script = Self.script(
      "sample_view", texts: ["target", "variant", "provider", "reason"],
      booleans: ["out_of_order", "fresh_connection"], path: fixture.path)
    for format in ["csv", "jsonl"] {
      let text = try fixture.export(.samples, .init(), try #require(.init(rawValue: format)))
      #expect(try Python.run(script, input: Array(text.utf8)) == "2800\n")
    }
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func eventsAreWhatTheViewSays() throws {
    let fixture = try Self.fixture()
    let script = Self.script("event_view", texts: ["target", "detail"], booleans: [], path: fixture.path)
    for format in ["csv", "jsonl"] {
      let text = try fixture.export(.events, .init(), try #require(.init(rawValue: format)))
      #expect(try Python.run(script, input: Array(text.utf8)) == "36\n")
    }
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func everyTableIsReadByPythonInBothFormats() throws {
    let fixture = try Self.fixture()
    let script = """
      import csv, json, sys
      with open(sys.argv[1], newline="", encoding="utf-8") as file:
        first = file.readline()
        file.seek(0)
        if first.startswith("{"):
          rows = [list(json.loads(line)) for line in file]
          assert all(row == rows[0] for row in rows)
        else:
          rows = list(csv.reader(file, strict=True))
          assert all(len(row) == len(rows[0]) for row in rows)
      print(",".join(rows[0]))
      """
    for table in ExportTable.allCases where table != .log && table != .receipts {
      for format in ["csv", "jsonl"] {
        let text = try fixture.export(table, .init(), try #require(.init(rawValue: format)))
        #expect(
          try Python.run(script, input: Array(text.utf8)) == table.columns.joined(separator: ",") + "\n")
      }
    }
    let document = try SummaryReport(fixture.reader()).json.text
    let keys = try Python.run(
      "import json, sys; print(sorted(json.load(open(sys.argv[1]))['runs'][0]))", input: Array(document.utf8))
    #expect(
      keys
        == "['collector', 'end_reason', 'ended_at', 'instrument', 'name', 'run', 'started_at', 'targets']\n")
  }
}
