import FoundationEssentials

/// JSON (RFC 8259) as it is stored, sent and written to files.
public enum JSONText {
  /// Encodes a value with sorted keys. Numbers that JSON does not have become texts, which ``decode(_:from:)`` reads.
  ///
  /// - Parameters:
  ///   - value: something that encodes texts, numbers and containers of them, which always succeeds.
  ///   - isIndented: for a file that people read; it ends with a newline.
  public static func make(_ value: some Encodable, isIndented: Bool = false) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
    guard let data = try? encoder.encode(value) else {
      assertionFailure("\(type(of: value)) cannot be encoded")
      return ""
    }
    return String(decoding: data, as: UTF8.self) + (isIndented ? "\n" : "")
  }

  /// - Throws: the decoder's error.
  public static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: infinity, negativeInfinity: "-" + infinity, nan: notANumber)
    return try decoder.decode(type, from: Data(text.utf8))
  }

  private static let infinity = "inf"
  private static let notANumber = "nan"

  /// A string literal with its quotes.
  public static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// The inside of a string literal.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let escape = escape(of: scalar) { result += escape } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }

  /// The escape sequence of a scalar that JSON does not allow in a string literal, or that acts on a terminal
  /// (``EscapedText/isHarmful(_:)``); `nil` for all others. Readers get the same text back.
  public static func escape(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default:
      guard EscapedText.isHarmful(scalar) else { return nil }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }
}
