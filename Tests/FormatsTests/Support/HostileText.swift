/// Texts that want to do harm, made from the characters that could.
enum HostileText {
  private static let scalars: [Unicode.Scalar] = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\"", "'", ",", ";", "\\", "/", "<", "&", " ", "a", "1", "\0",
    "\u{1B}", "[",
    "\u{7F}", "\u{85}", "\u{9B}", "\u{AD}", "\u{200B}", "\u{200D}", "\u{202E}", "\u{2066}", "\u{2028}",
    "\u{FEFF}",
    "\u{FFFE}", "\u{E0041}", "é", "e", "\u{301}", "漢", "😀", "\u{10FFFF}", "ﷺ", "٣",
  ]

  static func make(_ count: Int, using generator: inout some RandomNumberGenerator) -> [String] {
    (0..<count).map { _ in
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        text.unicodeScalars.append(scalars.randomElement(using: &generator) ?? "a")
      }
      return text
    }
  }
}
