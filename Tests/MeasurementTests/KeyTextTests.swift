import Measurement
import Testing

@Suite("Texts of keys as editors and environments leave them") struct KeyTextTests {
  private static let pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEA\nMBMGByqG\n-----END PRIVATE KEY-----\n"

  private static func body(_ text: String) -> [Substring] {
    text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
  }

  @Test(arguments: [
    pem, pem.replacing("\n", with: "\r\n"), pem.replacing("\n", with: "\\n"),
    pem.replacing("\n", with: "\\r\\n"),
    pem.replacing("\n", with: "\\\\n"), pem.replacing("\n", with: " "),
    "\"\(pem.replacing("\n", with: "\\n"))\"",
    "'\(pem)'\n", "\u{FEFF}" + pem, "\u{FEFF}" + pem.replacing("\n", with: "\\n"),
  ])
  func pemHasItsLines(text: String) {
    #expect(Self.body(KeyText.pem(text)) == Self.body(Self.pem))
    // Blocks stay apart.
    let isQuoted = text.contains("\"") || text.contains("'")
    #expect(isQuoted || Self.body(KeyText.pem(text + text.replacing("\u{FEFF}", with: ""))).count == 8)
  }

  @Test func whatIsCutStaysCut() {
    for text in [
      "", "-----BEGIN ", "-----BEGIN A-----", "-----BEGIN A----- abc", "-----BEGIN A-----\\nabc\\n-----END A",
    ] {
      #expect(!KeyText.pem(text).contains("-----END A-----"))
    }
    #expect(KeyText.pem("friendlyName: C:\\keys\n" + Self.pem).hasSuffix(Self.pem))
  }

  @Test func jsonWithEscapedBreaksBetweenItsValues() {
    func json(_ text: String) -> String { String(decoding: KeyText.json(Array(text.utf8)), as: UTF8.self) }
    #expect(json(#"{\n  "a": "b\nc\"\\",\r\n\t"d": 1}\n"#) == #"{   "a": "b\nc\"\\",   "d": 1} "#)
    #expect(json("\u{FEFF}{}") == "{}")
    #expect(json("'{\"a\": 1}'\n") == "{\"a\": 1}")
    #expect(json(#"{\x}"#) == #"{\x}"#)
  }

  @Test func onlyTextLosesItsMark() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    #expect(KeyText.withoutMark(mark + Array("token".utf8)) == Array("token".utf8))
    #expect(KeyText.withoutMark(mark + [0xFF, 0x00]) == mark + [0xFF, 0x00])
    #expect(KeyText.problem(ofText: [0xFF, 0xFE, 0x2D, 0x00]).contains("UTF-16"))
  }
}
