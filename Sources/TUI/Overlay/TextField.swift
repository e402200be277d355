import Configuration
import ConstraintAnimation
import Measurement

/// An editable line of text with a cursor.
///
/// A key inserts one scalar, and a scalar may combine with its neighbors (combining marks, vowel signs, flags), so the
/// cursor counts characters, which are counted again after every change.
struct TextField: Sendable, Equatable {
  private(set) var string: String
  /// Index of the character of ``string`` after the cursor.
  private(set) var cursor: Int

  /// Capacity in scalars.
  static let capacity = 200

  init(_ text: String = "") {
    string = ""
    cursor = 0
    insert(text)
  }

  /// Handles a key.
  /// - Returns: whether it is an editing key.
  mutating func handle(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers) -> Bool {
    if modifiers.contains(.control), case .character(let character) = key { return control(character) }
    guard modifiers.isSubset(of: .shift) else { return false }
    switch key {
    case .character(let character): insert(String(character))
    case .backspace where cursor > 0: replace(cursor - 1..<cursor, with: "")
    case .delete where cursor < string.count: replace(cursor..<cursor + 1, with: "")
    case .backspace, .delete: break
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(string.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = string.count
    default: return false
    }
    return true
  }

  /// Inserts text from outside without its invisible characters, as far as there is room.
  mutating func insert(_ new: String) {
    var visible = String.UnicodeScalarView()
    let room = Self.capacity - string.unicodeScalars.count
    for scalar in new.unicodeScalars where visible.count < room && Self.isVisible(scalar) {
      visible.append(scalar)
    }
    replace(cursor..<cursor, with: String(visible))
  }

  /// Replaces characters and puts the cursor after the new text and whatever combines with it.
  private mutating func replace(_ range: Range<Int>, with new: String) {
    var scalars = string.unicodeScalars
    let start = string.index(string.startIndex, offsetBy: range.lowerBound)
    let end = string.index(start, offsetBy: range.count)
    let before = scalars.distance(from: scalars.startIndex, to: start) + new.unicodeScalars.count
    scalars.replaceSubrange(start..<end, with: new.unicodeScalars)
    string = String(scalars)
    let place = string.unicodeScalars.index(string.startIndex, offsetBy: before)
    cursor = string.indices.prefix { $0 < place }.count
  }

  private mutating func control(_ character: Character) -> Bool {
    switch character {
    case "u": replace(0..<cursor, with: "")
    case "w":
      let head = Array(string.prefix(cursor))
      let word = head.lastIndex { $0 != " " } ?? -1
      let start = word < 0 ? 0 : (head[...word].lastIndex(of: " ") ?? -1) + 1
      replace(start..<cursor, with: "")
    case "a": cursor = 0
    case "e": cursor = string.count
    default: return false
    }
    return true
  }

  /// Joiners are kept: Persian, Hindi and emoji need them.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if EscapedText.isHarmful(scalar) { return false }
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: return false
    case .format: return scalar.value == 0x200C || scalar.value == 0x200D
    default: return true
    }
  }
}

/// Parses a moment that is typed into the dashboard.
struct TimeInput {
  /// The newest moment of the run, which negative offsets count from.
  let now: WallTime
  /// The start of the run.
  let start: WallTime?
  /// The moment in the middle of the window, which positive offsets count from.
  let shown: WallTime
  let zone: LocalTime

  static let hint =
    "14:05 or 14:05:30, 2026-03-01T12:00:00Z, -10m from the newest, +30s from here, start, end (follows again)"

  /// Why a text is no moment.
  struct Problem: Error, Equatable {
    let text: String
  }

  /// Whether the text means the newest moment, which moves on.
  static func isNewest(_ text: String) -> Bool {
    ["now", "end"].contains(text.filter { $0 != " " }.lowercased())
  }

  func moment(_ text: String) throws(Problem) -> WallTime {
    let text = text.filter { $0 != " " || text.contains("-") && text.contains(":") }
    switch text.lowercased() {
    case "": throw Problem(text: "nothing was entered; \(Self.hint)")
    case "now", "end": return now
    case "start":
      guard let start else { throw Problem(text: "there is no run to go to the start of") }
      return start
    default: break
    }
    if let first = text.first, first == "-" || first == "+" {
      guard let span = try? DurationText.parse(String(text.dropFirst())) else {
        throw Problem(text: "\(text) is not a duration; enter a number and s, m, h or d, like -10m")
      }
      return first == "-" ? now - span : shown + span
    }
    if let time = WallTime(rfc3339: text) { return time }
    if let time = clockTime(text) { return time }
    throw Problem(text: "\(text) is not a time; enter \(Self.hint)")
  }

  /// A time of day: its last occurrence up to the newest moment.
  private func clockTime(_ text: String) -> WallTime? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.count) }) else { return nil }
    let numbers = parts.compactMap { $0.allSatisfy { $0.isASCII && $0.isNumber } ? Int64($0) : nil }
    guard numbers.count == parts.count, numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else {
      return nil
    }
    let ofDay = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    let local = now.advanced(byMicroseconds: zone.offset(at: now))
    var moment = local.floored(to: .days(1)) + .seconds(ofDay)
    if moment > local { moment = moment - .days(1) }
    let guess = moment.advanced(byMicroseconds: -zone.offset(at: now))
    // The zone's offset may have changed since.
    return moment.advanced(byMicroseconds: -zone.offset(at: guess))
  }
}
