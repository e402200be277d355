import CCurl
import Measurement
import Providers

/// How far opening a connection has come.
enum ConnectionStage: Sendable, Equatable {
  case resolving
  case connecting
  case handshaking
  /// The connection stood and the request was put on it.
  case sent

  /// The word for not having come farther.
  var reason: FailureReason {
    switch self {
    case .resolving: .dns
    case .connecting: .connect
    case .handshaking: .tls
    case .sent: .timeout
    }
  }
}

/// What a connection's socket looks like.
enum SocketState: Sendable, Equatable {
  case unknown
  case established
  /// The peer has sent its FIN.
  case closing
  /// The peer has reset it.
  case reset
}

/// Why a request got no answer.
struct RequestFailure: Sendable, Equatable {
  var reason: FailureReason
  /// The detail of the event, as text for people.
  var detail: String
  /// Whether it is certain that the peer did nothing with it (RFC 9113, section 8.7).
  var isUnprocessed = false
  /// Whether it ended because its connection did, not by itself.
  var isLossOfConnection = false

  static let tooLarge = RequestFailure(
    reason: .protocol,
    detail: "the answer is larger than \(PushResponse.maximumBodyBytes) bytes, or its headers are without end"
  )
  static let givenUp = RequestFailure(
    reason: .timeout, detail: "nothing came on the connection for the target's timeout; it was given up",
    isLossOfConnection: true)

  static func timeout(after timeout: Duration) -> RequestFailure {
    RequestFailure(reason: .timeout, detail: "no answer within \(LengthText.text(timeout))")
  }
}

extension RequestFailure {
  /// How an HTTP/2 stream ended without an answer; `nil` for one that was answered.
  /// - Parameter sawGoaway: whether the peer had sent GOAWAY.
  init?(_ end: HTTP2StreamEnd, sawGoaway: Bool) {
    switch end {
    case .completed: return nil
    case .reset(let code):
      let isRefused = end.isUnprocessed
      self.init(
        reason: sawGoaway ? .goaway : isRefused ? .refusedStream : .reset,
        detail: isRefused ? "the peer refused the stream" : "the peer reset the stream: \(code)",
        isUnprocessed: isRefused)
    case .aboveGoaway:
      self.init(
        reason: .goaway, detail: "the peer's GOAWAY says that it was not processed", isUnprocessed: true)
    case .cancelled: self.init(reason: .timeout, detail: "the stream was cancelled")
    case .exceeded: self = .tooLarge
    case .malformed(let text): self.init(reason: .protocol, detail: text)
    case .unsent(let text):
      self.init(reason: sawGoaway ? .goaway : .refusedStream, detail: text, isUnprocessed: true)
    }
  }

  /// What becomes of the requests on a connection that can be used no longer.
  /// - Parameters:
  ///   - message: libcurl's text, empty when it gave none.
  ///   - alert: what the peer ended TLS with, where that is known otherwise than from the text.
  init(lossOf socket: SocketState, message: String, alert: TLSAlert? = nil, sawGoaway: Bool = false) {
    let isReset = socket == .reset || message.contains("reset by peer") || message.contains("Broken pipe")
    let alert = alert ?? TLSAlert(in: message)
    reason = sawGoaway ? .goaway : alert != nil ? .tls : isReset ? .reset : .closed
    isLossOfConnection = true
    detail =
      if let alert {
        alert.words
      } else if !message.isEmpty {
        message
      } else if sawGoaway {
        "the connection is going away"
      } else {
        isReset ? "the peer reset the connection" : "the peer closed the connection"
      }
  }

  /// The result of a transfer of libcurl's.
  /// - Parameters:
  ///   - stage: how far it had come.
  ///   - message: libcurl's text, empty when it gave none.
  ///   - isTooLarge: whether we ended it because the answer was larger than we keep.
  init(
    _ code: CURLcode, stage: ConnectionStage, message: String, isTooLarge: Bool = false, socket: SocketState
  ) {
    // libcurl has no memory for a header line of more than 100 kB.
    if isTooLarge || (stage == .sent && code == CURLE_OUT_OF_MEMORY) {
      self = .tooLarge
      return
    }
    let detail = message.isEmpty ? String(cString: curl_easy_strerror(code)) : message
    guard stage == .sent else {
      self.init(reason: Self.reasonBeforeSending(code, stage: stage), detail: detail)
      return
    }
    switch code {
    case CURLE_OPERATION_TIMEDOUT: self.init(reason: .timeout, detail: detail)
    case CURLE_HTTP2_STREAM: self.init(reason: .reset, detail: detail)
    case CURLE_HTTP2, CURLE_WRITE_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_FILESIZE_EXCEEDED,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      self.init(reason: .protocol, detail: detail, isLossOfConnection: true)
    default: self.init(lossOf: socket, message: message)
    }
  }

  private static func reasonBeforeSending(_ code: CURLcode, stage: ConnectionStage) -> FailureReason {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
    case CURLE_OPERATION_TIMEDOUT: stage.reason
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_INITFAILED:
      .tls
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: stage == .handshaking ? .tls : .connect
    default: .connect
    }
  }
}
