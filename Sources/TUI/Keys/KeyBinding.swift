import ConstraintAnimation

/// A key with the modifiers held.
struct KeyStroke: Sendable, Hashable {
  var key: InputEvent.Key
  var modifiers: InputEvent.Modifiers

  init(_ key: InputEvent.Key, _ modifiers: InputEvent.Modifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }

  init(_ character: Character, _ modifiers: InputEvent.Modifiers = []) {
    self.init(.character(character), modifiers)
  }
}

/// A row of the table of keys: which keys do what, and how the help says it.
struct KeyBinding: Sendable {
  enum Group: String, Sendable, CaseIterable {
    case panels = "Panels"
    case time = "Time"
    case plot = "Plot"
    case lists = "Log and events"
    case program = "Dashboard"
  }

  let strokes: [KeyStroke]
  let command: Command
  let group: Group
}

/// A line of the help: several bindings may share one.
struct KeyHelp: Sendable {
  let group: KeyBinding.Group
  /// As people write it: `← →`.
  let keys: String
  /// The same in ASCII.
  let plainKeys: String
  let text: String
  /// For the footer, where there is room for few words; `nil` leaves it to the help.
  let short: String?
  let bindings: [KeyBinding]
}
