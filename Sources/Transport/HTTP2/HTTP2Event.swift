import CNghttp2
import Measurement

/// An error code of RST_STREAM and GOAWAY (RFC 9113, section 7).
struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  var rawValue: UInt32

  static let noError = HTTP2ErrorCode(rawValue: 0)
  static let internalError = HTTP2ErrorCode(rawValue: 2)
  static let refusedStream = HTTP2ErrorCode(rawValue: 7)
  static let cancel = HTTP2ErrorCode(rawValue: 8)
  static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// The name in the RFC, or the number.
  var description: String {
    Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "error code \(rawValue)"
  }
}

/// What a peer states about itself in SETTINGS (RFC 9113, section 6.5.2), as in force after the frame.
struct HTTP2PeerSettings: Sendable, Hashable {
  /// Streams that the peer lets us have open at a time; 100 until its SETTINGS arrive, as libnghttp2 assumes.
  var maximumConcurrentStreams = 100
}

extension HTTP2PeerSettings {
  /// What is in force for libnghttp2's session, where the peer has sent SETTINGS.
  init(of session: OpaquePointer?) {
    // A peer that does not state a limit on streams in its first SETTINGS has none.
    let streams = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    self.init(maximumConcurrentStreams: min(Int(streams), Int(Int32.max)))
  }
}

/// GOAWAY (RFC 9113, section 6.8): the peer takes no new streams.
struct HTTP2Goaway: Sendable, Hashable {
  /// Streams above this one were not processed.
  var lastStream: Int32
  var code: HTTP2ErrorCode
  /// The peer's debug data, hostile text, at most ``maximumDebugBytes``.
  var debug: [UInt8]

  static let maximumDebugBytes = 1024

  /// The detail of the event.
  func words(unanswered count: Int) -> String {
    let text = EscapedText.make(String(decoding: debug, as: UTF8.self))
    let last = lastStream == Int32.max ? "" : "last stream \(lastStream), "
    return "error \(code.rawValue), \(last)\(count) unanswered" + (text.isEmpty ? "" : ": \(text)")
  }
}

/// A complete response.
struct HTTP2Response: Sendable, Hashable {
  var status: Int
  /// Header lines of the final response as `name: value`, CR LF: the form of ``ResponseHeaders``.
  var headerLines: [UInt8]
  var body: [UInt8]
}

/// How a stream ended.
enum HTTP2StreamEnd: Sendable, Hashable {
  case completed(HTTP2Response)
  /// RST_STREAM of the peer.
  case reset(HTTP2ErrorCode)
  /// The stream is above the last one that the peer's GOAWAY names.
  case aboveGoaway
  /// ``HTTP2Session/cancel(_:)``.
  case cancelled
  /// The response was larger than ``HTTP2Limits`` allow; the stream was reset.
  case exceeded(HTTP2Limits.Kind)
  /// The response broke the rules of HTTP; the stream was reset. The text is libnghttp2's.
  case malformed(String)
  /// Nothing of the request was written: the session could not open the stream. The text is libnghttp2's.
  case unsent(String)

  /// Whether it is certain that the peer did nothing with the request (RFC 9113, section 8.7).
  var isUnprocessed: Bool {
    switch self {
    case .reset(.refusedStream), .aboveGoaway, .unsent: true
    default: false
    }
  }

  /// Whether the peer's header block was larger than ``HTTP2Limits`` allow.
  var isHeaderExcess: Bool {
    switch self {
    case .exceeded(.headerBytes), .exceeded(.headerFields): true
    default: false
    }
  }
}

/// What a session has to tell, in the order in which it came about.
enum HTTP2Event: Sendable, Hashable {
  /// The last byte of a request is at this offset of all bytes that the session has written.
  case requestWritten(stream: Int32, offset: Int)
  /// The final response's HEADERS are complete: the end of the service time. Interim responses (1xx) are not told.
  case responded(stream: Int32, status: Int)
  case ended(stream: Int32, HTTP2StreamEnd)
  case settings(HTTP2PeerSettings)
  case goaway(HTTP2Goaway)
  /// The last byte of a PING with these 8 bytes is at this offset of all bytes that the session has written.
  case pingWritten(UInt64, offset: Int)
  /// The answer to ``HTTP2Session/ping(_:)``.
  case pong(UInt64)
}

/// Why a session cannot go on. Every stream that is still open ended with it.
struct HTTP2SessionFailure: Error, Hashable, CustomStringConvertible {
  enum Code: Sendable, Hashable {
    /// The peer broke HTTP/2's rules; ours is the GOAWAY.
    case protocolError
    /// The peer sent more frames of a kind than ``HTTP2Limits`` allow.
    case exceeded(HTTP2Limits.Kind)
    /// libnghttp2 found no memory.
    case outOfMemory
  }

  var code: Code
  /// The detail as text for people, in our or libnghttp2's words.
  var detail: String

  var description: String { detail }
}
