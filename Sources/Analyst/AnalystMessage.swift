import FoundationEssentials
import Logging
import Measurement
import Store
import Threads

/// What the collector sends to its analyst.
enum CollectorMessage: Sendable, Codable {
  /// The first one.
  case begin(AnalystStart)
  case news(AnalystNews)
  case reply(AnalystReply)
  /// Look once more, and end.
  case finish
}

/// What an analyst has to know before it begins.
struct AnalystStart: Sendable, Codable {
  /// The version of this exchange; both ends are the same binary, unless something is very wrong.
  var version = Self.currentVersion
  var storePath: String
  var collectorID: UUID
  var revisionAtStart: Int64
  var settings: AnalystSettings
  var switchedOff: Set<CollectorPart>
  /// What is known already, to be taken before the parts start: what is judged first belongs to the run, too.
  var news: [AnalystNews] = []

  static let currentVersion = 1
}

/// What an analyst sends to its collector.
enum AnalystMessage: Sendable, Codable {
  /// Answered by a ``CollectorMessage/reply(_:)``; one at a time.
  case request(AnalystRequest)
  case openFindings([OpenFindings])
  case line(level: Logger.Level, text: String)
}

/// Messages as bytes: a length of four bytes, little-endian, and JSON.
enum MessageFrame {
  /// The most that a message may have.
  static let maximumBytes = 8 << 20

  /// - Throws: what the encoder throws; ``MessageError`` when it is too large.
  static func encode(_ message: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    // Text of base 64 is full of slashes.
    encoder.outputFormatting = .withoutEscapingSlashes
    // Statistics of what has no comparison may be infinite.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let data = try encoder.encode(message)
    guard data.count <= maximumBytes else { throw MessageError.tooLarge(bytes: data.count) }
    let length = UInt32(data.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [UInt8](data)
  }

  static func decode<Message: Decodable>(_ bytes: ArraySlice<UInt8>) throws -> Message {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(Message.self, from: Data(bytes))
  }
}

/// A message that cannot be passed on.
enum MessageError: Error, Equatable, CustomStringConvertible {
  case tooLarge(bytes: Int)

  var description: String {
    switch self {
    case .tooLarge(let bytes):
      "a message between collector and analyst has \(bytes) bytes, more than \(MessageFrame.maximumBytes)"
    }
  }
}

/// Puts messages together from the bytes of a pipe.
struct MessageBuffer {
  private var bytes: [UInt8] = []

  mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next whole message; `nil` while there is none.
  /// - Throws: ``MessageError`` or what the decoder throws.
  mutating func next<Message: Decodable>(_: Message.Type) throws -> Message? {
    guard bytes.count >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
    guard length <= MessageFrame.maximumBytes else { throw MessageError.tooLarge(bytes: length) }
    guard bytes.count >= 4 + length else { return nil }
    defer { bytes.removeSubrange(..<(4 + length)) }
    return try MessageFrame.decode(bytes[4..<(4 + length)])
  }
}

/// What an analyst says of its work on a pipe of its own, a line each: short enough to be written at once from any thread, also
/// by one that crashes.
enum ProgressLine: Equatable {
  /// The process as a whole is alive.
  case beat
  case step(CollectorPart, WorkProgress.Step)
  /// The part's thread is about to end the process.
  case died(CollectorPart, unit: String)

  private static let longestUnit = 160

  var text: String {
    switch self {
    case .beat: "beat\n"
    case .step(let part, .began(let unit)): "began \(part.rawValue) \(Self.bounded(unit))\n"
    case .step(let part, .goesOn): "on \(part.rawValue)\n"
    case .step(let part, .rests): "rests \(part.rawValue)\n"
    case .died(let part, let unit): "died \(part.rawValue) \(Self.bounded(unit))\n"
    }
  }

  /// - Parameter line: without its line break.
  init?(_ line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    if line == "beat" {
      self = .beat
      return
    }
    guard words.count >= 2, let part = CollectorPart(rawValue: String(words[1])) else { return nil }
    let unit = words.count == 3 ? String(words[2]) : ""
    switch words[0] {
    case "began": self = .step(part, .began(unit))
    case "on": self = .step(part, .goesOn)
    case "rests": self = .step(part, .rests)
    case "died": self = .died(part, unit: unit)
    default: return nil
    }
  }

  private static func bounded(_ unit: String) -> String {
    var text = EscapedText.make(unit)
    while text.utf8.count > longestUnit { text.removeLast() }
    return text
  }
}
