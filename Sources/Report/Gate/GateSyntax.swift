import Analysis
import Configuration
import Measurement

/// Why a text is no gate: what is wrong at which character.
public struct GateSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The gate as it was given.
  public let text: String
  /// The position of the first wrong character; the first character of the gate has 1.
  public let position: Int
  public let problem: String
  public let remedy: String

  public var description: String {
    "the gate \"\(EscapedText.make(text))\" at character \(position): \(problem); \(remedy)"
  }
}

extension Gate {
  private static let example = "write it like delivery.p99<250ms, lost<1% or \"delivery within 2s share 99%\""
  private static let inTime = "in_time"
  private static let inTimeExample = "write it like \(inTime)(2s)>99%"
  /// The shares that a gate can ask for.
  private static let shares = SeriesMetric.allCases.filter(\.isShare)
  /// Longer texts are no gates.
  private static let longestText = 200

  /// Parses `METRIC.pN<DURATION`, `lost<PERCENT` and the like, `in_time(DURATION)>PERCENT`, or
  /// `[METRIC] within DURATION share PERCENT [over planned|accepted]`. Spaces around `<` and `>` are allowed.
  ///
  /// `in_time(2s)>99%` is the same gate as `within 2s share 99%`.
  public init(parsing text: String) throws(GateSyntaxError) {
    var words = GateWords(text)
    guard text.count <= Self.longestText else {
      throw words.error("it is longer than \(Self.longestText) characters", Self.example)
    }
    guard !words.isAtEnd else { throw words.error("it is empty", Self.example) }
    let name = words.peek { $0.isLetter || $0 == "_" }
    if name == Self.inTime {
      self = try Self.inTime(&words)
    } else if let share = Self.shares.first(where: { $0.rawValue == name }) {
      self = try Self.watched(share, &words)
    } else if text.contains("<") || text.contains(where: Self.isComparison) && !text.contains("within") {
      self = try Self.quantile(&words)
    } else {
      self = try Self.share(&words)
    }
    words.skipSpaces()
    guard words.isAtEnd else { throw words.error("nothing can follow here", Self.example) }
  }

  private static func isComparison(_ character: Character) -> Bool { "<>=≤≥".contains(character) }

  private static func quantile(_ words: inout GateWords) throws(GateSyntaxError) -> Gate {
    let metric = try metric(words.readWord { $0 != "." && !isComparison($0) && $0 != " " }, words)
    guard words.skip(".") else { throw words.error("a point and a quantile are missing", example) }
    let label = words.readWord { !isComparison($0) && $0 != " " }
    let quantile = try words.value(label) { text throws(ValueTextError) in try QuantileText.parse(text) }
    try compare("<", "a quantile", &words, example)
    return Gate(metric, .quantile(quantile, below: try limit(&words)))
  }

  private static func watched(
    _ share: SeriesMetric, _ words: inout GateWords
  ) throws(GateSyntaxError) -> Gate {
    let example = "write it like \(share.rawValue)<1%"
    _ = words.readWord { $0.isLetter || $0 == "_" }
    try compare("<", "the share \(share.rawValue)", &words, example)
    return Gate(nil, .watched(share, below: try percentage(&words)))
  }

  private static func inTime(_ words: inout GateWords) throws(GateSyntaxError) -> Gate {
    _ = words.readWord { $0.isLetter || $0 == "_" }
    guard words.skip("(") else {
      throw words.error("a duration in parentheses is missing", inTimeExample)
    }
    words.skipSpaces()
    let limit = try limit(words.readWord { $0 != ")" && $0 != " " && !isComparison($0) }, words)
    words.skipSpaces()
    guard words.skip(")") else { throw words.error("\")\" is missing", inTimeExample) }
    try compare(">", "the share in time", &words, inTimeExample)
    return Gate(nil, .share(try percentage(&words), within: limit, of: .planned))
  }

  /// Parses the sign of a comparison and the spaces around it.
  private static func compare(
    _ sign: Character, _ left: String, _ words: inout GateWords, _ remedy: String
  ) throws(GateSyntaxError) {
    words.skipSpaces()
    let isThere = words.skip(sign)
    guard !words.isNext(isComparison) else {
      throw words.error("\(left) is compared with \"\(sign)\" only", remedy)
    }
    guard isThere else { throw words.error("\"\(sign)\" is missing", remedy) }
    words.skipSpaces()
  }

