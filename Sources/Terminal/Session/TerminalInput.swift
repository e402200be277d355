import Glibc

/// Reads what the terminal sends: keys through ncurses, pastes directly.
struct TerminalInput {
  private var decoder = InputDecoder()
  /// The limit of one read was reached before the end of the input.
  private(set) var hasMore = false
  /// The terminal is gone.
  private(set) var isHungUp = false

  /// When the last byte came.
  private var lastByte = ContinuousClock.now

  /// A key that may be the beginning of a sequence is to be there at once.
  private static let keyDelay = Duration.milliseconds(25)
  /// The rest of a sequence comes late where a packet was lost on the way.
  private static let sequenceDelay = Duration.milliseconds(500)
  private static let pasteDelay = Duration.seconds(1)

  /// The instant until which to wait for the rest of what has begun; `nil` when nothing has.
  var deadline: ContinuousClock.Instant? {
    if decoder.isPasting { return lastByte + Self.pasteDelay }
    guard decoder.isIncomplete else { return nil }
    return lastByte + (decoder.mayBeKey ? Self.keyDelay : Self.sequenceDelay)
  }

  /// Nothing followed what had begun.
  mutating func endUnfinished() {
    decoder.flush()
    decoder.endPaste()
  }

  mutating func drainEvents() -> [TerminalEvent] { decoder.drainEvents() }
  mutating func drainReports() -> [TerminalReport] { decoder.drainReports() }

  /// Reads the available input up to a limit, so that a flood of input does not delay frames.
  /// - Parameter condition: what poll(2) says of it.
  /// - Returns: false when the terminal is gone.
  mutating func read(
    _ terminal: borrowing TerminalDescriptor, _ curses: borrowing CursesScreen, _ condition: Int16
  ) -> Bool {
    hasMore = false
    let now = ContinuousClock.now
    if decoder.awaitsRest, now - lastByte > Self.sequenceDelay { decoder.forgetIntroducer() }
    lastByte = now
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

  /// Reads up to the answer to a question about the terminal's status, or all that has come, and drops it.
  /// - Returns: whether the answer has come.
  mutating func discard(_ curses: borrowing CursesScreen) -> Bool {
    defer { _ = decoder.drainEvents() }
    while let token = curses.next() {
      if case .byte(let byte) = token { decoder.feed(byte) }
      if decoder.drainReports().contains(.status) { return true }
    }
    return false
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
