import Measurement
import NIOCore
import NIOHPACK

/// A request that has arrived completely.
public struct HTTPRequest: Sendable {
  public var method: String
  /// As it was sent, query included.
  public var path: String
  /// Lower-case names, without HTTP/2's pseudo-headers.
  public var headers: HPACKHeaders
  /// At most ``HTTPServerLimits/bodyBytes`` bytes.
  public var body: ByteBuffer
  public var version: HTTPVersion
  /// When its last byte had been read, on the clock that the server was given.
  public var arrivedAt: MonotonicTime

  public init(
    method: String, path: String, headers: HPACKHeaders, body: ByteBuffer, version: HTTPVersion,
    arrivedAt: MonotonicTime
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.version = version
    self.arrivedAt = arrivedAt
  }
}
