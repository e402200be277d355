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
