import Configuration

/// Whether two targets can send by one credential: made of the same key, for the same purpose.
enum CredentialIdentity: Sendable, Hashable {
  case apns(APNsSettings.Credentials)
  case fcm(SecretReference)
  case vapid(WebPushSettings.Credentials?, origin: String)
}
