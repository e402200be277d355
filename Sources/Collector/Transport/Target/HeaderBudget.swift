/// What a peer may send as headers in one answer, interim answers and trailers included: a peer without end is a failure
/// and not a reason to listen until the timeout.
struct HeaderBudget {
  static let maximumBytes = 64 * 1024
  static let maximumLines = 1000

  private var bytes = 0
  private var lines = 0

  /// - Returns: whether one more line of so many bytes is within the bounds.
  mutating func take(_ count: Int) -> Bool {
    bytes += count
    lines += 1
    return bytes <= Self.maximumBytes && lines <= Self.maximumLines
  }
}
