import Crypto
import CryptoExtras
import Foundation
import HTTPServer

/// Everything that proves something to the loopback service, or to what it plays: keys of its own, made once for a
/// directory. Clients find theirs in the files.
public struct LoopbackCredentials: Sendable {
  /// A Google service account.
  struct Account: Sendable {
    var projectID: String
    var clientEmail: String
    var keyID: String
    var publicKey: _RSA.Signing.PublicKey
  }

  /// The provider token's key and team, constant so that configurations can be written by hand.
  public static let signingKeyID = "LOOPBACK01"
  public static let teamID = "PUSHSCOPE1"
  public static let projectID = "pushscope-loopback"
  /// ntfy's user.
  public static let username = "loopback"
  /// ntfy's topic in the ready-made configuration.
  public static let ntfyTopic = "pushscope"

  public let directory: String
  let local: LocalCredentials
  let signingKey: P256.Signing.PublicKey
  let account: Account
  /// FCM's only registration token.
  let registrationToken: String
  /// The secret part of every Web Push endpoint.
  let subscription: String
  let browser: PushMessageReader
  let applicationKey: P256.Signing.PublicKey
  let ntfyToken: String
  let ntfyPassword: String

  /// `AuthKey_….p8`, as Apple calls it.
  public var signingKeyFile: String { "\(directory)/AuthKey_\(Self.signingKeyID).p8" }
  public var serviceAccountFile: String { "\(directory)/service-account.json" }
  public var vapidKeyFile: String { "\(directory)/vapid.pem" }
  public var ntfyTokenFile: String { "\(directory)/ntfy.token" }
  public var ntfyPasswordFile: String { "\(directory)/ntfy.password" }
  /// An APNs device token.
  public var deviceTokenFile: String { "\(directory)/apns.token" }
  /// An FCM registration token.
  public var registrationTokenFile: String { "\(directory)/fcm.token" }
  /// The ready-made configuration with one target for each dialect.
  public var configurationFile: String { "\(directory)/loopback.yaml" }

  /// `subscription.json` answers as Mozilla's service does; `-apple` and `-unifiedpush` have the others.
  func subscriptionFile(_ wording: WebPushErrorStyle) -> String {
    "\(directory)/subscription\(wording == .mozilla ? "" : "-\(wording.rawValue)").json"
  }
}
