import Analysis
import Configuration
import Measurement

/// A requirement that a recording meets, breaches, or leaves undecided.
public struct Gate: Sendable, Hashable {
  /// What has to hold.
  public enum Requirement: Sendable, Hashable {
    /// A share of at least so much, whose value of the metric is at most so many µs.
    case share(Double, within: Int64, of: SeriesShare.Base)
    /// This quantile of the metric is below so many µs.
    case quantile(Quantile, below: Int64)
  }

  /// What a share is of.
  public typealias Base = SeriesShare.Base

  /// `nil`: `delivery` of targets that expect receipts, else `accept`.
  public var metric: Metric?
  public var requirement: Requirement

  public init(_ metric: Metric?, _ requirement: Requirement) {
    self.metric = metric
    self.requirement = requirement
  }

  /// The metric that a target is judged by; `nil` where it can have no values of it.
  func metric(expectsReceipts: Bool) -> Metric? {
    guard let metric else { return expectsReceipts ? .delivery : .accept }
    return metric == .delivery && !expectsReceipts ? nil : metric
  }

  /// The gate as it can be written: `delivery.p99<250ms`, `delivery within 2s share 99%`.
  public func text(_ metric: Metric? = nil) -> String {
    let name = (metric ?? self.metric)?.rawValue
    switch requirement {
    case .quantile(let quantile, let limit):
      return "\(name ?? "?").\(quantile.label)<\(Self.duration(limit))"
    case .share(let share, let limit, let base):
      return (name.map { "\($0) " } ?? "") + "within \(Self.duration(limit)) share \(ShareText.format(share))"
        + (base == .planned ? "" : " over \(base.rawValue)")
    }
  }

  private static func duration(_ microseconds: Int64) -> String {
    DurationText.format(.microseconds(microseconds))
  }
}

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
  private static let example = "write it like delivery.p99<250ms or \"delivery within 2s share 99%\""
  /// Longer texts are no gates.
  private static let longestText = 200

  /// Parses `METRIC.pN<DURATION` or `[METRIC] within DURATION share PERCENT [over planned|accepted]`. Spaces around `<` are
  /// allowed.
  public init(parsing text: String) throws(GateSyntaxError) {
    var words = GateWords(text)
    guard text.count <= Self.longestText else {
      throw words.error("it is longer than \(Self.longestText) characters", Self.example)
    }
    guard !words.isAtEnd else { throw words.error("it is empty", Self.example) }
    if text.contains("<") || text.contains(where: Self.isComparison) && !text.contains("within") {
      self = try Self.quantile(&words)
    } else {
      self = try Self.share(&words)
    }
    words.skipSpaces()
    guard words.isAtEnd else { throw words.error("nothing can follow here", Self.example) }
  }

  private static func isComparison(_ character: Character) -> Bool { "<>=≤≥".contains(character) }

  private static func quantile(_ words: inout GateWords) throws(GateSyntaxError) -> Gate {
    let metric = try metric(words.take { $0 != "." && !isComparison($0) && $0 != " " }, words)
    guard words.skip(".") else { throw words.error("a point and a quantile are missing", example) }
    let label = words.take { !isComparison($0) && $0 != " " }
    let quantile = try words.value(label) { text throws(ValueTextError) in try QuantileText.parse(text) }
    words.skipSpaces()
    let isBelow = words.skip("<")
    guard !words.isNext(isComparison) else {
      throw words.error("a quantile is compared with \"<\" only", example)
    }
    guard isBelow else { throw words.error("\"<\" is missing", example) }
    words.skipSpaces()
    return Gate(metric, .quantile(quantile, below: try limit(&words)))
  }

  private static func share(_ words: inout GateWords) throws(GateSyntaxError) -> Gate {
    var metric: Metric?
    var word = words.word()
    if word.text != "within" {
      metric = try Self.metric(word, words)
      word = words.word()
    }
    guard word.text == "within" else {
      throw words.error("\"within\" and a duration are missing", example, at: word)
    }
    words.skipSpaces()
    let limit = try limit(&words)
    word = words.word()
    guard word.text == "share" else {
      throw words.error("\"share\" and a percentage are missing", example, at: word)
    }
    let share = try words.value(words.word()) { text throws(ValueTextError) in try ShareText.parse(text) }
    guard !words.isAtEnd else { return Gate(metric, .share(share, within: limit, of: .planned)) }
    word = words.word()
    guard word.text == "over" else {
      throw words.error("nothing but \"over\" can follow here", example, at: word)
    }
    word = words.word()
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
    throw words.error(
      said, "name one of " + known.dropLast().joined(separator: ", ") + " and \(known.last ?? "")", at: word)
  }

  private static func limit(_ words: inout GateWords) throws(GateSyntaxError) -> Int64 {
    let word = words.word()
    let duration = try words.value(word) { text throws(ValueTextError) in try DurationText.parse(text) }
    guard duration > .zero else {
      throw words.error("no value is below 0s", "give a longer time, like 250ms", at: word)
    }
    return duration.microseconds
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

  mutating func take(while isPart: (Character) -> Bool) -> Word {
    let start = next
    while next < characters.count, isPart(characters[next]) { next += 1 }
    return Word(text: String(characters[start..<next]), position: start + 1)
  }

  /// Takes the word up to the next space.
  mutating func word() -> Word {
    skipSpaces()
    return take { $0 != " " }
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
