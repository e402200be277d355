import COpenSSL

/// AES-128-GCM without additional data (NIST SP 800-38D).
public enum AES128GCM {
  public static let keyBytes = 16
  public static let nonceBytes = 12
  /// Length of the tag behind the ciphertext.
  public static let tagBytes = 16

  /// The ciphertext with its tag.
  /// - Parameter nonce: 12 bytes, never used before with the same key.
  public static func seal(
    _ text: [UInt8], key: SymmetricKey, nonce: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    try check(key, nonce)
    let sealed = key.withBytes { key in
      OpenSSL.bytes(text.count + tagBytes) {
        copenssl_seal(key.baseAddress, nonce, text, Int32(text.count), $0)
      }
    }
    guard let sealed else { throw CryptographyError(.failed, "the text cannot be encrypted") }
    return sealed
  }

  /// The text of a ciphertext with its tag.
  public static func open(
    _ sealed: [UInt8], key: SymmetricKey, nonce: [UInt8]
  ) throws(CryptographyError) -> [UInt8] {
    try check(key, nonce)
    guard sealed.count >= tagBytes else {
      throw CryptographyError(.malformed, "the ciphertext is shorter than its tag")
    }
    let text = key.withBytes { key in
      OpenSSL.bytes(sealed.count - tagBytes) {
        copenssl_open(key.baseAddress, nonce, sealed, Int32(sealed.count), $0)
      }
    }
    guard let text else { throw CryptographyError(.inauthentic, "the tag is not the ciphertext's") }
    return text
  }

  private static func check(_ key: SymmetricKey, _ nonce: [UInt8]) throws(CryptographyError) {
    guard key.count == keyBytes, nonce.count == nonceBytes else {
      throw CryptographyError(
        .malformed, "AES-128-GCM takes a key of \(keyBytes) bytes and a nonce of \(nonceBytes)")
    }
  }
}
