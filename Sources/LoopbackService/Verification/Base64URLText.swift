import Foundation

/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5), by Foundation: what is verified here
/// must not go through the code that made it.
enum Base64URLText {
  /// `nil` for padding, other characters and impossible lengths.
  static func decode(_ text: some StringProtocol) -> Data? {
    guard text.utf8.count % 4 != 1,
      text.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
      })
    else { return nil }
    let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }

  static func encode(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
}
