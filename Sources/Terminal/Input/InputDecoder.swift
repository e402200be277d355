import ConstraintAnimation

/// Turns bytes and key codes into events: a state machine over values, no descriptors, no clock.
///
/// ncurses returns the keys that terminfo describes as codes. Everything else arrives as bytes: text in UTF-8, mouse
/// reports, pasted text, focus changes, replies to queries, and keys that terminfo does not describe.
/// An unknown sequence is dropped whole, so that its end is never read as keys.
struct InputDecoder {
  /// What of a paste is kept, in bytes.
  static let longestPaste = 1 << 16

  private enum State {
    case ground
    case escape
    /// CSI was read; the bytes that follow it are in `sequence`.
    case control
    /// SS3 was read: one more byte ends the sequence.
    case singleShift
    /// `CSI [` was read, a function key of the Linux console: one more byte ends the sequence.
    case consoleFunction
    /// Three bytes of an X10 mouse report.
    case x10Mouse
    /// OSC, DCS, APC, PM: up to BEL or ST. The flag says that the last byte was an escape.
    case string(isEnding: Bool)
    case paste
  }

  /// What has been taken for a key because nothing followed it in time, and may have been the beginning of a sequence.
  private enum Introducer {
    /// Escape.
    case escape
    /// `ESC [`, or `[` after an escape.
    case control
    /// `ESC O`, or `O` after an escape.
    case singleShift
  }

  private var state = State.ground
  private var introducer: Introducer?
  /// The sequence under way began with an escape that has been taken for a key: its first byte may be one, too.
  private var isLate = false
  private var sequence: [UInt8] = []
  /// The sequence is longer than any that means something.
  private var isOverlong = false
  private var utf8 = UTF8Accumulator()
  private var mouse = MouseDecoder()
  private var pasted: [UInt8] = []

  private(set) var events: [TerminalEvent] = []
  private(set) var reports: [TerminalReport] = []

  /// Bytes are text up to the end of the paste: reading them one by one through ncurses would be slow.
  var isPasting: Bool {
    if case .paste = state { true } else { false }
  }

  /// A sequence has begun whose end is still to come.
  var isIncomplete: Bool {
    switch state {
    case .ground, .paste: false
    default: true
    }
  }

  /// The last byte was an escape: a key of its own unless more follows.
  var endsWithEscape: Bool {
    if case .escape = state { true } else { false }
  }

  /// What has begun is a key of its own unless more follows soon: Escape, Alt and `[` or `O`, and a key just after one of them.
  var mayBeKey: Bool {
    switch state {
    case .escape, .singleShift: true
    case .control: sequence.count <= (isLate ? 1 : 0)
    case .string: isLate && sequence.isEmpty
    default: false
    }
  }

  /// Whether what comes next may be the rest of a sequence whose beginning has been taken for a key.
  var awaitsRest: Bool { introducer != nil }

  /// The rest of a sequence did not come: what comes next are keys.
  mutating func forgetIntroducer() { introducer = nil }

  mutating func drainEvents() -> [TerminalEvent] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  mutating func drainReports() -> [TerminalReport] {
    defer { reports.removeAll() }
    return reports
  }

  /// A key that ncurses recognized.
  mutating func feed(key: InputEvent.Key, modifiers: InputEvent.Modifiers) {
    var modifiers = modifiers
    // ESC just before a known sequence: how some terminals say Alt.
    if case .escape = state { modifiers.insert(.alt) }
    (state, introducer) = (.ground, nil)
    emit(key, modifiers)
  }

  mutating func feed(_ byte: UInt8) {
    switch state {
    case .ground:
      let introducer = self.introducer
      self.introducer = nil
      if let introducer, resume(introducer, byte) { return }
      ground(byte, modifiers: [])
    case .escape: escape(byte)
    case .control: control(byte)
    case .singleShift:
      state = .ground
      if let key = FunctionKeys.key(singleShift: byte) { emit(key, []) }
    case .consoleFunction:
      state = .ground
      if byte >= 0x41 && byte <= 0x45 { emit(.function(Int(byte) - 0x40), []) }
    case .x10Mouse: x10(byte)
    case .string(let isEnding): string(byte, isEnding: isEnding)
    case .paste: paste(byte)
    }
  }

  /// Goes on with a sequence whose beginning has been taken for a key: its parts came too far from each other.
  /// - Returns: false where the byte is no part of a sequence.
  private mutating func resume(_ introducer: Introducer, _ byte: UInt8) -> Bool {
    switch (introducer, byte) {
    case (.escape, 0x5B), (.escape, 0x4F), (.escape, 0x5D): escape(byte)
    case (.control, 0x20..<0x7F):
      begin(.control)
      control(byte)
    case (.singleShift, 0x40..<0x7F):
      begin(.singleShift)
      feed(byte)
      return true
    default: return false
    }
    isLate = true
    return true
  }

  private mutating func begin(_ state: State) {
    sequence.removeAll(keepingCapacity: true)
    (self.state, isOverlong, isLate) = (state, false, false)
  }

