extension ErrorCatalog {
  /// FcmError's codes and, where Google's front end answers before FCM does, google.rpc.Code's.
  static let fcm = ErrorCatalog(words: [
    ErrorWord("INVALID_ARGUMENT", 400), ErrorWord("UNAUTHENTICATED", 401),
    ErrorWord("THIRD_PARTY_AUTH_ERROR", 401), ErrorWord("SENDER_ID_MISMATCH", 403),
    ErrorWord("PERMISSION_DENIED", 403), ErrorWord("UNREGISTERED", 404, .gone),
    ErrorWord("NOT_FOUND", 404), ErrorWord("QUOTA_EXCEEDED", 429), ErrorWord("INTERNAL", 500),
    ErrorWord("UNSPECIFIED_ERROR", 500), ErrorWord("UNAVAILABLE", 503),
  ])
}
