import NIOCore
import NIOHPACK

/// An answer as a value; the connection adds what its HTTP version needs (`:status`, `content-length`).
public struct HTTPResponse: Sendable {
  public var status: Int
  /// Lower-case names, no pseudo-headers, no `content-length`.
  public var headers: HPACKHeaders
  /// Empty: no body.
  public var body: ByteBuffer

  public init(status: Int, headers: HPACKHeaders = HPACKHeaders(), body: ByteBuffer = ByteBuffer()) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer with a JSON text, which the caller has encoded.
  public init(status: Int, json: String, headers: HPACKHeaders = HPACKHeaders()) {
    var fields = headers
    fields.add(name: "content-type", value: "application/json")
    self.init(status: status, headers: fields, body: ByteBuffer(string: json))
  }
}
