/// Base64 as other people write it: either alphabet, padded or not.
enum Base64Text {
  /// `nil` for anything that is not base64 in whole.
  static func decode(_ text: String) -> [UInt8]? {
    var plain = ""
    plain.reserveCapacity(text.utf8.count)
    var body = text[...]
    for _ in 0..<2 where body.last == "=" { body = body.dropLast() }
    for character in body.unicodeScalars {
      switch character {
      case "+": plain.unicodeScalars.append("-")
      case "/": plain.unicodeScalars.append("_")
      default: plain.unicodeScalars.append(character)
      }
    }
    return Base64URL.decode(plain)
  }
}
