import CNghttp2
import Measurement
import Providers

/// A request as HTTP/2 has it: control data as pseudo-header fields (RFC 9113, section 8.3.1).
struct HTTP2Request: Sendable, Hashable {
  var method = "POST"
  var scheme = "https"
  /// Host and, where it is not the scheme's own, port.
  var authority: String
  /// Path and query.
  var path = "/"
  /// Names in lower case, without connection-specific fields.
  var headers: [HeaderField] = []
}

/// The fields of a request as libnghttp2 takes them, in memory that stays where it is: libnghttp2 copies none of it.
final class HTTP2RequestFields {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let fields: UnsafeMutableBufferPointer<nghttp2_nv>

  /// - Throws: ``HTTP2Session/SubmitError/invalidField(name:)`` where a field cannot go onto the wire.
  init(_ request: HTTP2Request) throws(HTTP2Session.SubmitError) {
    var all = [
      HeaderField(":method", request.method), HeaderField(":scheme", request.scheme),
      HeaderField(":authority", request.authority), HeaderField(":path", request.path),
    ]
    for field in all {
      guard !field.value.isEmpty, HeaderField("x", field.value).isSendable else {
        throw .invalidField(name: field.name)
      }
    }
    for field in request.headers {
      guard field.isSendable, !field.name.utf8.contains(where: { (0x41...0x5A).contains($0) }),
        !Self.connectionFields.contains(field.name)
      else { throw .invalidField(name: field.name) }
    }
    all += request.headers
    bytes = .allocate(capacity: all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
    fields = .allocate(capacity: all.count)
    var place = bytes.baseAddress
    /// Appends a text; the bytes are all there is room for.
    func append(_ text: String) -> UnsafeMutablePointer<UInt8>? {
      let start = place
      for byte in text.utf8 {
        place?.initialize(to: byte)
        place = place.map { $0 + 1 }
      }
      return start
    }
    let flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
    for (index, field) in all.enumerated() {
      fields.initializeElement(
        at: index,
        to: nghttp2_nv(
          name: append(field.name), value: append(field.value), namelen: field.name.utf8.count,
          valuelen: field.value.utf8.count, flags: flags))
    }
  }

  deinit {
    bytes.deallocate()
    fields.deallocate()
  }

  var first: UnsafePointer<nghttp2_nv>? { UnsafePointer(fields.baseAddress) }
  var count: Int { fields.count }

  /// RFC 9113, section 8.2.2.
  private static let connectionFields: Set<String> = [
    "connection", "host", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]
}
