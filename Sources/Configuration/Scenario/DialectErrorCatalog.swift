/// Each dialect's own words for errors, with the status that they come with: those that a scenario may use without
/// giving one.
public struct DialectErrorCatalog: Sendable, Hashable {
  private let dialects: [ScenarioDialect: [String: Int]]
  /// What may stand outside of a dialect's section: everybody's words.
  let all: [String: Int]

  public init(_ dialects: [ScenarioDialect: [String: Int]]) {
    self.dialects = dialects
    var all: [String: Int] = [:]
    for dialect in ScenarioDialect.allCases {
      all.merge(dialects[dialect] ?? [:]) { first, _ in first }
    }
    self.all = all
  }

  /// The words of one dialect's section.
  subscript(dialect: ScenarioDialect) -> [String: Int] { dialects[dialect] ?? [:] }
}
