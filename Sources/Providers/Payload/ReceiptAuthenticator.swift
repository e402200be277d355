import Crypto
import FoundationEssentials
import Measurement

/// Makes and checks the MAC that proves a notification id to be this collector's own: HMAC-SHA-256 (RFC 2104) over
/// `1|collector id|notification id`, ids in lower case, printed as base64url without padding (RFC 4648, section 5).
///
/// It proves the notification, not what the device says of it.
public struct ReceiptAuthenticator: Sendable {
  private let key: SymmetricKey
  private let prefix: [UInt8]

  /// - Parameter secret: what only the collector knows; 32 random bytes are right.
  public init(secret: [UInt8], collectorID: UUID) {
    key = SymmetricKey(data: secret)
    prefix = Array("1|\(collectorID.uuidString.lowercased())|".utf8)
  }

  /// 43 characters.
  public func mac(for id: NotificationID) -> String {
    Base64URL.encode(HMAC<SHA256>.authenticationCode(for: message(id), using: key))
  }

  /// Whether `mac` is the one for `id`, in time that does not depend on where they differ.
  public func verify(_ mac: String, for id: NotificationID) -> Bool {
    guard mac.utf8.count == 43, let bytes = Base64URL.decode(mac) else { return false }
    return HMAC<SHA256>.isValidAuthenticationCode(bytes, authenticating: message(id), using: key)
  }

  private func message(_ id: NotificationID) -> [UInt8] { prefix + Array(id.description.utf8) }
}
