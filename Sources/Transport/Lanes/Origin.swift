import CCurl
import FoundationEssentials
import Measurement
import Providers

/// Where a request goes: requests with the same origin can share a connection.
struct Origin: Sendable, Hashable {
  var isEncrypted: Bool
  var host: String
  var port: Int
}

/// A URL as libcurl reads it, taken apart for HTTP/2's control data (RFC 9113, section 8.3.1).
struct RequestURL: Sendable, Hashable {
  let text: String
  let origin: Origin
  /// Host and, where it is not the scheme's own, port.
  let authority: String
  /// Path and query.
  let path: String
  /// The value of `authorization` where the URL has a user.
  let authorization: String?

  /// - Returns: `nil` where libcurl cannot read the URL.
  init?(_ text: String) {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
      let scheme = Self.part(CURLUPART_SCHEME, of: url), let host = Self.part(CURLUPART_HOST, of: url),
      let port = Self.part(CURLUPART_PORT, of: url, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) })
    else { return nil }
    self.text = text
    origin = Origin(isEncrypted: scheme == "https", host: host, port: port)
    authority = port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    let query = Self.part(CURLUPART_QUERY, of: url).map { "?" + $0 } ?? ""
    path = (Self.part(CURLUPART_PATH, of: url) ?? "/") + query
    authorization = Self.part(CURLUPART_USER, of: url, flags: CURLU_URLDECODE).map { user in
      let password = Self.part(CURLUPART_PASSWORD, of: url, flags: CURLU_URLDECODE) ?? ""
      return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer, flags: Int32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

extension HTTP2Request {
  /// The request with the header lines that libcurl would add to it, and without those that HTTP/2 forbids (RFC 9113,
  /// section 8.2.2).
  init(_ request: PushRequest, to url: RequestURL) {
    self.init(
      method: request.method, scheme: url.origin.isEncrypted ? "https" : "http", authority: url.authority,
      path: url.path)
    func adds(_ name: String, _ value: String) {
      if !request.headers.contains(where: { $0.name == name }) { headers.append(HeaderField(name, value)) }
    }
    adds("user-agent", "pushscope")
    adds("accept", "*/*")
    if let authorization = url.authorization { adds("authorization", authorization) }
    for header in request.headers {
      switch header.name {
      case "host": authority = header.value
      case "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade": break
      default: headers.append(header)
      }
    }
    adds("content-length", "\(request.body.count)")
  }
}

/// A request's fields as HTTP/2 has them, beside what they were made from. An object, so that looking at it copies nothing.
final class ConvertedRequest {
  let fields: HTTP2RequestFields
  private let url: String
  private let method: String
  private let headers: [HeaderField]
  private let bodyBytes: Int

  /// - Throws: ``HTTP2Session/SubmitError/invalidField(name:)`` where a field cannot go onto the wire.
  init(_ request: PushRequest, to url: RequestURL) throws(HTTP2Session.SubmitError) {
    fields = try HTTP2RequestFields(HTTP2Request(request, to: url))
    self.url = url.text
    method = request.method
    headers = request.headers
    bodyBytes = request.body.count
  }

  /// Whether another request differs in its body's content at the most. Shared storage is not looked through.
  func fits(_ request: PushRequest, to url: RequestURL) -> Bool {
    headers == request.headers && self.url == url.text && method == request.method
      && bodyBytes == request.body.count
  }
}

/// Converts requests of one connection. Those of a target hardly differ but in their bodies.
struct RequestConverter {
  /// The request that was converted last.
  private var last: ConvertedRequest?

  mutating func fields(
    of request: PushRequest, to url: RequestURL
  ) throws(HTTP2Session.SubmitError) -> HTTP2RequestFields {
    if let last, last.fits(request, to: url) { return last.fields }
    let converted = try ConvertedRequest(request, to: url)
    last = converted
    return converted.fields
  }
}
