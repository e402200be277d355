import Configuration
import ConstraintAnimation

extension KeyTable {
  /// The keys of a preset.
  static func preset(_ preset: DashboardConfiguration.KeyPreset) -> KeyTable {
    switch preset {
    case .classic: standard
    case .vim: standard.rebound(fingers)
    case .less: standard.rebound(fingers.merging(pager) { _, pager in pager })
    }
  }

  /// What hands that know vi expect; a preset's own keys come first. Actions whose keys are taken have others: the axis `L`,
  /// going to a time `g t`.
  private static let fingers: [DashboardAction: [KeyChord]] = [
    .panBack: [letter("h"), KeyChord(.left)], .panForward: [letter("l"), KeyChord(.right)],
    .lineUp: [letter("k"), KeyChord(.up)], .lineDown: [letter("j"), KeyChord(.down)],
    .listStart: [letter("g", after: "g"), KeyChord(.home)], .listEnd: [letter("G"), KeyChord(.end)],
    .help: [letter("?")], .scale: [letter("L")], .goTo: [letter("t", after: "g")],
  ]

  /// What `less` has besides: `f` and `b` a page, `d` and `u` half of one, `F` follows, and `Q` shows the cost of a frame.
  private static let pager: [DashboardAction: [KeyChord]] = [
    .pageDown: [letter("f"), KeyChord(.pageDown)], .pageUp: [letter("b"), KeyChord(.pageUp)],
    .halfPageDown: [letter("d"), KeyChord(.character("d"), hasControl: true)],
    .halfPageUp: [letter("u"), KeyChord(.character("u"), hasControl: true)], .follow: [letter("F")],
    .buckets: [letter("I")], .bothLatencies: [letter("V")], .colors: [letter("U")], .frameCost: [letter("Q")],
  ]

  private static func letter(_ character: Character, after prefix: Character? = nil) -> KeyChord {
    KeyChord(.character(character), prefix: prefix)
  }
}

/// Remembers the first of two keys that belong together, like `g g`.
struct KeySequence {
  private var prefix: Character?

  /// What a key came to.
  enum Match: Equatable {
    case command(Command)
    /// Another key is to follow, or the two mean nothing together.
    case taken
    case none
  }

  mutating func match(_ event: InputEvent, in keys: KeyTable) -> Match {
    guard case .key(let key) = event.kind else { return .none }
    if let first = prefix {
      prefix = nil
      return keys.command(for: event, after: first).map(Match.command) ?? .taken
    }
    if let command = keys.command(for: event) { return .command(command) }
    if case .character(let character) = key, event.modifiers.subtracting(.shift).isEmpty,
      keys.hasSequence(after: character)
    {
      prefix = character
      return .taken
    }
    return .none
  }
}
