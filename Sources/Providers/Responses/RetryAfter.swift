import Measurement

/// Reads how long a provider asks for silence (RFC 9110, section 10.2.3; RFC 6585, section 4).
public enum RetryAfter {
  /// What 429 asks for when it names no time.
  public static let unnamed = Duration.seconds(10)
  /// No answer may silence a target for longer: a header is outside data.
  public static let longest = Duration.seconds(3600)

  /// - Parameter unnamed: what 429 means when it names no time.
  /// - Returns: `nil` when the answer asks for no pause: neither 429 nor an error with a readable `Retry-After`.
  public static func pause(_ response: PushResponse, unnamed: Duration = RetryAfter.unnamed) -> Duration? {
    guard response.status >= 400 else { return nil }
    let named = response.headers["retry-after"].flatMap { read($0, at: response.receivedAt) }
    guard let pause = named ?? (response.status == 429 ? unnamed : nil) else { return nil }
    return min(max(pause, .zero), longest)
  }

  /// Seconds, or an HTTP date.
  private static func read(_ text: String, at now: WallTime) -> Duration? {
    guard text.utf8.count <= 64 else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than an Int64 holds are a long time too.
      return .seconds(min(Int64(text) ?? .max, longest.components.seconds))
    }
    guard let date = HTTPDate.parse(text) else { return nil }
    return .microseconds(min(date.microseconds - now.microseconds, longest.microseconds))
  }
}
