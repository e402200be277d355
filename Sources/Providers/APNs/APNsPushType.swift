/// What `apns-push-type` may say (Apple: Sending notification requests to APNs), and what goes with each.
public enum APNsPushType: String, Sendable, Hashable, CaseIterable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip,
    widgets

  /// What the bundle ID is followed by in `apns-topic`; the topic of `mdm` is no bundle ID at all.
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

  /// The priorities that Apple takes with it, the usual one first.
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

  /// The topic for a bundle ID; one that has the suffix already is left as it is.
  public func topic(for bundleID: String) -> String {
    bundleID.hasSuffix(topicSuffix) ? bundleID : bundleID + topicSuffix
  }

  /// The `aps` member that lets a device take note of a probe.
  ///
  /// - Parameter seconds: Unix seconds; a live activity goes by the newest of its updates.
  func aps(at seconds: Int64) -> String {
    switch self {
    case .alert: #"{"alert":{"title":"pushscope"},"mutable-content":1}"#
    case .liveactivity: "{\"timestamp\":\(seconds),\"event\":\"update\",\"content-state\":{}}"
    case .widgets, .controls: #"{"content-changed":true}"#
    default: #"{"content-available":1}"#
    }
  }
}
