import Measurement

/// A provider's response, of limited size.
public struct PushResponse: Sendable, Hashable {
  public var status: Int
  public var headers: ResponseHeaders
  /// The body, cut after ``maximumBodyBytes``.
  public var body: [UInt8]
  /// Time of the response, the base of a date in `Retry-After`.
  public var receivedAt: WallTime

  /// A longer response is a failure of the peer.
  public static let maximumBodyBytes = 64 * 1024

  public init(
    status: Int, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [],
    receivedAt: WallTime
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.receivedAt = receivedAt
  }
}

/// Reads the delay that a provider asks for (RFC 9110, section 10.2.3; RFC 6585, section 4).
public enum RetryAfter {
  /// Delay of a 429 without `Retry-After`.
  public static let unnamed = Duration.seconds(10)
  /// Maximum delay, since the header is untrusted: a day.
  public static let longest = Duration.seconds(86_400)

  /// - Parameter unnamed: delay of a 429 without `Retry-After`.
  /// - Returns: `nil` without a delay: neither 429 nor an error with a valid `Retry-After`.
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
      // A number beyond Int64 means the maximum.
      return .seconds(min(Int64(text) ?? .max, longest.components.seconds))
    }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    return min(date - now, longest)
  }
}
