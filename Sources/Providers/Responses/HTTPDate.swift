import Measurement

/// Dates in header lines (RFC 9110, section 5.6.7).
public enum HTTPDate {
  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may be sent.
  public static func parse(_ text: String) -> WallTime? {
    guard text.utf8.count <= 64 else { return nil }
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return WallTime(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
