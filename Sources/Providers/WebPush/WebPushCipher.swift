import Crypto

/// Encrypts a push message for one subscription: RFC 8291 on top of RFC 8188's `aes128gcm`, in a single record.
enum WebPushCipher {
  /// What RFC 8188 wants, and the sender's public key as the key's name.
  static let headerBytes = EncryptedContent.fixedHeaderBytes + 65
  /// The header, the delimiter and the tag.
  static let overheadBytes = headerBytes + 1 + EncryptedContent.tagBytes
  /// Bounds the whole record (RFC 8188, section 2).
  static let recordSize: UInt32 = 4096

  enum Failure: Error {
    case keyAgreement
    case tooLong
  }

  /// - Parameters:
  ///   - padding: how many zero bytes to hide behind the text.
  ///   - key: the sender's key pair; a new one for every message.
  ///   - salt: 16 random bytes; new ones for every message.
  static func encrypt(
    _ plaintext: [UInt8], padding: Int, for subscription: PushSubscription,
    key: P256.KeyAgreement.PrivateKey, salt: [UInt8]
  ) throws(Failure) -> [UInt8] {
    let record = EncryptedContent.Record(text: plaintext, padding: padding)
    guard padding >= 0, record.bytes <= Int(recordSize), salt.count == 16 else { throw .tooLong }
    let senderPublic = [UInt8](key.publicKey.x963Representation)
    let receiverPublic = [UInt8](subscription.publicKey.x963Representation)
    do {
      let shared = try key.sharedSecretFromKeyAgreement(with: subscription.publicKey)
      let input = shared.hkdfDerivedSymmetricKey(
        using: SHA256.self, salt: subscription.secret,
        sharedInfo: Array("WebPush: info\0".utf8) + receiverPublic + senderPublic, outputByteCount: 32)
      return try EncryptedContent.seal(
        [record], key: input, salt: salt, keyID: senderPublic, recordSize: recordSize)
    } catch {
      throw .keyAgreement
    }
  }
}
