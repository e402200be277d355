import ConstraintAnimation
import Measurement
import Testing

@testable import Terminal

@Suite("Bytes become events")
struct InputDecoderTests {
  private func events(_ text: String) -> [TerminalEvent] { events(Array(text.utf8)) }

  private func events(_ bytes: [UInt8]) -> [TerminalEvent] {
    var decoder = InputDecoder()
    for byte in bytes { decoder.feed(byte) }
    decoder.flush()
    return decoder.drainEvents()
  }

  private static func key(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = []) -> TerminalEvent {
    .input(InputEvent(kind: .key(key), modifiers: modifiers))
  }

  @Test(
    "keys",
    arguments: [
      ("q", .character("q"), []), ("Q", .character("Q"), []), (" ", .character(" "), []),
      ("ß", .character("ß"), []),
      ("日", .character("日"), []), ("🚀", .character("🚀"), []), ("\r", .enter, []), ("\n", .enter, []),
      ("\t", .tab, []),
      ("\u{7F}", .backspace, []), ("\u{8}", .backspace, []), ("\u{1}", .character("a"), .control),
      ("\u{0}", .character(" "), .control), ("\u{1F}", .character("_"), .control), ("\u{1B}", .escape, []),
      ("\u{1B}q", .character("q"), .alt), ("\u{1B}\r", .enter, .alt),
      ("\u{1B}\u{1}", .character("a"), [.alt, .control]),
      ("\u{1B}[", .character("["), .alt), ("\u{1B}O", .character("O"), .alt), ("\u{1B}[A", .up, []),
      ("\u{1B}OA", .up, []),
      ("\u{1B}[1;2A", .up, .shift), ("\u{1B}[1;3B", .down, .alt), ("\u{1B}[1;5C", .right, .control),
      ("\u{1B}[1;8D", .left, [.shift, .alt, .control]), ("\u{1B}[1;9H", .home, .alt), ("\u{1B}[H", .home, []),
      ("\u{1B}[4~", .end, []), ("\u{1B}[8~", .end, []), ("\u{1B}[3~", .delete, []),
      ("\u{1B}[3;5~", .delete, .control),
      ("\u{1B}[3^", .delete, .control), ("\u{1B}[5~", .pageUp, []), ("\u{1B}[6~", .pageDown, []),
      ("\u{1B}[2~", .insert, []),
      ("\u{1B}[Z", .backTab, []), ("\u{1B}[1;2Z", .backTab, []), ("\u{1B}[a", .up, .shift),
      ("\u{1B}OP", .function(1), []),
      ("\u{1B}[11~", .function(1), []), ("\u{1B}[[E", .function(5), []), ("\u{1B}[15~", .function(5), []),
      ("\u{1B}[17~", .function(6), []), ("\u{1B}[24~", .function(12), []),
      ("\u{1B}[1;5P", .function(1), .control),
      ("\u{1B}OM", .enter, []),
    ] as [(String, InputEvent.Key, InputEvent.Modifiers)])
  func keys(text: String, key: InputEvent.Key, modifiers: InputEvent.Modifiers) {
    #expect(events(text) == [InputDecoderTests.key(key, modifiers)])
  }

