import Formats
import Measurement
import TestKit
import Testing

@Suite struct HostileFieldTests {
  private func csv(_ text: String) throws -> String {
    let all = try written(.csv, ["a", "b"]) { writer in
      writer.beginRow()
      writer.text(text)
      writer.integer(1)
      try writer.endRow()
    }
    return String(all.dropFirst("a,b\r\n".count).dropLast(",1\r\n".count))
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\t=1", "'␉=1"), ("\r=1", "'␍=1"),
    ("a=1", "a=1"), ("=a,b", "\"'=a,b\""), ("=\"x\"", "\"'=\"\"x\"\"\""),
    ("a\nb", "a␊b"), ("\u{1B}[31m", "␛[31m"), ("\u{7F}", "␡"), ("\u{202E}x", "\\u{202E}x"), ("\0", "␀"),
    ("é漢", "é漢"), ("می\u{200C}خواهم", "می\u{200C}خواهم"), (" a ", " a "),
  ]) func aTextIsMadeHarmless(_ text: String, _ expected: String) throws {
    #expect(try csv(text) == expected)
  }

  @Test func bytesThatAreNoUTF8BecomeReplacementCharacters() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80]
    for format in RecordFormat.allCases {
      let text = try written(format, ["a"]) { writer in
        writer.beginRow()
        bytes.withUnsafeBytes { writer.text($0) }
        try writer.endRow()
      }
      #expect(text.contains("a\u{FFFD}\u{FFFD}b\u{FFFD}"))
    }
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func pythonReadsBackWhatTheCSVIsMeantToShow() throws {
    var generator = SystemRandomNumberGenerator()
    let texts = HostileText.make(3000, using: &generator)
    let table = try written(.csv, ["a", "n", "b"]) { writer in
      for (index, text) in texts.enumerated() {
        writer.beginRow()
        writer.text(text)
        writer.integer(Int64(index))
        writer.text(text)
        try writer.endRow()
      }
    }
    let script = """
      import csv, json, sys
      with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
      assert rows[0] == ["a", "n", "b"]
      for index, row in enumerate(rows[1:]):
        assert len(row) == 3 and row[0] == row[2] and row[1] == str(index), row
        print(json.dumps(row[0]))
      """
    let lines = try Python.run(script, input: Array(table.utf8)).split(separator: "\n")
    try #require(lines.count == texts.count)
    for (line, text) in zip(lines, texts) {
      let guarded = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
      let expected = (guarded ? "'" : "") + EscapedText.make(text)
      // Python's own escapes, so that both sides are compared scalar by scalar.
      #expect(String(line) == asciiJSON(expected))
    }
    #expect(!table.unicodeScalars.contains { EscapedText.isHarmful($0) && $0 != "\r" && $0 != "\n" })
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func pythonReadsBackExactlyWhatJSONLinesWereGiven() throws {
    var generator = SystemRandomNumberGenerator()
    let texts = HostileText.make(3000, using: &generator)
    let table = try written(.jsonl, ["a", "n"]) { writer in
      for (index, text) in texts.enumerated() {
        writer.beginRow()
        writer.text(text)
        writer.integer(Int64(index))
        try writer.endRow()
      }
    }
    let script = """
      import json, sys
      with open(sys.argv[1], newline="\\n", encoding="utf-8") as file:
        for index, line in enumerate(file):
          row = json.loads(line)
          assert list(row) == ["a", "n"] and row["n"] == index, row
          print(json.dumps(row["a"]))
      """
    let lines = try Python.run(script, input: Array(table.utf8)).split(separator: "\n")
    try #require(lines.count == texts.count)
    for (line, text) in zip(lines, texts) { #expect(String(line) == asciiJSON(text)) }
    #expect(!table.unicodeScalars.contains { EscapedText.isHarmful($0) && $0 != "\n" })
  }

  /// A JSON string as Python's `json.dumps` writes it by default.
  private func asciiJSON(_ text: String) -> String {
    var result = "\""
    for unit in text.utf16 {
      switch unit {
      case 0x22: result += "\\\""
      case 0x5C: result += "\\\\"
      case 0x08: result += "\\b"
      case 0x09: result += "\\t"
      case 0x0A: result += "\\n"
      case 0x0C: result += "\\f"
      case 0x0D: result += "\\r"
      case 0x20..<0x7F: result += String(UnicodeScalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
