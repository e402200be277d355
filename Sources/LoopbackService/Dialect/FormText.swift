import Foundation

/// `application/x-www-form-urlencoded`, as in bodies and queries.
enum FormText {
  /// The first value of each name; what cannot be decoded is left out.
  static func decode(_ text: some StringProtocol) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&").prefix(64) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = plain(parts[0]), let value = plain(parts.count > 1 ? parts[1] : "") else { continue }
      if fields[name] == nil { fields[name] = value }
    }
    return fields
  }

  private static func plain(_ text: some StringProtocol) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }
}