  @Test(
    "what nobody knows is swallowed whole",
    arguments: [
      "\u{1B}[27;5;9~", "\u{1B}[97;5u", "\u{1B}[?62;22c", "\u{1B}[12;40R", "\u{1B}]52;c;cXVpdA==\u{7}",
      "\u{1B}]8;;q\u{1B}\\",
      "\u{1B}P1+r5463=q\u{1B}\\", "\u{1B}_Gq\u{1B}\\", "\u{1B}[<1;2M", "\u{1B}[<0;0;5M",
      "\u{1B}[\(String(repeating: "1;", count: 5000))q",
      "\u{1B}]\(String(repeating: "q", count: 50_000))\u{7}", "\u{1B}[99999999999999999999999999~",
      "\u{1B}[1;5",
      "\u{1B}[<0;1", "\u{1B}]11;rgb:zz/00/00\u{7}", "\u{1B}[201~", "\u{1B}[?2026;$y",
    ])
  func unknown(text: String) {
    #expect(events(text + "") == [])
    #expect(
      events(text.hasSuffix("5") || text.hasSuffix("1") ? "x" : text + "x") == [
        InputDecoderTests.key(.character("x"))
      ])
  }

  @Test("escape just before a key that ncurses knows is Alt")
  func altKey() {
    var decoder = InputDecoder()
    decoder.feed(0x1B)
    #expect(decoder.endsWithEscape)
    decoder.feed(key: .up, modifiers: .shift)
    decoder.feed(key: .up, modifiers: [])
    #expect(
      decoder.drainEvents() == [InputDecoderTests.key(.up, [.shift, .alt]), InputDecoderTests.key(.up)])
  }

  @Test("malformed UTF-8 is dropped, what follows is not")
  func malformed() {
    let bytes: [UInt8] = [0xFF, 0xC0, 0xAF, 0xE3, 0x81, 0x41, 0xED, 0xA0, 0x80, 0xF5, 0x80, 0x42]
    #expect(
      events(bytes) == [InputDecoderTests.key(.character("A")), InputDecoderTests.key(.character("B"))])
  }

  @Test("every sequence may be cut anywhere")
  func split() {
    let text = "é\u{1B}[1;5C\u{1B}[<0;5;6M\u{1B}[200~a\u{1B}[2b\u{1B}[201~\u{1B}[I日"
    let whole = events(text)
    #expect(whole.count == 6)
    let bytes = Array(text.utf8)
    for cut in 1..<bytes.count {
      var decoder = InputDecoder()
      for byte in bytes[..<cut] { decoder.feed(byte) }
      var all = decoder.drainEvents()
      for byte in bytes[cut...] { decoder.feed(byte) }
      all += decoder.drainEvents()
      #expect(all == whole, "cut at \(cut)")
    }
  }

  @Test(
    "the rest of a sequence is no keys, however long after its beginning it comes",
    arguments: [
      "\u{1B}[<35;46;12M", "\u{1B}[200~quarterly\u{1B}[201~", "\u{1B}[1;5C", "\u{1B}[A", "\u{1B}OA",
      "\u{1B}[3~", "\u{1B}[I",
      "\u{1B}[?2026;2$y", "\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{7}",
    ])
  func lateRest(text: String) {
    let bytes = Array(text.utf8)
    for cut in 1..<bytes.count {
      var decoder = InputDecoder()
      for byte in bytes[..<cut] { decoder.feed(byte) }
      // What may be a key is one after a moment.
      if decoder.mayBeKey { decoder.flush() }
      for byte in bytes[cut...] { decoder.feed(byte) }
      decoder.flush()
      let introducers: [TerminalEvent] = [
        Self.key(.escape), Self.key(.character("["), .alt), Self.key(.character("O"), .alt),
      ]
      for event in decoder.drainEvents() where !introducers.contains(event) {
        guard case .input(let input) = event, case .key(.character) = input.kind else { continue }
        Issue.record("cut at \(cut): \(event)")
      }
    }
  }

  @Test("keys that are typed soon after Escape are keys")
  func afterEscape() {
    var decoder = InputDecoder()
    for text in ["\u{1B}", "[", "[", "\u{1B}", "O", "O", "\u{1B}", "]", "q"] {
      for byte in text.utf8 { decoder.feed(byte) }
      if decoder.isIncomplete {
        #expect(decoder.mayBeKey, "\(text)")
        decoder.flush()
      }
    }
    let escape = Self.key(.escape)
    #expect(
      decoder.drainEvents()
        == [
          escape, Self.key(.character("[")), Self.key(.character("[")), escape, Self.key(.character("O")),
          Self.key(.character("O")), escape, Self.key(.character("]")), Self.key(.character("q")),
        ])
    decoder.feed(0x1B)
    decoder.flush()
    #expect(decoder.awaitsRest)
    decoder.forgetIntroducer()
    decoder.feed(0x5B)
    #expect(!decoder.isIncomplete)
  }

  @Test("pasted text is no keys, whatever it holds")
  func paste() {
    #expect(
      events("\u{1B}[200~q\u{3}\u{1B}[Ax\r\n\u{1B}[201~z") == [
        .paste("q\u{3}\u{1B}[Ax\n\n"), InputDecoderTests.key(.character("z")),
      ])
    #expect(events("\u{1B}[200~\u{1B}[201~") == [])
    #expect(events("\u{1B}[200~\u{1B}\u{1B}[201\u{1B}[201~") == [.paste("\u{1B}\u{1B}[201")])
  }

  @Test("a paste without measure is cut, one without end is ended")
  func pasteLimits() {
    var decoder = InputDecoder()
    for byte in "\u{1B}[200~".utf8 { decoder.feed(byte) }
    for _ in 0..<200_000 { decoder.feed(0x61) }
    decoder.flush()
    #expect(decoder.drainEvents().isEmpty && decoder.isPasting)
    decoder.endPaste()
    #expect(decoder.drainEvents() == [.paste(String(repeating: "a", count: 65_536))])
    #expect(!decoder.isPasting)
  }

  @Test("answers are reports, not events")
  func reports() {
    var decoder = InputDecoder()
    for byte in "\u{1B}[?2026;1$y\u{1B}]11;rgb:ff/80/0\u{7}\u{1B}]10;rgb:ffff/0000/8080\u{1B}\\".utf8 {
      decoder.feed(byte)
    }
    #expect(
      decoder.drainReports() == [
        .mode(2026, setting: 1), .background(Color(255, 128, 0)), .foreground(Color(255, 0, 128)),
      ])
    #expect(decoder.drainEvents().isEmpty && decoder.drainReports().isEmpty)
  }

  @Test("random bytes never trap and never leave more than they brought")
  func fuzz() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2_000 {
      var decoder = InputDecoder()
      let alphabet: [UInt8] = [
        0x1B, 0x5B, 0x4F, 0x5D, 0x3C, 0x4D, 0x6D, 0x3B, 0x30, 0x39, 0x7E, 0xE3, 0x81, 0x82, 0x07, 0x50,
      ]
      let count = Int.random(in: 0..<64, using: &random)
      for _ in 0..<count {
        let any = UInt8.random(in: 0...255, using: &random)
        decoder.feed(Bool.random(using: &random) ? any : alphabet.randomElement(using: &random) ?? 0)
      }
      decoder.flush()
      decoder.endPaste()
      #expect(decoder.drainEvents().count <= count + 1)
      #expect(!decoder.isIncomplete)
    }
  }
}
