import ConstraintAnimation

/// An answer of the terminal to a question of ours.
enum TerminalReport: Equatable {
  /// DECRPM: 0 not recognized, 1 set, 2 reset, 3 set for good, 4 reset for good.
  case mode(Int, setting: Int)
  /// OSC 11: the background.
  case background(Color)
  /// OSC 10: the foreground.
  case foreground(Color)

  /// `11;rgb:RRRR/GGGG/BBBB`, with one to four digits a channel. `nil` for anything else.
  init?(operatingSystemCommand bytes: [UInt8]) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ";", maxSplits: 1)
    guard parts.count == 2, parts[1].hasPrefix("rgb:") else { return nil }
    let channels = parts[1].dropFirst(4).split(separator: "/").compactMap(Self.channel)
    guard channels.count == 3 else { return nil }
    let color = Color(channels[0], channels[1], channels[2])
    switch parts[0] {
    case "10": self = .foreground(color)
    case "11": self = .background(color)
    default: return nil
    }
  }

  private static func channel(_ digits: Substring) -> UInt8? {
    guard (1...4).contains(digits.count), let value = UInt32(digits, radix: 16) else { return nil }
    let largest = (UInt32(1) << UInt32(4 * digits.count)) - 1
    return UInt8((value * 255 + largest / 2) / largest)
  }
}
