/// Reads texts of keys, certificates and accounts as editors and environment variables leave them behind: with a byte order mark,
/// in quotes, with line breaks written as `\n`, or all on one line.
public enum KeyText {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The bytes without UTF-8's byte order mark, which editors of Windows write. What is no text is left as it is.
  public static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.starts(with: mark), String(validating: bytes, as: UTF8.self) != nil else { return bytes }
    return Array(bytes.dropFirst(mark.count))
  }

  /// What is wrong with bytes that are not UTF-8, as a predicate.
  public static func problem(ofText bytes: [UInt8]) -> String {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      ? "is text in UTF-16; save it as UTF-8" : "is not text"
  }

  /// PEM (RFC 7468) with its line breaks.
  public static func pem(_ text: String) -> String {
    var text = unquoted(text)
    if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
    return separated(unescaped(text))
  }

  /// JSON whose white space between values is written as `\n`, `\r` or `\t`, which is none in JSON.
  public static func json(_ bytes: [UInt8]) -> [UInt8] {
    guard let text = String(validating: withoutMark(bytes), as: UTF8.self) else { return bytes }
    var output: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in unquoted(text, by: "'").utf8 {
      if isInString {
        output.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if isEscaped {
        isEscaped = false
        // Anything else is no JSON, and stays so.
        output += "nrt".utf8.contains(byte) ? [UInt8(ascii: " ")] : [UInt8(ascii: "\\"), byte]
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        output.append(byte)
        isInString = byte == UInt8(ascii: "\"")
      }
    }
    return output
  }

  /// A text without the quotes around it, which an environment file keeps.
  private static func unquoted(_ text: String, by quotes: String = "\"'") -> String {
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace }), first < last, text[first] == text[last],
      quotes.contains(text[first])
    else { return text }
    return String(text[text.index(after: first)..<last])
  }

  /// Backslashes before n or r are a line break: neither is in PEM.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var output = ""
    var backslashes = 0
    for character in text {
      if character == "\\" {
        backslashes += 1
        continue
      }
      if backslashes > 0, character == "n" || character == "r" {
        output += "\n"
      } else {
        output += String(repeating: "\\", count: backslashes)
        output.append(character)
      }
      backslashes = 0
    }
    return output + String(repeating: "\\", count: backslashes)
  }

  /// Blocks that are on one line, as a shell makes them of a variable without quotes, on lines of their own.
  private static func separated(_ text: String) -> String {
    var output = ""
    var rest = text[...]
    while let begin = rest.firstRange(of: "-----BEGIN "),
      let beginEnd = rest[begin.upperBound...].firstRange(of: "-----"),
      let end = rest[beginEnd.upperBound...].firstRange(of: "-----END "),
      let endEnd = rest[end.upperBound...].firstRange(of: "-----")
    {
      let body = rest[beginEnd.upperBound..<end.lowerBound]
      if body.contains(where: \.isNewline) {
        output += rest[..<endEnd.upperBound]
      } else {
        output += rest[..<begin.lowerBound] + "\n" + rest[begin.lowerBound..<beginEnd.upperBound] + "\n"
        for word in body.split(whereSeparator: \.isWhitespace) { output += word + "\n" }
        output += rest[end.lowerBound..<endEnd.upperBound] + "\n"
      }
      rest = rest[endEnd.upperBound...]
    }
    return output + rest
  }
}
