import Measurement
import NIOCore
import NIOHPACK

/// A complete request.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Path and query.
  public var path: String
  /// Lower-case names, without pseudo-headers.
  public var headers: HPACKHeaders
  /// At most ``HTTPServerLimits/bodyBytes`` bytes.
  public var body: ByteBuffer
  public var version: HTTPVersion
  /// When its last byte was read, on the server's clock.
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

/// A response; the connection adds what its HTTP version requires (`:status`, `content-length`).
public struct HTTPResponse: Sendable {
  public var status: Int
  /// Lower-case names, without pseudo-headers and `content-length`.
  public var headers: HPACKHeaders
  /// Empty for none.
  public var body: ByteBuffer

  public init(status: Int, headers: HPACKHeaders = HPACKHeaders(), body: ByteBuffer = ByteBuffer()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A response with a JSON text.
  public init(status: Int, json: String, headers: HPACKHeaders = HPACKHeaders()) {
    var fields = headers
    fields.add(name: "content-type", value: "application/json")
    self.init(status: status, headers: fields, body: ByteBuffer(string: json))
  }
}
