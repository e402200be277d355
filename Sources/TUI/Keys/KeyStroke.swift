import Configuration
import ConstraintAnimation

/// A key with the modifiers held.
struct KeyStroke: Sendable, Hashable {
  var key: InputEvent.Key
  var modifiers: InputEvent.Modifiers
  /// The character that is pressed before it; `nil` for a single key.
  var prefix: Character?

  init(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = [], after prefix: Character? = nil) {
    self.key = key
    self.modifiers = modifiers
    self.prefix = prefix
  }

  init(_ character: Character, _ modifiers: InputEvent.Modifiers = []) {
    self.init(.character(character), modifiers)
  }
}

extension KeyStroke: ExpressibleByExtendedGraphemeClusterLiteral {
  init(extendedGraphemeClusterLiteral value: Character) { self.init(value) }
}

extension KeyStroke {
  /// A key of the configuration.
  init(_ chord: KeyChord) {
    var modifiers: InputEvent.Modifiers = []
    if chord.hasControl { modifiers.insert(.control) }
    if chord.hasAlt { modifiers.insert(.alt) }
    if chord.hasShift { modifiers.insert(.shift) }
    let key: InputEvent.Key =
      switch chord.key {
      case .character(let character): .character(character)
      case .enter: .enter
      case .escape: .escape
      case .tab: .tab
      case .backspace: .backspace
      case .delete: .delete
      case .insert: .insert
      case .up: .up
      case .down: .down
      case .left: .left
      case .right: .right
      case .home: .home
      case .end: .end
      case .pageUp: .pageUp
      case .pageDown: .pageDown
      case .function(let number): .function(number)
      }
    // Terminals report Shift-Tab as a key of its own.
    let isBackTab = key == .tab && modifiers == .shift
    self.init(isBackTab ? .backTab : key, isBackTab ? [] : modifiers, after: chord.prefix)
  }

  /// `Ctrl-L`, `←`, `Space`.
  var label: String {
    switch key {
    case .up: held + "↑"
    case .down: held + "↓"
    case .left: held + "←"
    case .right: held + "→"
    default: plainLabel
    }
  }

  /// The same in ASCII.
  var plainLabel: String {
    let name: String =
      switch key {
      case .character(" "): "Space"
      case .character(let character):
        modifiers.contains(.control) ? character.uppercased() : String(character)
      case .enter: "Enter"
      case .escape: "Esc"
      case .tab: "Tab"
      case .backTab: "Shift-Tab"
      case .backspace: "Backspace"
      case .delete: "Del"
      case .insert: "Ins"
      case .up: "Up"
      case .down: "Down"
      case .left: "Left"
      case .right: "Right"
      case .home: "Home"
      case .end: "End"
      case .pageUp: "PgUp"
      case .pageDown: "PgDn"
      case .function(let number): "F\(number)"
      }
    return held + name
  }

  private var held: String {
    (prefix.map { "\($0) " } ?? "") + (modifiers.contains(.control) ? "Ctrl-" : "")
      + (modifiers.contains(.alt) ? "Alt-" : "")
      + (modifiers.contains(.shift) ? "Shift-" : "")
  }
}
