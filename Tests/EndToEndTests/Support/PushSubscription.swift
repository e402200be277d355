/// What a user agent gives for a push service, as the Push API writes it.
struct PushSubscription: Codable {
  struct Keys: Codable { var p256dh, auth: String }
  var endpoint: String
  var keys: Keys
}
