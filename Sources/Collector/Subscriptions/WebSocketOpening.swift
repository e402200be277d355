import Cryptography
import FoundationEssentials
import HTTPClient
import Measurement

/// The opening handshake of a WebSocket's client (RFC 6455, section 4.1): a request over HTTP/1.1, and its answer, within bounds.
struct WebSocketOpening {
  /// Why no WebSocket was opened.
  struct Failure: Error, Sendable, Equatable {
    var reason: String
    /// The answer, where it is one.
    var status: Int?
    var headers = ResponseHeaders()
  }

  private let key: String
  private let protocols: [String]
  private var answer = CurlAnswer(bodyLimit: 0)
  private var line: [UInt8] = []

  /// - Parameters:
  ///   - nonce: 16 random bytes.
  ///   - protocols: subprotocols that are offered.
  init(nonce: [UInt8], protocols: [String] = []) {
    key = Data(nonce).base64EncodedString()
    self.protocols = protocols
  }

  /// - Parameters:
  ///   - authority: host and port.
  ///   - target: path and query.
  func request(authority: String, target: String, userAgent: String) -> [UInt8] {
    var lines = [
      "GET \(target.isEmpty ? "/" : target) HTTP/1.1", "Host: \(authority)", "Upgrade: websocket",
      "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
      "User-Agent: \(userAgent)",
    ]
    if !protocols.isEmpty { lines.append("Sec-WebSocket-Protocol: \(protocols.joined(separator: ", "))") }
    return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
  }

  /// Receives bytes of the answer.
  /// - Returns: the bytes behind the answer once the WebSocket is open; `nil` while the answer is not complete.
  mutating func receive(_ bytes: some Collection<UInt8>) throws(Failure) -> [UInt8]? {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      line += rest[...end]
      rest = rest[rest.index(after: end)...]
      guard line.withUnsafeBytes({ answer.receive(headerLine: $0) }) else {
        throw Failure(reason: "the answer is too large")
      }
      let isEnd = line == [0x0A] || line == [0x0D, 0x0A]
      line.removeAll(keepingCapacity: true)
      if isEnd {
        try check()
        return Array(rest)
      }
    }
    line += rest
    guard line.count <= ResponseHeaders.maximumBytes else { throw Failure(reason: "the answer is too large") }
    return nil
  }

  private func check() throws(Failure) {
    let headers = ResponseHeaders(lines: answer.headerLines)
    guard answer.status == 101 else {
      guard answer.status > 0 else { throw Failure(reason: "the answer is not HTTP") }
      throw Failure(
        reason: "the server answers \(answer.status) in place of opening a WebSocket", status: answer.status,
        headers: headers)
    }
    func has(_ token: String, in name: String) -> Bool {
      (headers[name] ?? "").lowercased().split(separator: ",").contains {
        $0.filter { $0 != " " && $0 != "\t" } == token
      }
    }
    let selected = headers["sec-websocket-protocol"]
    guard has("websocket", in: "upgrade"), has("upgrade", in: "connection"),
      headers["sec-websocket-accept"] == accepted, (headers["sec-websocket-extensions"] ?? "").isEmpty,
      selected.map(protocols.contains) ?? true
    else { throw Failure(reason: "the server's answer 101 opens no WebSocket that was asked for") }
  }

  /// What a server that has understood the request answers.
  private var accepted: String {
    Data(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))).base64EncodedString()
  }
}