  /// Nothing more came for a while: what has begun is all there is.
  mutating func flush() {
    let modifiers: InputEvent.Modifiers = isLate ? [] : .alt
    introducer = nil
    switch state {
    case .escape:
      emit(.escape, [])
      introducer = .escape
    case .control where sequence.isEmpty:
      emit(.character("["), modifiers)
      introducer = isLate ? nil : .control
    case .control where isLate && sequence.count == 1:
      emit(.character(Character(Unicode.Scalar(sequence[0]))), [])
    case .singleShift:
      emit(.character("O"), modifiers)
      introducer = isLate ? nil : .singleShift
    case .string where isLate && sequence.isEmpty: emit(.character("]"), [])
    case .paste: return
    default: break
    }
    (state, isLate) = (.ground, false)
    sequence.removeAll(keepingCapacity: true)
  }

  /// The end of a paste never came; what did come is handed on.
  mutating func endPaste() {
    guard case .paste = state else { return }
    state = .ground
    let text = String(decoding: pasted.map { $0 == 0x0D ? 0x0A : $0 }, as: UTF8.self)
    pasted.removeAll()
    sequence.removeAll(keepingCapacity: true)
    if !text.isEmpty { events.append(.paste(text)) }
  }

  // MARK: - States

  private mutating func ground(_ byte: UInt8, modifiers: InputEvent.Modifiers) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x03: events.append(.interrupt)
    case 0x1A: events.append(.suspend)
    case 0x00: emit(.character(" "), modifiers.union(.control))
    case 0x09: emit(.tab, modifiers)
    case 0x0A, 0x0D: emit(.enter, modifiers)
    case 0x08, 0x7F: emit(.backspace, modifiers)
    case 0x01..<0x1B: emit(.character(Character(Unicode.Scalar(byte + 0x60))), modifiers.union(.control))
    case 0x1C..<0x20: emit(.character(Character(Unicode.Scalar(byte + 0x40))), modifiers.union(.control))
    case 0x20..<0x7F: emit(.character(Character(Unicode.Scalar(byte))), modifiers)
    default:
      // No key sends a C1 control; a paste without brackets may.
      if let scalar = utf8.feed(byte), !(0x80..<0xA0).contains(scalar.value) {
        emit(.character(Character(scalar)), modifiers)
      }
    }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x1B: emit(.escape, [])
    case 0x5B: begin(.control)
    case 0x4F: begin(.singleShift)
    case 0x5D, 0x50, 0x5F, 0x5E: begin(.string(isEnding: false))
    default: ground(byte, modifiers: .alt)
    }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x1B:
      state = .escape
    case 0x20..<0x40:
      if sequence.count < 64 { sequence.append(byte) } else { isOverlong = true }
    case 0x5B where sequence.isEmpty:
      state = .consoleFunction
    case 0x4D where sequence.isEmpty:
      state = .x10Mouse
    case 0x40..<0x7F:
      state = .ground
      if !isOverlong { finishControl(byte) }
    default:
      // A control character in the middle: no sequence after all.
      ground(byte, modifiers: [])
    }
  }

  private mutating func finishControl(_ final: UInt8) {
    let (prefix, parameters) = ControlParameters.parse(sequence)
    switch (prefix, final) {
    case (0x3C, 0x4D), (0x3C, 0x6D):
      guard parameters.count == 3 else { return }
      mouse.decodeSGR(
        code: parameters[0], column: parameters[1], row: parameters[2], isRelease: final == 0x6D, &events)
    case (0x3F, 0x79) where sequence.last == 0x24 && parameters.count == 2:
      reports.append(.mode(parameters[0], setting: parameters[1]))
    case (nil, 0x6E) where parameters.count == 1: reports.append(.status)
    case (nil, 0x49) where parameters.isEmpty:
      events.append(.input(InputEvent(kind: .focusGained)))
    case (nil, 0x4F) where parameters.isEmpty:
      events.append(.input(InputEvent(kind: .focusLost)))
    case (nil, 0x7E) where parameters.first == 200:
      state = .paste
      pasted.removeAll()
      sequence.removeAll(keepingCapacity: true)
    case (nil, _):
      if let (key, modifiers) = FunctionKeys.key(final: final, parameters: parameters) {
        emit(key, modifiers)
      }
    default:
      break
    }
  }

  private mutating func x10(_ byte: UInt8) {
    sequence.append(byte)
    guard sequence.count == 3 else { return }
    state = .ground
    mouse.decodeX10(code: sequence[0], column: sequence[1], row: sequence[2], &events)
  }

  private mutating func string(_ byte: UInt8, isEnding: Bool) {
    if byte == 0x07 || isEnding && byte == 0x5C {
      state = .ground
      if !isOverlong, let report = TerminalReport(operatingSystemCommand: sequence) { reports.append(report) }
    } else if byte == 0x1B {
      state = .string(isEnding: true)
    } else {
      state = .string(isEnding: false)
      if sequence.count < 64 { sequence.append(byte) } else { isOverlong = true }
    }
  }

  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  private mutating func paste(_ byte: UInt8) {
    // `sequence` holds how much of the end has been seen.
    if byte == InputDecoder.pasteEnd[sequence.count] {
      sequence.append(byte)
      if sequence.count == InputDecoder.pasteEnd.count { endPaste() }
      return
    }
    keep(sequence)
    sequence.removeAll(keepingCapacity: true)
    if byte == InputDecoder.pasteEnd[0] { sequence.append(byte) } else { keep(CollectionOfOne(byte)) }
  }

  private mutating func keep(_ bytes: some Collection<UInt8>) {
    pasted.append(contentsOf: bytes.prefix(max(0, InputDecoder.longestPaste - pasted.count)))
  }

  private mutating func emit(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) {
    events.append(.input(InputEvent(kind: .key(key), modifiers: modifiers)))
  }
}

