/// What happens to connections as such.
public struct ConnectionBehavior: Sendable, Hashable {
  /// The share that is accepted, TLS included, and cut before anything is said on it.
  public var dropped: Double

  public init(dropped: Double = 0) {
    self.dropped = dropped
  }
}
