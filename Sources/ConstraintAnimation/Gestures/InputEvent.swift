/// A pointer or keyboard event, independent of a terminal's encoding. Locations are cells in the window's space;
/// fractions appear where the source reports pixels.
public struct InputEvent: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case mouseDown
    case mouseDrag
    case mouseUp
    case mouseMove
    /// Positive ticks scroll up.
    case wheel(ticks: Int)
    case key(Key)
    case focusLost
    case focusGained
  }

  public enum Key: Sendable, Hashable {
    case character(Character)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
  }

  public struct Modifiers: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1 << 0)
    public static let alt = Modifiers(rawValue: 1 << 1)
    public static let control = Modifiers(rawValue: 1 << 2)
  }

  public var kind: Kind
  public var location: Point
  public var modifiers: Modifiers

  public init(kind: Kind, location: Point = .zero, modifiers: Modifiers = []) {
    self.kind = kind
    self.location = location
    self.modifiers = modifiers
  }
}
