/// Headers and limits of Apple's provider API (Apple: Sending notification requests to APNs).
public enum APNsDialect {
  /// Path before the device token.
  public static let devicePathPrefix = "/3/device/"
  /// Largest payload of any push type but `voip`, in bytes.
  public static let maximumPayloadBytes = 4096
  /// Largest payload of a VoIP push, in bytes.
  public static let maximumVoIPPayloadBytes = 5120
  /// Largest `apns-collapse-id`, in bytes.
  public static let maximumCollapseIDBytes = 64
  /// Hexadecimal digits of a device token. Apple publishes no length: 64 are usual, 160 occur.
  public static let deviceTokenDigits = 64...512
  /// Longest time for which APNs stores a notification, in seconds: 30 days.
  public static let longestStorage = 2_592_000
  /// Maximum age of a provider token, by its `iat`.
  public static let tokenLifetime = Duration.seconds(3600)

  /// Names of header fields, lowercase as in HTTP/2.
  public enum Header {
    public static let authorization = "authorization"
    public static let id = "apns-id"
    public static let topic = "apns-topic"
    public static let pushType = "apns-push-type"
    public static let priority = "apns-priority"
    public static let expiration = "apns-expiration"
    public static let collapseID = "apns-collapse-id"
    /// Field of an answer in the development environment.
    public static let uniqueID = "apns-unique-id"
  }

  /// Whether `text` can be an `apns-topic`: 1 to 255 letters, digits, dots, hyphens and underscores.
  public static func isTopic(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy(ASCII.isName)
  }

  /// Whether `text` can be a device token: whole bytes in hexadecimal.
  public static func isDeviceToken(_ text: some StringProtocol) -> Bool {
    deviceTokenDigits.contains(text.utf8.count) && text.utf8.count % 2 == 0
      && text.utf8.allSatisfy(ASCII.isHexDigit)
  }
}

/// `apns-push-type`, and what APNs requires of each type.
public enum APNsPushType: String, Sendable, Hashable, CaseIterable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip,
    widgets

  /// Suffix of the bundle ID in `apns-topic`; empty for `mdm`, whose topic is no bundle ID.
  public var topicSuffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: ".push-type.widgets"
    }
  }

  /// Values of `apns-priority` that APNs accepts, the default first.
  public var priorities: [Int] {
    switch self {
    case .background: [5, 1]
    case .liveactivity: [10, 5]
    default: [10, 5, 1]
    }
  }

  public var maximumPayloadBytes: Int {
    self == .voip ? APNsDialect.maximumVoIPPayloadBytes : APNsDialect.maximumPayloadBytes
  }

  /// `bundleID` with the suffix, unless it ends with it.
  public func topic(for bundleID: String) -> String {
    bundleID.hasSuffix(topicSuffix) ? bundleID : bundleID + topicSuffix
  }
}

/// `apns-expiration`: until when APNs stores a notification for a device that cannot be reached.
public enum APNsExpiration: Sendable, Hashable {
  /// 0: one delivery attempt, not stored.
  case once
  /// Unix seconds.
  case at(Int)
  /// Duration after the planned time, in whole seconds.
  case after(Duration)
}
