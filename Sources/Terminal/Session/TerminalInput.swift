import Glibc

/// Reads what the terminal sends: keys through ncurses, pastes directly.
struct TerminalInput {
  private var decoder = InputDecoder()
  /// The limit of one read was reached before the end of the input.
  private(set) var hasMore = false
  /// The terminal is gone.
  private(set) var isHungUp = false

  /// How long to wait for the rest of what has begun; `nil` when nothing has.
  var timeout: Duration? {
    decoder.isIncomplete ? .milliseconds(25) : decoder.isPasting ? .seconds(1) : nil
  }

  /// Nothing followed what had begun.
  mutating func endUnfinished() {
    decoder.flush()
    decoder.endPaste()
  }

  mutating func takeEvents() -> [TerminalEvent] { decoder.takeEvents() }
  mutating func takeReports() -> [TerminalReport] { decoder.takeReports() }

  /// Reads the available input up to a limit, so that a flood of input does not delay frames.
  /// - Parameter condition: what poll(2) says of it.
  /// - Returns: false when the terminal is gone.
  mutating func read(
    _ terminal: borrowing TerminalDescriptor, _ curses: borrowing CursesScreen, _ condition: Int16
  ) -> Bool {
    hasMore = false
    if terminal.availableBytes == 0 && condition & Int16(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 {
      isHungUp = true
      return false
    }
    var budget = 1024
    while budget > 0 {
      if decoder.isPasting {
        guard readPaste(terminal.input, available: terminal.availableBytes) else { break }
        budget -= 256
        continue
      }
      guard let token = curses.next() else {
        // ncurses has waited for more already.
        if decoder.endsWithEscape { decoder.flush() }
        break
      }
      switch token {
      case .byte(let byte): decoder.feed(byte)
      case .key(let key, let modifiers): decoder.feed(key: key, modifiers: modifiers)
      case .ignored: break
      }
      budget -= 1
    }
    hasMore = budget <= 0
    return true
  }

  /// ncurses reads byte by byte; a paste is read in one go.
  private mutating func readPaste(_ descriptor: Int32, available: Int) -> Bool {
    guard available > 0 else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { buffer in
      let count = Glibc.read(descriptor, buffer.baseAddress, min(available, buffer.count))
      guard count > 0 else { return false }
      for byte in buffer[..<count] { decoder.feed(byte) }
      return true
    }
  }
}
