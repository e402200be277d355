import CCurl
import Measurement
import Testing

@testable import Transport

@Suite struct RequestFailureTests {
  private func reason(
    _ code: CURLcode, _ stage: ConnectionStage, _ message: String = "", socket: SocketState = .unknown
  ) -> FailureReason {
    RequestFailure(code, stage: stage, message: message, socket: socket).reason
  }

  @Test func beforeTheConnectionStands() {
    #expect(reason(CURLE_COULDNT_RESOLVE_HOST, .resolving) == .dns)
    #expect(reason(CURLE_OPERATION_TIMEDOUT, .resolving) == .dns)
    #expect(reason(CURLE_OPERATION_TIMEDOUT, .connecting) == .connect)
    #expect(reason(CURLE_OPERATION_TIMEDOUT, .handshaking) == .tls)
    #expect(reason(CURLE_COULDNT_CONNECT, .connecting) == .connect)
    #expect(reason(CURLE_PEER_FAILED_VERIFICATION, .handshaking) == .tls)
    #expect(reason(CURLE_SSL_CONNECT_ERROR, .handshaking) == .tls)
    #expect(reason(CURLE_RECV_ERROR, .handshaking) == .tls)
    #expect(reason(CURLE_RECV_ERROR, .connecting) == .connect)
  }

  @Test func afterTheRequestWasSent() {
    #expect(reason(CURLE_OPERATION_TIMEDOUT, .sent) == .timeout)
    #expect(reason(CURLE_PARTIAL_FILE, .sent) == .closed)
    #expect(reason(CURLE_GOT_NOTHING, .sent, socket: .closing) == .closed)
    #expect(reason(CURLE_RECV_ERROR, .sent, "Recv failure: Connection reset by peer") == .reset)
    #expect(reason(CURLE_SEND_ERROR, .sent, "Send failure: Broken pipe") == .reset)
    #expect(reason(CURLE_RECV_ERROR, .sent, socket: .reset) == .reset)
    #expect(reason(CURLE_WRITE_ERROR, .sent) == .protocol)
    #expect(reason(CURLE_WEIRD_SERVER_REPLY, .sent) == .protocol)
    // For every code that the aborted second attempt ends with.
    #expect(reason(CURLE_COULDNT_RESOLVE_HOST, .sent, socket: .closing) == .closed)
    #expect(reason(CURLE_ABORTED_BY_CALLBACK, .sent, socket: .reset) == .reset)
  }

  @Test func aLossIsTheConnectionsAndATimeoutIsNot() {
    for code in [CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY] {
      #expect(RequestFailure(code, stage: .sent, message: "", socket: .closing).isLossOfConnection)
    }
    #expect(
      !RequestFailure(CURLE_OPERATION_TIMEDOUT, stage: .sent, message: "", socket: .established)
        .isLossOfConnection)
  }

  @Test func anAlertOfTLSIsNamed() {
    let message =
      "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
    let failure = RequestFailure(lossOf: .closing, message: message)
    #expect(failure.reason == .tls && failure.isLossOfConnection && !failure.isUnprocessed)
    #expect(
      failure.detail
        == "the server ended the connection with the TLS alert \"certificate required\": it wants a client certificate"
    )
    #expect(
      TLSAlert(in: "OpenSSL SSL_read: error:0A000418:SSL routines::tlsv1 alert unknown ca, errno 0")?.name
        == "unknown ca")
    for text in ["", "Recv failure: Connection reset by peer", "red alert here", "SSL routines:: alert ,"] {
      #expect(TLSAlert(in: text) == nil)
    }
  }

  /// Only by the peer's own frames: any other request may have been processed (RFC 9113, section 8.7).
  @Test func whatIsCertainlyUnprocessed() throws {
    func failure(_ end: HTTP2StreamEnd, goaway: Bool = false) -> RequestFailure? {
      RequestFailure(end, sawGoaway: goaway)
    }
    #expect(failure(.completed(HTTP2Response(status: 200, headerLines: [], body: []))) == nil)
    let refused = try #require(failure(.reset(.refusedStream)))
    #expect(refused.isUnprocessed && refused.reason == .refusedStream)
    let above = try #require(failure(.aboveGoaway, goaway: true))
    #expect(above.isUnprocessed && above.reason == .goaway)
    #expect(failure(.unsent("no"))?.isUnprocessed == true)
    for code in [HTTP2ErrorCode.cancel, .internalError, .enhanceYourCalm] {
      let reset = try #require(failure(.reset(code)))
      #expect(!reset.isUnprocessed && reset.reason == .reset && reset.detail.contains("\(code)"))
    }
    #expect(failure(.malformed("x"))?.reason == .protocol)
    #expect(!RequestFailure(lossOf: .reset, message: "", sawGoaway: true).isUnprocessed)
    #expect(RequestFailure(lossOf: .reset, message: "", sawGoaway: true).reason == .goaway)
  }

  /// libcurl's code for a transfer that a callback aborted depends on its version.
  @Test(arguments: [CURLE_WRITE_ERROR, CURLE_HTTP2_STREAM, CURLE_RECV_ERROR]) func anAnswerTooLarge(
    code: CURLcode
  ) {
    let failure = RequestFailure(
      code, stage: .sent, message: "", isTooLarge: true, socket: .established)
    #expect(failure.reason == .protocol)
    #expect(failure.detail.contains("65536 bytes"))
  }

  @Test func thereIsAlwaysADetail() {
    for code in [CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2] {
      for stage in [ConnectionStage.connecting, .sent] {
        #expect(!RequestFailure(code, stage: stage, message: "", socket: .unknown).detail.isEmpty)
      }
    }
  }
}
