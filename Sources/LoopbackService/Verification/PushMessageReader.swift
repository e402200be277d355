import Crypto
import Foundation

/// Decrypts an `aes128gcm` body (RFC 8188) with a subscription's keys (RFC 8291), as a browser does.
struct PushMessageReader: Sendable {
  private static let headerBytes = 86
  private static let tagBytes = 16

  let privateKey: P256.KeyAgreement.PrivateKey
  /// The subscription's `auth`, 16 bytes.
  let secret: Data

  /// The plaintext; `nil` for anything but one record encrypted for this subscription.
  func open(_ body: Data) -> Data? {
    let body = [UInt8](body)
    guard body.count > Self.headerBytes + Self.tagBytes, body[20] == 65 else { return nil }
    let salt = Data(body[0..<16])
    let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
    let point = Data(body[21..<Self.headerBytes])
    let record = Data(body[Self.headerBytes...])
    guard recordSize >= 18, record.count <= recordSize,
      let sender = try? P256.KeyAgreement.PublicKey(x963Representation: point),
      let shared = try? privateKey.sharedSecretFromKeyAgreement(with: sender)
    else { return nil }
    let agreement = shared.withUnsafeBytes { Data($0) }
    let receiver = privateKey.publicKey.x963Representation
    let keying = Self.mac(
      Data("WebPush: info\0".utf8) + receiver + point + [1], key: Self.mac(agreement, key: secret))
    let prk = Self.mac(keying, key: salt)
    let key = Self.mac(Data("Content-Encoding: aes128gcm\0\u{1}".utf8), key: prk).prefix(16)
    let nonce = Self.mac(Data("Content-Encoding: nonce\0\u{1}".utf8), key: prk).prefix(12)
    guard let nonce = try? AES.GCM.Nonce(data: nonce),
      let box = try? AES.GCM.SealedBox(
        nonce: nonce, ciphertext: record.dropLast(Self.tagBytes), tag: record.suffix(Self.tagBytes)),
      let padded = try? AES.GCM.open(box, using: SymmetricKey(data: key)),
      let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2
    else { return nil }
    return padded[padded.startIndex..<end]
  }

  private static func mac(_ message: Data, key: Data) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
  }
}
