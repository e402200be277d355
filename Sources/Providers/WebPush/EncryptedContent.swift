import Crypto

/// The content coding `aes128gcm` (RFC 8188): records of one size, each sealed by itself.
enum EncryptedContent {
  /// salt, record size, length of the key's name (RFC 8188, section 2.1).
  static let fixedHeaderBytes = 16 + 4 + 1
  /// The tag that a record ends with.
  static let tagBytes = 16

  struct Record: Sendable, Hashable {
    var text: [UInt8]
    /// How many zero bytes to hide behind the text.
    var padding = 0

    /// Text, delimiter, padding and tag.
    var bytes: Int { text.count + 1 + padding + tagBytes }
  }

  enum Failure: Error {
    /// A record that is no full one before the last, or too long; a salt or a key's name of the wrong length.
    case impossible
  }

  /// - Parameters:
  ///   - key: the input keying material.
  ///   - salt: 16 random bytes; new ones for every message.
  ///   - keyID: what tells the receiver which key it is.
  static func seal(
    _ records: [Record], key: SymmetricKey, salt: [UInt8], keyID: [UInt8], recordSize: UInt32
  ) throws(Failure) -> [UInt8] {
    guard salt.count == 16, keyID.count <= 255, !records.isEmpty,
      records.allSatisfy({ $0.padding >= 0 && $0.bytes <= Int(recordSize) }),
      records.dropLast().allSatisfy({ $0.bytes == Int(recordSize) })
    else { throw .impossible }
    let contentKey = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8),
      outputByteCount: 16)
    let base = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
    let baseNonce = base.withUnsafeBytes { Array($0) }
    let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
    var content = salt + size + [UInt8(keyID.count)] + keyID
    for (number, record) in records.enumerated() {
      let delimiter: UInt8 = number == records.count - 1 ? 2 : 1
      let padded = record.text + [delimiter] + [UInt8](repeating: 0, count: record.padding)
      do {
        let sealed = try AES.GCM.seal(
          padded, using: contentKey, nonce: AES.GCM.Nonce(data: nonce(baseNonce, number)))
        content += sealed.ciphertext + sealed.tag
      } catch {
        throw .impossible
      }
    }
    return content
  }

  /// The record's number in network byte order, over the end of the base (RFC 8188, section 2.3).
  private static func nonce(_ base: [UInt8], _ number: Int) -> [UInt8] {
    var nonce = base
    for (place, byte) in withUnsafeBytes(of: UInt64(number).bigEndian, Array.init).enumerated() {
      nonce[4 + place] ^= byte
    }
    return nonce
  }
}
