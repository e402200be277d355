import FoundationEssentials

/// Finds the word for a failure in a JSON answer.
enum ReasonBody {
  /// A longer word is cut: it becomes a column and a row in a table. Counted in Unicode scalars, since a character may be
  /// made of any number of them.
  static let maximumScalars = 200

  /// What services call it. A member of another type is as good as none, and does not hide the others.
  private struct Body: Decodable {
    var reason: String?
    var error: String?

    enum Key: String, CodingKey { case reason, error }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      reason = try? container.decode(String.self, forKey: .reason)
      error = try? container.decode(String.self, forKey: .error)
    }
  }

  /// `reason` as APNs has it, else `error` when that is a string; empty when the body says neither.
  static func read(_ body: [UInt8]) -> String {
    guard isJSONObject(body), let decoded = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
      return ""
    }
    return bounded(decoded.reason ?? decoded.error ?? "")
  }

  /// Whether it begins like one: a cheap way past pages of HTML.
  static func isJSONObject(_ body: [UInt8]) -> Bool {
    body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x7B
  }

  static func bounded(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumScalars)))
  }
}
