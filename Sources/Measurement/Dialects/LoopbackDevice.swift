/// Devices of the built-in push service: each name has a device token, from which the service knows the device.
public enum LoopbackDevice {
  private static let longestName = 64
  /// Bytes of a token: the name's, filled up with zeros, at least one. Other tokens are shorter.
  private static let tokenBytes = longestName + 1

  /// Whether `text` can be a device's name: 1 to 64 letters, digits, dots, hyphens and underscores.
  public static func isName(_ text: some StringProtocol) -> Bool {
    (1...longestName).contains(text.utf8.count)
      && text.utf8.allSatisfy(ASCII.isName)
  }

  /// The device token of a name, hexadecimal.
  public static func token(of name: String) -> String {
    let bytes = Array(name.utf8.prefix(longestName))
    return HexText.make(bytes + Array(repeating: 0, count: tokenBytes - bytes.count))
  }

  /// The name whose token it is; `nil` for another token.
  public static func name(of token: some StringProtocol) -> String? {
    let digits = token.compactMap(\.hexDigitValue)
    guard digits.count == token.utf8.count, digits.count == 2 * tokenBytes else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let name = String(decoding: bytes[..<end], as: UTF8.self)
    return isName(name) ? name : nil
  }
}
