/// A word of a closed list as a row has it. Text that a version with another list wrote stays what it is: it is shown, stored and
/// forwarded unchanged, and equals none of the list's words.
public enum Stored<Word: RawRepresentable<String> & Hashable & Sendable>: Sendable, Hashable, Codable {
  case known(Word)
  case other(String)

  public init(_ word: Word) { self = .known(word) }

  /// The word; `nil` of text that is not on this version's list.
  public var word: Word? {
    if case .known(let word) = self { word } else { nil }
  }
}

extension Stored: RawRepresentable, CustomStringConvertible {
  public init(rawValue: String) { self = Word(rawValue: rawValue).map(Stored.known) ?? .other(rawValue) }

  public var rawValue: String {
    switch self {
    case .known(let word): word.rawValue
    case .other(let text): text
    }
  }

  public var description: String { rawValue }
}

extension Stored<SeriesMetric> {
  /// The name in tables and sentences.
  public var title: String { word?.title ?? rawValue }
}

extension Stored<Leg> {
  /// The name in tables and sentences.
  public var title: String { word?.title ?? rawValue.replacing("_", with: " ") }
}
