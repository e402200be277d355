/// Words of Apple's provider API for why a notification was refused, with the status each comes with. The list grows
/// at Apple's end: unknown ones are kept as they came.
public enum APNsReason: String, Sendable, Hashable, CaseIterable {
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
  /// Documented, and never seen on the wire.
  case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
  /// What is sent in its place.
  case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  public var status: Int {
    switch self {
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
      .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .internalServerError: 500
    case .serviceUnavailable, .shutdown: 503
    default: 400
    }
  }

  /// What it says of the credential, if anything.
  public var credential: CredentialSignal? {
    switch self {
    case .expiredProviderToken: .expired
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
      .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
      .refused
    case .tooManyProviderTokenUpdates: .renewedTooOften
    default: nil
    }
  }

  /// Whether the device token is of no use: nothing should be sent to it until the app gives another one (Apple: Handling
  /// notification responses from APNs).
  public var isReceiverUnknown: Bool {
    switch self {
    case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered: true
    default: false
    }
  }
}
