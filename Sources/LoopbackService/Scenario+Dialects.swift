import Configuration

extension Scenario {
  /// Reads a scenario file for the loopback service: the words of its four dialects need no status.
  ///
  /// - Throws: all mistakes at once, each with file, line, column, key and remedy.
  public static func load(
    path: String, environment: [String: String] = [:]
  ) throws(ConfigurationError) -> Scenario {
    try load(path: path, environment: environment, words: .loopback)
  }
}

extension DialectErrorCatalog {
  /// Every error word that the loopback service knows by itself.
  public static let loopback = DialectErrorCatalog([
    .apns: ErrorCatalog.apns.statuses, .fcm: ErrorCatalog.fcm.statuses,
    .webpush: ErrorCatalog.webPush.statuses,
    .ntfy: ErrorCatalog.ntfy.statuses,
  ])
}
