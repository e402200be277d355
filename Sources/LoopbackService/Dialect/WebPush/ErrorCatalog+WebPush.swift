extension ErrorCatalog {
  /// What a scenario's `webpush` section may use: Apple's words, which Mozilla's and UnifiedPush's answers follow by
  /// status.
  static let webPush = ErrorCatalog(words: [
    ErrorWord("BadWebPushRequest", 400), ErrorWord("BadTtl", 400), ErrorWord("BadUrgency", 400),
    ErrorWord("BadWebPushTopic", 400), ErrorWord("VapidPkHashMismatch", 400, .forbidden),
    ErrorWord("MissingVapid", 401), ErrorWord("BadJwtToken", 403, .untrusted),
    ErrorWord("ExpiredJwtToken", 403, .untrusted), ErrorWord("BadVapidPublicKey", 403),
    ErrorWord("NotFound", 404), ErrorWord("MethodNotAllowed", 405), ErrorWord("Unregistered", 410),
    ErrorWord("PayloadTooLarge", 413), ErrorWord("TooManyRequests", 429),
    ErrorWord("InternalServerError", 500), ErrorWord("ServiceUnavailable", 503),
  ])
}
