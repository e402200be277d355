/// One combination of a target's listed values.
public struct TargetVariant: Sendable, Hashable {
  /// Like `priority=10,push_type=alert`, with the listed keys only; empty when nothing is a list.
  public var name: String
  public var settings: ProviderSettings

  /// More combinations than this are a mistake: each would be measured too seldom.
  static let maximumCount = 64

  public init(name: String = "", settings: ProviderSettings) {
    self.name = name
    self.settings = settings
  }

  /// - Parameter parts: of the axes, in their order; `nil` for one that is no list.
  static func name(_ parts: String?...) -> String { parts.compactMap { $0 }.joined(separator: ",") }
}
