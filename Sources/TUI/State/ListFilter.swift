import Measurement

/// Which lines of log and events are listed: those that have all of some words, in any order, whatever their case.
struct ListFilter: Sendable, Equatable {
  /// As typed.
  let text: String
  private let words: [[UInt8]]

  /// - Returns: `nil` for no words at all.
  init?(_ text: String) {
    let words = text.split(separator: " ").map { $0.utf8.map(Self.folded) }
    if words.isEmpty { return nil }
    (self.text, self.words) = (text, words)
  }

  func matches(_ line: LogLine) -> Bool { matches([line.level.rawValue, line.label, line.message]) }

  /// - Parameter target: the name of the event's.
  func matches(_ event: Event, target: String) -> Bool {
    matches([target, event.kind.rawValue, event.detail, event.sequence.map(String.init) ?? ""])
  }

  private func matches(_ fields: [String]) -> Bool {
    words.allSatisfy { word in fields.contains { Self.contains(word, in: $0) } }
  }

  private static func contains(_ word: [UInt8], in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= word.count else { return false }
      return (0...bytes.count - word.count).contains { start in
        word.indices.allSatisfy { folded(bytes[start + $0]) == word[$0] }
      }
    }
  }

  /// Lower case for ASCII letters; other scripts are compared as they are.
  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
