import CCurl
import Measurement
import Providers

/// What is known of a request that got no answer, and the word for it.
struct TransferFailure: Sendable, Equatable {
  /// How far opening the connection had come.
  enum Stage: Sendable, Equatable {
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

  /// What the socket looked like when the request was given up.
  enum Socket: Sendable, Equatable {
    case unknown
    case established
    /// The peer had sent its FIN.
    case closing
    /// The peer had reset it.
    case reset
  }

  var code: CURLcode
  var stage: Stage
  /// libcurl's text, empty when it gave none.
  var message: String
  /// Whether libcurl was about to send it again and was stopped.
  var wasRetried = false
  var sawGoaway = false
  /// Whether we ended the connection ourselves because nothing had come on it for the target's timeout.
  var wasGivenUp = false
  /// Whether we ended it ourselves because the answer was larger than we keep.
  var isTooLarge = false
  var socket = Socket.unknown
  /// Whether the connection had become useless by an answer that libcurl could not make sense of.
  var wasBroken = false
  /// Whether the peer said that it had not processed it.
  var wasRefused = false

  /// Whether it is certain that the peer did nothing with it (RFC 9113, section 8.7).
  var isUnprocessed: Bool {
    stage == .sent && !wasGivenUp && !isTooLarge && (wasRefused || message.contains("REFUSED_STREAM"))
  }

  var reason: FailureReason {
    if wasGivenUp { return .timeout }
    if isTooLarge { return .protocol }
    return stage == .sent ? reasonAfterSending : reasonBeforeSending
  }

  private var reasonBeforeSending: FailureReason {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
    case CURLE_OPERATION_TIMEDOUT: stage.reason
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_INITFAILED:
      .tls
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: stage == .handshaking ? .tls : .connect
    case CURLE_COULDNT_CONNECT: .connect
    default: .connect
    }
  }

  private var reasonAfterSending: FailureReason {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return .timeout
    case CURLE_HTTP2_STREAM:
      if message.contains("REFUSED_STREAM") { return .refusedStream }
      return sawGoaway ? .goaway : .reset
    case CURLE_HTTP2: return sawGoaway ? .goaway : .protocol
    case CURLE_WRITE_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_FILESIZE_EXCEEDED,
      CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_OUT_OF_MEMORY:
      return .protocol
    default: return reasonOfLoss
    }
  }

  /// The connection went, or libcurl would have sent the request again: both look alike in the code.
  private var reasonOfLoss: FailureReason {
    if sawGoaway { return .goaway }
    if wasBroken { return .protocol }
    if isUnprocessed { return .refusedStream }
    if message.contains("reset by peer") || message.contains("Broken pipe") { return .reset }
    if message.contains("nghttp2") { return .protocol }
    switch socket {
    case .reset: return .reset
    // libcurl gave the request back although the connection is whole and it has no complaint.
    case .established where wasRetried && message.isEmpty: return .refusedStream
    case .established, .closing, .unknown: return .closed
    }
  }

  /// Whether libcurl can read nothing more on the connection, although it does not know it.
  var breaksConnection: Bool { stage == .sent && message.contains("nghttp2") }

  /// Whether it ended because its connection did, not by itself.
  var isLossOfConnection: Bool {
    guard stage == .sent, !isUnprocessed, !isTooLarge else { return false }
    if wasGivenUp || wasBroken { return true }
    switch code {
    case CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2_STREAM: return false
    default: return reason != .refusedStream
    }
  }

  /// For people: the detail of the event.
  var detail: String {
    if wasGivenUp { return "nothing came on the connection for the target's timeout; it was given up" }
    // libcurl has no memory for a header line of more than 100 kB.
    if isTooLarge || code == CURLE_OUT_OF_MEMORY {
      return
        "the answer is larger than \(PushResponse.maximumBodyBytes) bytes, or its headers are without end"
    }
    if wasBroken { return "an answer on the connection broke the protocol" }
    if !message.isEmpty { return message }
    switch reason {
    case .goaway: return "the connection is going away"
    case .refusedStream: return "the peer refused the stream"
    case .closed: return "the peer closed the connection"
    case .reset: return "the peer reset the connection"
    default: return String(cString: curl_easy_strerror(code))
    }
  }
}
