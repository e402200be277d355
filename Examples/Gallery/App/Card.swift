/// What a screen is called and about.
struct Card: Sendable {
  /// For the command line.
  let name: String
  let title: String
  /// A line of what to look at.
  let look: String
  /// The published texts whose behavior it shows, S1 to S5.
  let sources: [String]
}
