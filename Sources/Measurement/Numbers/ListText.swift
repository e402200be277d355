/// Lists of names in a sentence. Names are joined as they are: the caller escapes them.
public enum ListText {
  /// `ios`, `ios and web`, `ios, android and web`; empty without names.
  public static func and(_ names: [String]) -> String { joined(names, "and") }

  /// `5 or 10`, `a, b or c`.
  public static func or(_ names: [String]) -> String { joined(names, "or") }

  /// `ios, android and web`; `7 targets` where there are more than four.
  ///
  /// - Parameter kind: what they are names of, in the singular.
  public static func namesOrCount(_ names: [String], of kind: String) -> String {
    names.count > mostNames ? CountText.text(names.count, kind) : and(names)
  }

  private static let mostNames = 4

  /// The first few of many: `ios, android and 5 more`.
  public static func first(_ most: Int, of names: [String], separator: String = ", ") -> String {
    names.prefix(most).joined(separator: separator)
      + (names.count > most ? " and \(CountText.grouped(names.count - most)) more" : "")
  }

  private static func joined(_ names: [String], _ conjunction: String) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

extension String {
  /// The text with a small first letter, to go on in a sentence.
  public var loweredFirst: String { prefix(1).lowercased() + dropFirst() }

  /// The text with a capital first letter, to begin a sentence.
  public var raisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
