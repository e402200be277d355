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

extension KeyStroke: ExpressibleByExtendedGraphemeClusterLiteral {
  init(extendedGraphemeClusterLiteral value: Character) { self.init(value) }
}
