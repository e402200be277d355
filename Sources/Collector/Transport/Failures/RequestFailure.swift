import CCurl
import Measurement
import Providers

/// Why a request got no answer.
struct RequestFailure: Sendable, Equatable {
  var reason: FailureReason
  /// For people: the detail of the event.
  var detail: String
  /// Whether it is certain that the peer did nothing with it (RFC 9113, section 8.7).
  var isUnprocessed = false
  /// Whether it ended because its connection did.
  var isLossOfConnection = false

  static let tooLarge = RequestFailure(
    reason: .protocol,
    detail: "the answer is larger than \(PushResponse.maximumBodyBytes) bytes, or its headers are without end"
  )
  static let givenUp = RequestFailure(
    reason: .timeout, detail: "nothing came on the connection for the target's timeout; it was given up",
    isLossOfConnection: true)

  static func timeout(after timeout: Duration) -> RequestFailure {
    RequestFailure(reason: .timeout, detail: "no answer within \(timeout.microseconds / 1000) ms")
  }

  init(reason: FailureReason, detail: String, isUnprocessed: Bool = false, isLossOfConnection: Bool = false) {
    self.reason = reason
    self.detail = detail
    self.isUnprocessed = isUnprocessed
    self.isLossOfConnection = isLossOfConnection
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

  /// What becomes of the requests on a connection that libcurl can use no longer.
  /// - Parameters:
  ///   - message: libcurl's text, empty when it gave none.
  init(lossOf socket: TransferFailure.Socket, message: String, sawGoaway: Bool) {
    let isReset = socket == .reset || message.contains("reset by peer") || message.contains("Broken pipe")
    let reason: FailureReason = sawGoaway ? .goaway : isReset ? .reset : .closed
    let fallback =
      switch reason {
      case .goaway: "the connection is going away"
      case .reset: "the peer reset the connection"
      default: "the peer closed the connection"
      }
    self.init(reason: reason, detail: message.isEmpty ? fallback : message, isLossOfConnection: true)
  }
}
