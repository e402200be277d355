/// The pauses between attempts that fail, and whether any has failed since the last success.
public struct Backoff: Sendable {
  private let first: Duration
  private let longest: Duration
  /// Whether the last attempt has failed.
  public private(set) var isFailing = false
  /// The pause before the next attempt; zero after a success.
  public private(set) var pause = Duration.zero

  /// - Parameters:
  ///   - first: the pause after the first failure.
  ///   - longest: the pause is doubled with each further failure, up to this.
  public init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// An attempt has failed.
  /// - Returns: whether it is the first failure since a success.
  @discardableResult
  public mutating func failed() -> Bool {
    defer { isFailing = true }
    pause = isFailing ? min(pause * 2, longest) : first
    return !isFailing
  }

  /// An attempt has succeeded.
  /// - Returns: whether failures came before it.
  @discardableResult
  public mutating func succeeded() -> Bool {
    defer { (isFailing, pause) = (false, .zero) }
    return isFailing
  }
}
