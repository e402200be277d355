/// A circumstance on a device that explains a change: most of the notifications that the change is of had it, and few of the others.
public struct Circumstance: Sendable, Hashable, Codable {
  public var key: DeviceContextKey
  /// One of the key's words.
  public var word: String
  /// The share of the affected notifications that had it.
  public var affected: Double
  /// The share of the others of the same target.
  public var others: Double

  public init(key: DeviceContextKey, word: String, affected: Double, others: Double) {
    self.key = key
    self.word = word
    self.affected = affected
    self.others = others
  }

  /// A clause about notifications: `while the device dozed`, `over cellular`.
  public var words: String {
    switch (key, word) {
    case (.idle, "true"): "while the device dozed"
    case (.idle, _): "while the device did not doze"
    case (.saver, "true"): "while the device saved power"
    case (.saver, _): "while the device did not save power"
    case (.notifications, "true"): "while notifications were allowed"
    case (.notifications, _): "while notifications were not allowed"
    case (.network, "wifi"): "over Wi-Fi"
    case (.network, "none"): "without a network"
    case (.network, "other"): "over another network"
    case (.network, _): "over \(word)"
    case (.priority, _): "with \(word) priority"
    case (.prioritySent, _): "sent with \(word) priority"
    case (.app, _):
      "while the app was \(word == "background" ? "in the background" : word == "foreground" ? "in the foreground" : word)"
    case (.bucket, _): "while the app counted as \(word.replacing("_", with: " "))"
    case (.os, _): "on \(word)"
    }
  }
}
