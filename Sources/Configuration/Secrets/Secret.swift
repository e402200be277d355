/// A text that must never be printed, logged, stored or exported; describing it says so.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The text itself, for the one place that sends or computes with it.
  public let exposed: String

  public init(_ text: String) { exposed = text }

  public var description: String { "(hidden)" }
  public var debugDescription: String { "(hidden)" }
}

extension Secret: CustomReflectable {
  /// Keeps `dump` and interpolation of enclosing values from looking inside.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
