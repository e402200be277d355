import ConstraintAnimation
public import ConstraintAnimation

/// What a terminal session reports.
public enum TerminalEvent: Sendable, Equatable {
  /// A key, the pointer, or the focus.
  case input(InputEvent)
  /// Pasted text (bracketed paste). Untrusted; at most
  /// 65 536 bytes, the rest is dropped.
  case paste(String)
  /// The size changed; the next frame repaints everything.
  case resize(columns: Int, rows: Int)
  /// Ctrl-Z, or SIGTSTP from elsewhere. The receiver finishes what it is doing and calls `suspend()`.
  case suspend
  /// The process was stopped and has continued; the next frame repaints everything.
  case resumed
  /// Ctrl-C or SIGINT.
  case interrupt
  /// SIGTERM, SIGHUP or another signal that asks for an end.
  case terminate(signal: Int32)
  /// The terminal has hung up: nothing more can be read or shown.
  case hangup
  /// The terminal's reported background color: once, soon after the start, where the terminal answers.
  case background(Color)
  /// `TerminalWaker.wake()` was called.
  case wake
}

/// A terminal's answer to a query.
enum TerminalReport: Equatable {
  /// DECRPM: 0 not recognized, 1 set, 2 reset, 3 set for good, 4 reset for good.
  case mode(Int, setting: Int)
  /// DSR: the terminal is there.
  case status
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

/// Coalesces a batch of events so that a flood costs one frame, without changing its effect.
enum EventCoalescer {
  /// Keeps the last of neighboring motions, the sum of neighboring wheel ticks in one place, the last size and
  /// one wake. Order is kept; presses and keys are never dropped.
  static func coalesce(_ events: [TerminalEvent]) -> [TerminalEvent] {
    var result: [TerminalEvent] = []
    result.reserveCapacity(events.count)
    let lastResize = events.lastIndex { if case .resize = $0 { true } else { false } }
    var hasWake = false
    for (index, event) in events.enumerated() {
      switch event {
      case .resize where index != lastResize: continue
      case .wake where hasWake: continue
      case .wake: hasWake = true
      default: break
      }
      if let last = result.last, let merged = merge(last, event) {
        result[result.count - 1] = merged
      } else {
        result.append(event)
      }
    }
    return result
  }

  private static func merge(_ first: TerminalEvent, _ second: TerminalEvent) -> TerminalEvent? {
    guard case .input(let first) = first, case .input(let second) = second,
      first.modifiers == second.modifiers
    else { return nil }
    switch (first.kind, second.kind) {
    case (.mouseMove, .mouseMove), (.mouseDrag, .mouseDrag):
      return .input(second)
    case (.wheel(let before), .wheel(let after)) where first.location == second.location:
      // Back and forth is not the same as nowhere: an owner may clamp at each step.
      guard (before > 0) == (after > 0) else { return nil }
      var sum = second
      sum.kind = .wheel(ticks: before + after)
      return .input(sum)
    default:
      return nil
    }
  }
}
