/// A line of the help: several bindings may share one.
struct KeyHelp: Sendable {
  let group: KeyBinding.Group
  let text: String
  /// For the footer, where there is room for few words; `nil` leaves it to the help.
  let short: String?
  /// How many of the bindings, from the first, the line shows the keys of.
  let shown: Int
  var bindings: [KeyBinding]

  /// What is done with the mouse: it has no key.
  let gesture: String?

  init(
    group: KeyBinding.Group, text: String, short: String? = nil, shown: Int, bindings: [KeyBinding],
    gesture: String? = nil
  ) {
    self.group = group
    self.text = text
    self.short = short
    self.shown = shown
    self.bindings = bindings
    self.gesture = gesture
  }

  init(gesture: String, group: KeyBinding.Group, text: String) {
    self.init(group: group, text: text, shown: 0, bindings: [], gesture: gesture)
  }

  /// As people write it: `← →`. Empty when no key is left.
  var keys: String { label { $0.label } }

  /// The same in ASCII.
  var plainKeys: String { label { $0.plainLabel } }

  private func label(_ name: (KeyStroke) -> String) -> String {
    if let gesture { return gesture }
    let names = bindings.prefix(shown).compactMap { $0.strokes.first.map(name) }
    // `1 2 3 4` is `1-4`.
    let digits = names.compactMap { $0.count == 1 ? Int($0) : nil }
    if digits.count == names.count, let first = digits.first, let last = digits.last, names.count > 2,
      digits == Array(first...max(first, last))
    {
      return "\(first)-\(last)"
    }
    return names.joined(separator: " ")
  }
}
