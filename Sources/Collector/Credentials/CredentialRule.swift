import Measurement

/// When a kind of credential is renewed.
struct CredentialRule: Sendable, Equatable {
  /// So long before its end, but not before half its life.
  var margin: Duration
  /// Never sooner than this after the last one, unless the provider refused that.
  var floor: Duration
  /// Never sooner than this, refused or not.
  var refusedFloor: Duration

  /// Apple takes a token for an hour and no new one within 20 minutes: it is renewed at 40.
  static let apns = CredentialRule(
    margin: .seconds(20 * 60), floor: .seconds(20 * 60), refusedFloor: .seconds(20 * 60))
  /// OAuth tokens of Google live for an hour, and are to be renewed some minutes before.
  static let oauth = CredentialRule(
    margin: .seconds(5 * 60), floor: .seconds(60), refusedFloor: .seconds(1))
  /// VAPID tokens are ours to date (RFC 8292, section 2: at most 24 hours).
  static let vapid = CredentialRule(
    margin: .seconds(3600), floor: .seconds(60), refusedFloor: .seconds(1))

  func renewal(of lifetime: Duration) -> Duration { max(lifetime / 2, lifetime - margin) }
}
