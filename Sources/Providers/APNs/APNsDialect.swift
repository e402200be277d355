/// The words of Apple's provider API: paths, headers and limits, as a client and as the loopback service need them.
public enum APNsDialect {
  /// Before the device token in the path.
  public static let devicePathPrefix = "/3/device/"
  /// Bytes of a payload that is no VoIP push.
  public static let maximumPayloadBytes = 4096

  public enum Header {
    public static let authorization = "authorization"
    public static let id = "apns-id"
    public static let topic = "apns-topic"
    public static let pushType = "apns-push-type"
    public static let priority = "apns-priority"
    public static let expiration = "apns-expiration"
    public static let uniqueID = "apns-unique-id"
  }
}
