/// How many colors reach the screen.
public enum ColorProfile: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// Attributes only.
  case monochrome
  /// The sixteen colors of the terminal's own palette.
  case ansi16
  /// The color cube and gray ramp of xterm.
  case ansi256
  /// 24 bits of RGB.
  case trueColor

  public static func < (left: ColorProfile, right: ColorProfile) -> Bool {
    left.rawValue < right.rawValue
  }
}