  private static func share(_ words: inout GateWords) throws(GateSyntaxError) -> Gate {
    var metric: Metric?
    var word = words.readWord()
    if word.text != "within" {
      metric = try Self.metric(word, words)
      word = words.readWord()
    }
    guard word.text == "within" else {
      throw words.error("\"within\" and a duration are missing", example, at: word)
    }
    words.skipSpaces()
    let limit = try limit(&words)
    word = words.readWord()
    guard word.text == "share" else {
      throw words.error("\"share\" and a percentage are missing", example, at: word)
    }
    let share = try percentage(&words)
    guard !words.isAtEnd else { return Gate(metric, .share(share, within: limit, of: .planned)) }
    word = words.readWord()
    guard word.text == "over" else {
      throw words.error("nothing but \"over\" can follow here", example, at: word)
    }
    word = words.readWord()
    guard let base = SeriesShare.Base(rawValue: word.text) else {
      throw words.error("the share can be over planned or accepted", "write one of these", at: word)
    }
    return Gate(metric, .share(share, within: limit, of: base))
  }

  private static func metric(
    _ word: GateWords.Word, _ words: GateWords
  ) throws(GateSyntaxError) -> Metric {
    if let metric = Metric(rawValue: word.text) { return metric }
    let known = Metric.allCases.map(\.rawValue)
    let said =
      word.text.isEmpty ? "a metric is missing" : "there is no metric \"\(EscapedText.make(word.text))\""
    let others = shares.map { "\($0.rawValue)<1%" } + ["\(inTime)(2s)>99%"]
    throw words.error(
      said, "name one of \(ListText.and(known)), or write \(ListText.or(others))", at: word)
  }

  private static func percentage(_ words: inout GateWords) throws(GateSyntaxError) -> Double {
    try words.value(words.readWord()) { text throws(ValueTextError) in try ShareText.parse(text) }
  }

  private static func limit(_ words: inout GateWords) throws(GateSyntaxError) -> Duration {
    let word = words.readWord()
    return try limit(word, words)
  }

  private static func limit(_ word: GateWords.Word, _ words: GateWords) throws(GateSyntaxError) -> Duration {
    let duration = try words.value(word) { text throws(ValueTextError) in try DurationText.parse(text) }
    guard duration.microseconds > 0 else {
      throw words.error("a limit is at least 1 µs", "give a longer time, like 250ms", at: word)
    }
    return duration
  }
}

/// A gate's text while it is read, with the place of what was read.
private struct GateWords {
  struct Word {
    var text: String
    /// The position of its first character; the first character of the gate has 1.
    var position: Int
  }

  private let text: String
  private let characters: [Character]
  private var next = 0

  init(_ text: String) {
    self.text = text
    characters = Array(text)
    skipSpaces()
  }

  var isAtEnd: Bool { characters[next...].allSatisfy { $0 == " " } }

  mutating func skipSpaces() {
    while next < characters.count, characters[next] == " " { next += 1 }
  }

  mutating func skip(_ character: Character) -> Bool {
    guard next < characters.count, characters[next] == character else { return false }
    next += 1
    return true
  }

  func isNext(_ isWanted: (Character) -> Bool) -> Bool {
    next < characters.count && isWanted(characters[next])
  }

  mutating func readWord(while isPart: (Character) -> Bool) -> Word {
    let start = next
    while next < characters.count, isPart(characters[next]) { next += 1 }
    return Word(text: String(characters[start..<next]), position: start + 1)
  }

  /// What ``readWord(while:)`` would return.
  func peek(while isPart: (Character) -> Bool) -> String { String(characters[next...].prefix(while: isPart)) }

  /// Reads the word up to the next space, after spaces.
  mutating func readWord() -> Word {
    skipSpaces()
    return readWord { $0 != " " }
  }

  func value<Value>(
    _ word: Word, _ parse: (String) throws(ValueTextError) -> Value
  ) throws(GateSyntaxError) -> Value {
    do throws(ValueTextError) {
      return try parse(word.text)
    } catch {
      throw GateSyntaxError(
        text: text, position: word.position,
        problem: word.text.isEmpty ? "a value is missing" : error.message,
        remedy: error.remedy)
    }
  }

  /// - Parameter word: what is wrong; otherwise the next character is.
  func error(_ problem: String, _ remedy: String, at word: Word? = nil) -> GateSyntaxError {
    GateSyntaxError(
      text: text, position: word?.position ?? min(next, characters.count) + 1, problem: problem,
      remedy: remedy)
  }
}
