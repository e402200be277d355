/// An sRGB color, eight bits a channel. How many of its bits reach the screen is the canvas's affair.
public struct Color: Sendable, Hashable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The color `fraction` of the way to `other`, channel by channel; the fraction is clamped to 0…1.
  public func blended(with other: Color, fraction: Double) -> Color {
    let share = min(max(fraction, 0), 1)
    func channel(_ from: UInt8, _ to: UInt8) -> UInt8 {
      UInt8((Double(from) + (Double(to) - Double(from)) * share + 0.5).rounded(.down))
    }
    return Color(
      channel(red, other.red), channel(green, other.green), channel(blue, other.blue))
  }
}
