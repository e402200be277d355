import ConstraintAnimation

/// The sixteen of a terminal's own palette, by the values that `ColorProfile.ansi16` maps to them exactly.
extension Color {
  static let basicBlack = Color(0x00, 0x00, 0x00)
  static let basicGreen = Color(0x00, 0xCD, 0x00)
  static let basicBlue = Color(0x00, 0x00, 0xEE)
  static let basicMagenta = Color(0xCD, 0x00, 0xCD)
  static let basicCyan = Color(0x00, 0xCD, 0xCD)
  static let basicGrey = Color(0x7F, 0x7F, 0x7F)
  static let basicBrightGreen = Color(0x00, 0xFF, 0x00)
  static let basicBrightBlue = Color(0x5C, 0x5C, 0xFF)
  static let basicBrightCyan = Color(0x00, 0xFF, 0xFF)
  static let basicWhite = Color(0xFF, 0xFF, 0xFF)
}
