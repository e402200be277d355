import Measurement
import Testing

@Suite struct EscapedTextTests {
  @Test(arguments: [
    ("a\u{1B}[2Jb", "a␛[2Jb"), ("\r\n\t\0\u{7F}", "␍␊␉␀␡"), ("\u{9B}31m", "\\u{9B}31m"),
    ("x\u{202E}y\u{2066}z", "x\\u{202E}y\\u{2066}z"), ("\u{E0041}", "\\u{E0041}"),
    ("می\u{200C}خواهم", "می\u{200C}خواهم"),
  ]) func isShown(text: String, expected: String) {
    #expect(EscapedText.make(text) == expected)
  }

  @Test func linesOfOurOwnStay() {
    #expect(EscapedText.make("a\nb\u{1B}", keepsLines: true) == "a\nb␛")
  }

  @Test func nothingThatActsIsLeftAndShowingTwiceChangesNothing() {
    for value in UInt32(0)...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      let acts =
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
      if acts { #expect(EscapedText.isHarmful(scalar), "U+\(String(value, radix: 16))") }
      if EscapedText.isHarmful(scalar) {
        #expect(!EscapedText.picture(of: scalar).unicodeScalars.contains(where: EscapedText.isHarmful))
      }
    }
  }

  /// Dates come in headers, options and receipts.
  @Test func noTextStopsTheReaderOfDates() {
    var generator = SeededGenerator(seed: 4)
    let alphabet = Array("0123456789-+:TZ. \u{0}é٣9999999")
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...40, using: &generator)
      let text = String(
        (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
      if let time = WallTime(rfc3339: text) { #expect(WallTime(rfc3339: time.rfc3339) == time, "\(text)") }
    }
    let example = Array("2026-03-01T12:34:56.789012Z")
    for _ in 0..<20_000 {
      var text = example
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        text[Int.random(in: 0..<text.count, using: &generator)] =
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      if let time = WallTime(rfc3339: String(text)) { #expect(WallTime(rfc3339: time.rfc3339) == time) }
    }
  }
}

@Suite struct CountTextTests {
  @Test func countsOneThingAsOne() {
    #expect([0, 1, 2].map { CountText.text($0, "run") } == ["0 runs", "1 run", "2 runs"])
    #expect(CountText.text(Int64(2), "delivery", plural: "deliveries") == "2 deliveries")
  }
}

@Suite struct JSONTextTests {
  @Test func escapesWhatJSONRequiresAndWhatActsOnATerminal() {
    #expect(JSONText.quoted("a\"b\\c") == #""a\"b\\c""#)
    #expect(JSONText.escaped("\u{0}\n\u{1F} é😀") == #"\u0000\n\u001f é😀"#)
    #expect(JSONText.escaped("\u{202E}\u{9B}\u{E0041}") == #"\u202e\u009b\udb40\udc41"#)
  }
}
