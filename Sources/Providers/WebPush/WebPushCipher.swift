import Crypto

/// Encrypts a push message for one subscription: RFC 8291 on top of RFC 8188's `aes128gcm`, in a single record.
enum WebPushCipher {
  /// salt, record size, key length and key (RFC 8188, section 2.1).
  static let headerBytes = 16 + 4 + 1 + 65
  /// The header, the delimiter and the tag.
  static let overheadBytes = headerBytes + 1 + 16
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
    // RFC 8188's record size counts text, delimiter, padding and tag.
    guard padding >= 0, plaintext.count + padding + 17 <= Int(recordSize), salt.count == 16 else {
      throw .tooLong
    }
    let senderPublic = [UInt8](key.publicKey.x963Representation)
    let receiverPublic = [UInt8](subscription.publicKey.x963Representation)
    do {
      let shared = try key.sharedSecretFromKeyAgreement(with: subscription.publicKey)
      // HKDF in its two steps each time: extract with the secret that only we and the device have, then for the salt.
      let input = shared.hkdfDerivedSymmetricKey(
        using: SHA256.self, salt: subscription.secret,
        sharedInfo: Array("WebPush: info\0".utf8) + receiverPublic + senderPublic, outputByteCount: 32)
      let contentKey = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8),
        outputByteCount: 16)
      let nonce = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: input, salt: salt, info: Array("Content-Encoding: nonce\0".utf8),
        outputByteCount: 12)
      // The only record is the last one and its number is 0, so the delimiter is 2 and the nonce stays as it is.
      let record = plaintext + [2] + [UInt8](repeating: 0, count: padding)
      let sealed = try AES.GCM.seal(
        record, using: contentKey, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
      let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
      return salt + size + [UInt8(senderPublic.count)] + senderPublic + sealed.ciphertext + sealed.tag
    } catch {
      throw .keyAgreement
    }
  }
}
