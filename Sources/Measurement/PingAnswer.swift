/// The answer to an HTTP/2 PING (RFC 9113, section 6.7): a row of the `path` table. Its round trip is that of the network and
/// of whoever ends the connection, such as a provider's front end; no notification is involved.
public struct PingAnswer: Sendable, Hashable {
  public var target: TargetID
  public var connectionID: Int64
  /// When the answer arrived.
  public var at: WallTime
  /// µs.
  public var roundTrip: Int64

  public init(target: TargetID, connectionID: Int64, at: WallTime, roundTrip: Int64) {
    self.target = target
    self.connectionID = connectionID
    self.at = at
    self.roundTrip = roundTrip
  }
}
