import CCurl
import Measurement
import Testing

@testable import Collector

@Suite struct TransferFailureTests {
  private func reason(
    _ code: CURLcode, _ stage: TransferFailure.Stage, _ message: String = "", retried: Bool = false,
    goaway: Bool = false, socket: TransferFailure.Socket = .unknown
  ) -> FailureReason {
    TransferFailure(
      code: code, stage: stage, message: message, wasRetried: retried, sawGoaway: goaway, socket: socket
    ).reason
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
    #expect(
      reason(CURLE_HTTP2_STREAM, .sent, "HTTP/2 stream 5 was not closed cleanly: INTERNAL_ERROR (err 2)")
        == .reset)
    #expect(
      reason(CURLE_HTTP2_STREAM, .sent, "HTTP/2 stream 5 was not closed cleanly: REFUSED_STREAM (err 7)")
        == .refusedStream)
    #expect(reason(CURLE_HTTP2, .sent) == .protocol)
  }

  @Test func goawayIsTheWordForWhateverHappensAfterIt() {
    #expect(reason(CURLE_HTTP2, .sent, goaway: true) == .goaway)
    #expect(
      reason(CURLE_RECV_ERROR, .sent, "Recv failure: Connection reset by peer", goaway: true) == .goaway)
    #expect(reason(CURLE_RECV_ERROR, .sent, retried: true, goaway: true, socket: .established) == .goaway)
    // But not for an answer that took too long.
    #expect(reason(CURLE_OPERATION_TIMEDOUT, .sent, goaway: true) == .timeout)
  }

  @Test func aRequestGivenBackByAWholeConnectionWasRefused() {
    #expect(reason(CURLE_RECV_ERROR, .sent, retried: true, socket: .established) == .refusedStream)
    #expect(reason(CURLE_RECV_ERROR, .sent, retried: true, socket: .closing) == .closed)
    #expect(reason(CURLE_RECV_ERROR, .sent, retried: true, socket: .reset) == .reset)
    // Whatever code the stopped second attempt ends with.
    #expect(reason(CURLE_COULDNT_RESOLVE_HOST, .sent, retried: true, socket: .closing) == .closed)
    #expect(reason(CURLE_ABORTED_BY_CALLBACK, .sent, retried: true, socket: .established) == .refusedStream)
  }

  /// Only what the peer itself said: everything else may have been processed (RFC 9113, section 8.7).
  @Test func whatIsCertainlyUnprocessed() {
    func failure(
      _ code: CURLcode, _ message: String = "", refused: Bool = false, goaway: Bool = false,
      stage: TransferFailure.Stage = .sent
    ) -> TransferFailure {
      TransferFailure(
        code: code, stage: stage, message: message, wasRetried: true, sawGoaway: goaway,
        socket: .established, wasRefused: refused)
    }
    #expect(failure(CURLE_RECV_ERROR, refused: true).isUnprocessed)
    #expect(failure(CURLE_RECV_ERROR, refused: true).reason == .refusedStream)
    #expect(failure(CURLE_RECV_ERROR, refused: true, goaway: true).isUnprocessed)
    #expect(failure(CURLE_RECV_ERROR, refused: true, goaway: true).reason == .goaway)
    let words = "HTTP/2 stream 5 was not closed cleanly: REFUSED_STREAM (err 7)"
    #expect(failure(CURLE_HTTP2_STREAM, words).isUnprocessed)
    #expect(!failure(CURLE_RECV_ERROR, goaway: true).isUnprocessed)
    #expect(!failure(CURLE_RECV_ERROR).isUnprocessed)
    #expect(!failure(CURLE_HTTP2_STREAM, "was not closed cleanly: CANCEL (err 8)").isUnprocessed)
    #expect(!failure(CURLE_COULDNT_CONNECT, refused: true, stage: .connecting).isUnprocessed)
    var givenUp = failure(CURLE_RECV_ERROR, refused: true)
    givenUp.wasGivenUp = true
    #expect(!givenUp.isUnprocessed)
  }

  @Test func whatWeGaveUpTimedOut() {
    var failure = TransferFailure(
      code: CURLE_PARTIAL_FILE, stage: .sent, message: "HTTP/2 stream 5 was not closed")
    failure.wasGivenUp = true
    #expect(failure.reason == .timeout)
    #expect(failure.detail.contains("given up"))
  }

  @Test func whatWasUnderWayOnABrokenConnectionGoesWithIt() {
    var failure = TransferFailure(code: CURLE_GOT_NOTHING, stage: .sent, message: "Empty reply from server")
    #expect(!failure.breaksConnection && failure.reason == .closed)
    failure.wasBroken = true
    #expect(failure.reason == .protocol && failure.detail.contains("broke the protocol"))
    let words = "nghttp2_session_mem_recv() returned -902:The user callback function failed"
    #expect(TransferFailure(code: CURLE_RECV_ERROR, stage: .sent, message: words).breaksConnection)
  }

  /// libcurl's code for a transfer that our callback ended differs from version to version.
  @Test(arguments: [CURLE_WRITE_ERROR, CURLE_HTTP2_STREAM, CURLE_RECV_ERROR]) func anAnswerTooLarge(
    code: CURLcode
  ) {
    var failure = TransferFailure(code: code, stage: .sent, message: "")
    failure.isTooLarge = true
    #expect(failure.reason == .protocol)
    #expect(failure.detail.contains("65536 bytes"))
  }

  @Test func thereIsAlwaysADetail() {
    for code in [CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2] {
      for stage in [TransferFailure.Stage.connecting, .sent] {
        #expect(!TransferFailure(code: code, stage: stage, message: "").detail.isEmpty)
      }
    }
  }
}
