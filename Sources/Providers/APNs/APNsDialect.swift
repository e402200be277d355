/// The words of Apple's provider API: paths, headers and limits, as a client and as the loopback service need them.
public enum APNsDialect {
  /// Before the device token in the path.
  public static let devicePathPrefix = "/3/device/"
  /// Bytes of a payload that is no VoIP push.
  public static let maximumPayloadBytes = 4096
  /// Bytes of a VoIP push's payload.
  public static let maximumVoIPPayloadBytes = 5120
  /// Bytes of `apns-collapse-id`.
  public static let maximumCollapseIDBytes = 64
  /// A provider token's `iat` may be no older, and the token no further used.
  public static let tokenLifetime = Duration.seconds(3600)
  /// A connection that is shown new tokens more often is answered 429 TooManyProviderTokenUpdates.
  public static let shortestTokenRefresh = Duration.seconds(20 * 60)

  public enum Header {
    public static let authorization = "authorization"
    public static let id = "apns-id"
    public static let topic = "apns-topic"
    public static let pushType = "apns-push-type"
    public static let priority = "apns-priority"
    public static let expiration = "apns-expiration"
    public static let collapseID = "apns-collapse-id"
    public static let uniqueID = "apns-unique-id"
  }
}
