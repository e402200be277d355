import Measurement

/// Good input made bad, the same each time for the same seed.
struct Damage {
  private var generator: SeededGenerator
  /// What tends to trip parsers and terminals.
  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "\"", "'", "\\", "&a ", "*a", "<<: *a", "!!int ", "|", ">", "- ", "? ", "#",
    "---",
    "\n", "\r\n", "\t", "\u{0}", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{9B}31m", "\u{202E}", "\u{2028}",
    "\u{FEFF}",
    "\\u0000", "\\u001b", "\\ud800", "null", "true", "-1", "0.5", "1e308", "1e999", "9223372036854775807",
    "9223372036854775808", "99999999999999999999999", ".nan", "0x1F", "${HOME}", "${", "../../etc/passwd",
    "é", "日本",
    "=cmd|'", "-----BEGIN PRIVATE KEY-----\n", "-----END", "data: ", "\r\n\r\n", "HTTP/1.1 200", "%00", "10%",
    "30s",
  ]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func damage(_ good: [UInt8]) -> [UInt8] {
    var bytes = good
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, place + Int.random(in: 0...40, using: &generator))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 4: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
      default:
        // Seldom something endless.
        guard Int.random(in: 0..<8, using: &generator) == 0 else { continue }
        let piece = Self.pieces.randomElement(using: &generator) ?? "["
        bytes.insert(contentsOf: Array(String(repeating: piece, count: 700).utf8), at: place)
      }
    }
    return bytes
  }

  /// A short text of anything: what a provider, a device or a file may call itself.
  mutating func text() -> String {
    (0..<Int.random(in: 0...7, using: &generator)).map { _ in
      Self.pieces.randomElement(using: &generator) ?? ""
    }.joined()
  }
}