/// The parameters of a control sequence (ECMA-48 5.4): numbers between semicolons, after a private prefix.
enum ControlParameters {
  /// Empty parameters count 0, numbers above 65 535 as that; intermediate bytes are left out.
  static func parse(_ bytes: [UInt8]) -> (prefix: UInt8?, parameters: [Int]) {
    var rest = bytes[...]
    var prefix: UInt8?
    if let first = rest.first, first >= 0x3C && first <= 0x3F {
      prefix = first
      rest = rest.dropFirst()
    }
    var parameters: [Int] = []
    var number: Int?
    for byte in rest {
      switch byte {
      case 0x30...0x39: number = min((number ?? 0) * 10 + Int(byte - 0x30), 65_535)
      case 0x3B:
        parameters.append(number ?? 0)
        number = nil
      default: break
      }
    }
    if let number { parameters.append(number) } else if !parameters.isEmpty { parameters.append(0) }
    return (prefix, parameters)
  }
}

/// Puts scalars together from bytes that may come in pieces. Malformed bytes are dropped.
struct UTF8Accumulator {
  private var value: UInt32 = 0
  private var missing = 0
  private var smallest: UInt32 = 0

  /// - Parameter byte: 0x80 or above; ASCII ends what has begun and needs no decoding.
  /// - Returns: a scalar when the byte completes one.
  mutating func feed(_ byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80..<0xC0:
      guard missing > 0 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
      missing -= 1
      guard missing == 0, value >= smallest else { return nil }
      return Unicode.Scalar(value)
    case 0xC2..<0xE0: begin(UInt32(byte & 0x1F), missing: 1, smallest: 0x80)
    case 0xE0..<0xF0: begin(UInt32(byte & 0x0F), missing: 2, smallest: 0x800)
    case 0xF0..<0xF5: begin(UInt32(byte & 0x07), missing: 3, smallest: 0x1_0000)
    default: missing = 0
    }
    return nil
  }

  private mutating func begin(_ value: UInt32, missing: Int, smallest: UInt32) {
    (self.value, self.missing, self.smallest) = (value, missing, smallest)
  }
}

/// Turns mouse reports into pointer events (xterm, "Mouse Tracking").
///
/// Only the left button presses and drags; the others have no meaning here and must not look like it. Tilting the
/// wheel sideways is left out: trackpads do it all the time without being asked.
struct MouseDecoder {
  private var isDown = false

  /// SGR (mode 1006): the button's number survives the release.
  mutating func decodeSGR(
    code: Int, column: Int, row: Int, isRelease: Bool, _ events: inout [TerminalEvent]
  ) {
    decode(code, column - 1, row - 1, isRelease: isRelease, &events)
  }

  /// X10: three bytes, each 32 more than it means; a release does not say of which button.
  mutating func decodeX10(code: UInt8, column: UInt8, row: UInt8, _ events: inout [TerminalEvent]) {
    guard code >= 32 && column > 32 && row > 32 else { return }
    var value = Int(code) - 32
    let isRelease = value & 0b1110_0011 == 3
    if isRelease { value &= ~3 }
    decode(value, Int(column) - 33, Int(row) - 33, isRelease: isRelease, &events)
  }

  /// Bits of the code: 0-1 button (3 none), 2 Shift, 3 Alt, 4 Control, 5 motion, 6 wheel, 7 further buttons.
  private mutating func decode(
    _ code: Int, _ column: Int, _ row: Int, isRelease: Bool, _ events: inout [TerminalEvent]
  ) {
    guard column >= 0 && row >= 0 && code & 128 == 0 else { return }
    var modifiers: InputEvent.Modifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let location = Point(x: Double(column), y: Double(row))
    func emit(_ kind: InputEvent.Kind) {
      events.append(.input(InputEvent(kind: kind, location: location, modifiers: modifiers)))
    }
    let button = code & 3
    if code & 64 != 0 {
      if button < 2 && !isRelease { emit(.wheel(ticks: button == 0 ? 1 : -1)) }
    } else if code & 32 != 0 {
      if button == 0 && isDown {
        emit(.mouseDrag)
      } else if button == 3 {
        // The release went somewhere else, outside the window for example.
        if isDown { emit(.mouseUp) }
        isDown = false
        emit(.mouseMove)
      }
    } else if button == 0 {
      if isRelease {
        if isDown { emit(.mouseUp) }
        isDown = false
      } else {
        if isDown { emit(.mouseUp) }
        isDown = true
        emit(.mouseDown)
      }
    }
  }
}
