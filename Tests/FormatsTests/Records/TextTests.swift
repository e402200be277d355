import Formats
import Measurement
import Testing

@Suite struct TextTests {
  @Test func everyControlAndDirectionMarkIsShown() {
    for value in UInt32(0)..<0x20 { #expect(EscapedText.isHarmful(Unicode.Scalar(UInt8(value)))) }
    for scalar in "\u{7F}\u{80}\u{9B}\u{9F}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}\u{61C}\u{FEFF}"
      .unicodeScalars
    {
      #expect(EscapedText.isHarmful(scalar), "\(scalar.value)")
    }
    for scalar in "aé漢😀\u{200D}\u{301}�".unicodeScalars { #expect(!EscapedText.isHarmful(scalar)) }
    #expect(EscapedText.make("a\u{1B}]0;x\u{7}b\u{202E}") == "a␛]0;x␇b\\u{202E}")
  }

  @Test func widthCountsCells() {
    #expect(CharacterWidth.columns(of: "abc") == 3)
    #expect(CharacterWidth.columns(of: "é") == 1)
    #expect(CharacterWidth.columns(of: "e\u{301}") == 1)
    #expect(CharacterWidth.columns(of: "漢字") == 4)
    #expect(CharacterWidth.columns(of: "😀") == 2)
  }

  @Test func aTableIsLinedUp() {
    var table = TextTable([.init("name"), .init("n", .right), .init("note")])
    table.append(["a", "5", ""])
    table.append(["漢字", "1 000", "x\u{1B}"])
    table.append(["long name"])
    #expect(
      table.lines(indent: 1) == [
        " name           n  note",
        " a              5",
        " 漢字       1 000  x␛",
        " long name",
      ])
  }

  @Test func aDocumentKeepsItsOrder() {
    let document = JSONValue.object([
      .init("b", .integer(-1)),
      .init("a", .array([.object([.init("x", .null), .init("y", .boolean(true))]), .object([])])),
      .init("s", .string("\u{1B}\"\\\n")),
      .init("n", .number(0.1)),
      .init("nan", .number(.nan)),
      .init("e", .array([])),
    ])
    #expect(
      document.text == """
        {
          "b": -1,
          "a": [
            {"x": null, "y": true},
            {}
          ],
          "s": "\\u001b\\"\\\\\\n",
          "n": 0.1,
          "nan": null,
          "e": []
        }
        """)
  }
}
