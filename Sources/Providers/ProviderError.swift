/// A combination of settings that no request can be made of; caught before anything is sent.
public struct ProviderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The setting as the configuration calls it, like `payload_bytes`.
  public let setting: String
  /// What is wrong, as the end of a sentence that begins with the setting.
  public let message: String
  public let remedy: String

  public init(_ setting: String, _ message: String, remedy: String) {
    self.setting = setting
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(setting) \(message); \(remedy)" }
}
