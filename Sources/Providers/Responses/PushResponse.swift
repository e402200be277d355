import Measurement

/// A provider's answer, with bounds on what of it is kept.
public struct PushResponse: Sendable, Hashable {
  public var status: Int
  public var headers: ResponseHeaders
  /// At most ``maximumBodyBytes``.
  public var body: [UInt8]
  public var httpVersion: HTTPVersion
  /// When it came: what a date in `Retry-After` is compared with.
  public var receivedAt: WallTime

  /// A longer answer is a failure of the peer.
  public static let maximumBodyBytes = 64 * 1024

  public init(
    status: Int, headers: ResponseHeaders = ResponseHeaders(), body: [UInt8] = [],
    httpVersion: HTTPVersion = .http2, receivedAt: WallTime
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.httpVersion = httpVersion
    self.receivedAt = receivedAt
  }
}
