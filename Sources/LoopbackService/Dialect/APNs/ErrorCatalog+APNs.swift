extension ErrorCatalog {
  /// Apple's words (Handling notification responses from APNs).
  static let apns = ErrorCatalog(words: [
    ErrorWord("BadDeviceToken", 400), ErrorWord("BadCollapseId", 400), ErrorWord("BadExpirationDate", 400),
    ErrorWord("BadMessageId", 400), ErrorWord("BadPriority", 400), ErrorWord("BadTopic", 400),
    ErrorWord("DeviceTokenNotForTopic", 400), ErrorWord("DuplicateHeaders", 400),
    ErrorWord("IdleTimeout", 400), ErrorWord("InvalidPushType", 400), ErrorWord("MissingDeviceToken", 400),
    ErrorWord("MissingTopic", 400), ErrorWord("PayloadEmpty", 400), ErrorWord("TopicDisallowed", 400),
    ErrorWord("ExpiredProviderToken", 403, .untrusted), ErrorWord("InvalidProviderToken", 403, .untrusted),
    ErrorWord("MissingProviderToken", 403, .untrusted), ErrorWord("Forbidden", 403),
    ErrorWord("BadCertificate", 403), ErrorWord("BadCertificateEnvironment", 403),
    ErrorWord("UnrelatedKeyIdInToken", 403), ErrorWord("BadEnvironmentKeyIdInToken", 403),
    ErrorWord("BadPath", 404), ErrorWord("MethodNotAllowed", 405), ErrorWord("Unregistered", 410),
    ErrorWord("ExpiredToken", 410), ErrorWord("PayloadTooLarge", 413), ErrorWord("TooManyRequests", 429),
    ErrorWord("TooManyProviderTokenUpdates", 429), ErrorWord("InternalServerError", 500),
    ErrorWord("ServiceUnavailable", 503), ErrorWord("Shutdown", 503),
  ])
}
