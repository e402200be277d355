/// Fills a JSON object up to an exact size: with a member that devices ignore, or, where there is no room for one, with
/// blanks, which JSON allows between its parts.
enum PayloadPadding {
  /// The member's name.
  static let name = "padding"
  private static let overhead = ",\"\(name)\":\"\"".utf8.count

  /// What to write before an object's closing brace, so that it grows by `bytes`; the object must have a member already.
  static func text(bytes: Int) -> String {
    guard bytes > 0 else { return "" }
    guard bytes >= overhead else { return String(repeating: " ", count: bytes) }
    return ",\"\(name)\":\"" + String(repeating: "x", count: bytes - overhead) + "\""
  }
}
