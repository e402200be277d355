import ConstraintAnimation
import Measurement
import Testing

@testable import Terminal

/// What comes from a terminal is outside data: a pasted text, a hostile program on the line, noise.
@Suite("Any bytes at all may come from a terminal")
struct InputFuzzTests {
  /// Beginnings and ends of what means something, so that noise gets deep into the decoder.
  private static let pieces: [[UInt8]] = [
    "\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}]11;rgb:", "\u{1B}P", "\u{1B}_", "\u{1B}[<", "0;1;1M", "m",
    "\u{1B}[M",
    "\u{1B}[200~", "\u{1B}[201~", "\u{1B}\\", "\u{7}", "99999999999999999999", ";", ":", "~", "A", "\u{1B}[[",
    "日", "é",
    "\u{1B}[1;", "?1;2c", "\u{1B}[I",
  ].map { Array($0.utf8) }

  @Test("events are bounded and keys are never control characters", arguments: 1...40)
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var decoder = InputDecoder()
    var fed = 0
    var events: [TerminalEvent] = []
    for _ in 0..<3000 {
      let bytes =
        Int.random(in: 0..<3, using: &random) == 0
        ? (0..<Int.random(in: 1...6, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        : Self.pieces.randomElement(using: &random) ?? []
      for byte in bytes { decoder.feed(byte) }
      fed += bytes.count
      switch Int.random(in: 0..<40, using: &random) {
      case 0: decoder.flush()
      case 1: decoder.endPaste()
      default: break
      }
      events += decoder.drainEvents()
      _ = decoder.drainReports()
    }
    decoder.endPaste()
    decoder.flush()
    events += decoder.drainEvents()
    #expect(events.count <= fed * 2, "no byte makes events without end")
    for event in events {
      switch event {
      case .input(let input):
        guard case .key(.character(let character)) = input.kind else { continue }
        #expect(
          character.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) },
          "\(character.unicodeScalars.map(\.value))")
      case .paste(let text): #expect(text.utf8.count <= 3 * InputDecoder.longestPaste)
      default: continue
      }
    }
  }

  @Test("a paste without end keeps no more than it may")
  func endlessPaste() {
    var decoder = InputDecoder()
    for byte in "\u{1B}[200~".utf8 { decoder.feed(byte) }
    for _ in 0..<200_000 { decoder.feed(0x61) }
    decoder.endPaste()
    guard case .paste(let text) = decoder.drainEvents().first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count <= InputDecoder.longestPaste)
  }
}
