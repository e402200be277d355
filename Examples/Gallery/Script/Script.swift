import ConstraintAnimation

/// What to do with the gallery, step by step. Lines, or parts of lines between semicolons; `#` begins a comment.
struct Script {
  let commands: [ScriptCommand]

  /// Longer waits, drags and films than this are refused: a script is for looking at things.
  private static let longest = 60_000

  init(_ text: String) throws(ScriptError) {
    var commands: [ScriptCommand] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let code = line.prefix { $0 != "#" }
      for part in code.split(separator: ";") {
        let words = part.split(whereSeparator: \.isWhitespace).map(String.init)
        if !words.isEmpty { commands += try Script.commands(words, line: index + 1) }
      }
    }
    self.commands = commands
  }

  private static func commands(_ words: [String], line: Int) throws(ScriptError) -> [ScriptCommand] {
    func refuse(_ message: String) -> ScriptError { ScriptError(line: line, message: message) }
    let arguments = Array(words.dropFirst())
    func expect(_ counts: ClosedRange<Int>, _ usage: String) throws(ScriptError) {
      guard counts.contains(arguments.count) else { throw refuse("write it as “\(usage)”") }
    }
    switch words[0] {
    case "key":
      try expect(1...1000, "key NAME…")
      var keys: [ScriptCommand] = []
      for argument in arguments {
        guard let (key, modifiers) = key(named: argument) else {
          throw refuse("“\(argument)” is no key: a character, enter, shift+left, …")
        }
        keys.append(.key(key, modifiers))
      }
      return keys
    case "press", "click":
      try expect(1...1, "\(words[0]) X,Y")
      let (x, y) = try pair(arguments[0], ",", refuse)
      return [words[0] == "press" ? .press(x: x, y: y) : .click(x: x, y: y)]
    case "drag":
      try expect(1...2, "drag X,Y 200ms")
      let (x, y) = try pair(arguments[0], ",", refuse)
      let time = arguments.count == 2 ? try milliseconds(arguments[1], refuse) : 200
      return [.drag(x: x, y: y, milliseconds: time)]
    case "release":
      try expect(0...0, "release")
      return [.release]
    case "wheel":
      try expect(2...3, "wheel TICKS X,Y control")
      let (x, y) = try pair(arguments[1], ",", refuse)
      guard let modifiers = modifiers(arguments.dropFirst(2).map { $0 }) else {
        throw refuse("“\(arguments[2])” is none of shift, alt, control")
      }
      return [.wheel(ticks: try number(arguments[0], refuse), x: x, y: y, modifiers)]
    case "wait":
      try expect(1...1, "wait 250ms")
      return [.wait(milliseconds: try milliseconds(arguments[0], refuse))]
    case "frames", "film":
      try expect(1...1, "\(words[0]) COUNT")
      let count = try number(arguments[0], refuse)
      guard (1...3600).contains(count) else { throw refuse("between 1 and 3600 frames, please") }
      return [words[0] == "film" ? .film(count) : .frames(count)]
    case "resize":
      try expect(1...1, "resize 80x24")
      guard let size = GridSize(arguments[0]) else {
        throw refuse("“\(arguments[0])” is no size such as 80x24")
      }
      return [.resize(columns: size.columns, rows: size.rows)]
    case "screen":
      try expect(1...1, "screen NAME")
      guard Catalog.index(of: arguments[0]) != nil else {
        throw refuse("there is no screen “\(arguments[0])”; --list shows them all")
      }
      return [.screen(arguments[0])]
    case "settle", "print":
      try expect(0...0, words[0])
      return [words[0] == "print" ? .print : .settle]
    default:
      throw refuse(
        "“\(words[0])” is none of key, press, drag, release, click, wheel, wait, frames, settle, resize, screen,"
          + " print, film")
    }
  }

  private typealias Refusal = (String) -> ScriptError

  private static func number(_ text: String, _ refuse: Refusal) throws(ScriptError) -> Int {
    guard let number = Int(text), abs(number) <= longest else {
      throw refuse("“\(text)” is no number in range")
    }
    return number
  }

  private static func milliseconds(_ text: String, _ refuse: Refusal) throws(ScriptError) -> Int {
    guard text.hasSuffix("ms"), let number = Int(text.dropLast(2)), (0...longest).contains(number) else {
      throw refuse("“\(text)” is no time such as 250ms, at most \(longest)ms")
    }
    return number
  }

  private static func pair(_ text: String, _ separator: Character, _ refuse: Refusal) throws(ScriptError) -> (
    Int, Int
  ) {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == 2, let x = Int(parts[0]), let y = Int(parts[1]), abs(x) <= longest, abs(y) <= longest
    else { throw refuse("“\(text)” is no place such as 40,12") }
    return (x, y)
  }

  private static func modifiers(_ words: [String]) -> InputEvent.Modifiers? {
    var modifiers: InputEvent.Modifiers = []
    for word in words {
      switch word {
      case "shift": modifiers.insert(.shift)
      case "alt": modifiers.insert(.alt)
      case "control": modifiers.insert(.control)
      default: return nil
      }
    }
    return modifiers
  }

  private static let names: [String: InputEvent.Key] = [
    "space": .character(" "), "enter": .enter, "escape": .escape, "tab": .tab, "backTab": .backTab,
    "backspace": .backspace, "delete": .delete, "insert": .insert, "up": .up, "down": .down, "left": .left,
    "right": .right, "home": .home, "end": .end, "pageUp": .pageUp, "pageDown": .pageDown,
  ]

  private static func key(named text: String) -> (InputEvent.Key, InputEvent.Modifiers)? {
    if text.count == 1, let character = text.first { return (.character(character), []) }
    let parts = text.split(separator: "+").map(String.init)
    guard let last = parts.last, let modifiers = modifiers(parts.dropLast().map { $0 }) else { return nil }
    if let key = names[last] { return (key, modifiers) }
    guard last.count == 1, let character = last.first else { return nil }
    return (.character(character), modifiers)
  }
}

/// One thing a script does.
enum ScriptCommand: Equatable {
  case key(InputEvent.Key, InputEvent.Modifiers)
  case press(x: Int, y: Int)
  /// With the button down, along a straight line, an event a frame.
  case drag(x: Int, y: Int, milliseconds: Int)
  case release
  case click(x: Int, y: Int)
  case wheel(ticks: Int, x: Int, y: Int, InputEvent.Modifiers)
  case frames(Int)
  case wait(milliseconds: Int)
  /// Until nothing moves.
  case settle
  case resize(columns: Int, rows: Int)
  case screen(String)
  case print
  /// Goes on by that many frames and prints each.
  case film(Int)
}

/// Columns and rows, as `80x24`.
struct GridSize: Equatable {
  let columns: Int
  let rows: Int

  /// 1 to 1000 each; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let columns = Int(parts[0]), let rows = Int(parts[1]),
      (1...1000).contains(columns), (1...1000).contains(rows)
    else { return nil }
    self.columns = columns
    self.rows = rows
  }
}

/// A line of a script that cannot be understood.
struct ScriptError: Error, CustomStringConvertible, Equatable {
  let line: Int
  let message: String

  var description: String { "line \(line): \(message)" }
}
