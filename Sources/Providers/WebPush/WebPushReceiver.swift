import Cryptography
import Measurement

/// The receiving half of a push subscription: decrypts what senders encrypt for it (RFC 8291).
public struct WebPushReceiver: Sendable {
  let privateKey: P256.PrivateKey
  /// The subscription's `auth`, 16 bytes.
  let secret: [UInt8]

  public init(privateKey: P256.PrivateKey, secret: [UInt8]) {
    self.privateKey = privateKey
    self.secret = secret
  }

  /// New random keys.
  public static func random() -> WebPushReceiver {
    WebPushReceiver(privateKey: P256.PrivateKey(), secret: RandomBytes.make(16))
  }

  /// The plaintext of an untrusted body.
  /// - Returns: `nil` for anything but one record of `aes128gcm` (RFC 8188) that was encrypted for this subscription. Web Push
  ///   has one record a message (RFC 8291, section 4).
  public func open(_ body: [UInt8]) -> [UInt8]? {
    let headerBytes = WebPushCipher.headerBytes
    guard body.count > headerBytes + EncryptedContent.tagBytes, body[20] == 65 else { return nil }
    let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
    let point = Array(body[21..<headerBytes])
    let record = Array(body[headerBytes...])
    // Delimiter and tag are the least of a record (RFC 8188, section 2.1).
    guard recordSize >= 18, record.count <= recordSize,
      let sender = try? P256.PublicKey(x963Representation: point),
      let input = try? WebPushCipher.inputKey(
        privateKey, with: sender, secret: secret,
        receiver: privateKey.publicKey.x963Representation, sender: point),
      let padded = try? EncryptedContent.open(record, key: input, salt: Array(body[..<16])),
      let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2
    else { return nil }
    return Array(padded[..<end])
  }
}
