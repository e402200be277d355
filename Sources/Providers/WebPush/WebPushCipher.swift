import Cryptography

/// Encrypts a push message for a subscription (RFC 8291) as one record of `aes128gcm` (RFC 8188).
enum WebPushCipher {
  /// Header of RFC 8188 with the sender's public key as key id.
  static let headerBytes = EncryptedContent.fixedHeaderBytes + 65
  /// Header, delimiter and tag.
  static let overheadBytes = headerBytes + 1 + EncryptedContent.tagBytes
  /// Limit of the record (RFC 8188, section 2).
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
    key: P256.PrivateKey, salt: [UInt8]
  ) throws(Failure) -> [UInt8] {
    let record = EncryptedContent.Record(text: plaintext, padding: padding)
    guard padding >= 0, record.bytes <= Int(recordSize), salt.count == 16 else { throw .tooLong }
    let senderPublic = key.publicKey.x963Representation
    let receiverPublic = subscription.publicKey.x963Representation
    do {
      let input = try inputKey(
        key, with: subscription.publicKey, secret: subscription.secret, receiver: receiverPublic,
        sender: senderPublic)
      return try EncryptedContent.seal(
        [record], key: input, salt: salt, keyID: senderPublic, recordSize: recordSize)
    } catch {
      throw .keyAgreement
    }
  }

  /// The key that both sides derive from their own private key and the other's public key (RFC 8291, section 3.4).
  /// - Parameters:
  ///   - secret: the subscription's `auth`.
  ///   - receiver: the subscription's public key.
  ///   - sender: the message's public key.
  static func inputKey(
    _ key: P256.PrivateKey, with peer: P256.PublicKey, secret: [UInt8], receiver: [UInt8], sender: [UInt8]
  ) throws(CryptographyError) -> SymmetricKey {
    try HKDF.key(
      from: try key.sharedSecret(with: peer), salt: secret,
      info: Array("WebPush: info\0".utf8) + receiver + sender, count: 32)
  }
}

/// Content coding `aes128gcm` (RFC 8188).
enum EncryptedContent {
  /// Salt, record size and length of the key id (RFC 8188, section 2.1).
  static let fixedHeaderBytes = 16 + 4 + 1
  /// Authentication tag of a record.
  static let tagBytes = AES128GCM.tagBytes

  struct Record: Sendable, Hashable {
    var text: [UInt8]
    /// Count of zero bytes after the text.
    var padding = 0

    /// Text, delimiter, padding and tag.
    var bytes: Int { text.count + 1 + padding + tagBytes }
  }

  enum Failure: Error {
    /// A record before the last that is not full, a record that is too long, or a salt or key id of the wrong length.
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
    let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
    var content = salt + size + [UInt8(keyID.count)] + keyID
    do {
      let (contentKey, base) = try keys(key, salt: salt)
      for (number, record) in records.enumerated() {
        let delimiter: UInt8 = number == records.count - 1 ? 2 : 1
        let padded = record.text + [delimiter] + [UInt8](repeating: 0, count: record.padding)
        content += try AES128GCM.seal(padded, key: contentKey, nonce: nonce(base.bytes, number))
      }
    } catch {
      throw .impossible
    }
    return content
  }

  /// Opens the only record of a content: text, delimiter and padding.
  static func open(_ record: [UInt8], key: SymmetricKey, salt: [UInt8]) throws(CryptographyError) -> [UInt8] {
    let (contentKey, base) = try keys(key, salt: salt)
    return try AES128GCM.open(record, key: contentKey, nonce: base.bytes)
  }

  /// The key of the content, and what its nonces are made from (RFC 8188, sections 2.2 and 2.3).
  private static func keys(
    _ key: SymmetricKey, salt: [UInt8]
  ) throws(CryptographyError) -> (content: SymmetricKey, nonce: SymmetricKey) {
    let contentKey = try HKDF.key(
      from: key, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: AES128GCM.keyBytes)
    let base = try HKDF.key(
      from: key, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: AES128GCM.nonceBytes)
    return (contentKey, base)
  }

  /// XOR of the base with the record's number in network byte order (RFC 8188, section 2.3).
  private static func nonce(_ base: [UInt8], _ number: Int) -> [UInt8] {
    var nonce = base
    for (place, byte) in withUnsafeBytes(of: UInt64(number).bigEndian, Array.init).enumerated() {
      nonce[4 + place] ^= byte
    }
    return nonce
  }
}
