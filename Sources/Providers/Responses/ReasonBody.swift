import FoundationEssentials

/// Finds the word for a failure in a JSON answer.
enum ReasonBody {
  /// A longer word is cut: it becomes a column and a row in a table.
  static let maximumCharacters = 200

  private struct Body: Decodable {
    var reason: String?
    var error: ErrorMember?
  }

  /// `error` is a word with many services and an object with others.
  private enum ErrorMember: Decodable {
    case word(String)
    case other

    init(from decoder: any Decoder) throws {
      if let word = try? decoder.singleValueContainer().decode(String.self) {
        self = .word(word)
      } else {
        self = .other
      }
    }
  }

  /// `reason` as APNs has it, else `error` when that is a string; empty when the body says neither.
  static func read(_ body: [UInt8]) -> String {
    guard body.first == 0x7B, let decoded = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
      return ""
    }
    if let reason = decoded.reason { return String(reason.prefix(maximumCharacters)) }
    if case .word(let word) = decoded.error { return String(word.prefix(maximumCharacters)) }
    return ""
  }
}
