import Measurement
import NIOCore
import NIOSSL
import NIOTLS

/// Tells the connection table when a client's TLS handshake fails, or when the client rejects the certificate right after it.
/// Stands behind the TLS handler. A connection that is closed before it has sent anything, as a health check's, is not a failure.
final class HandshakeMonitor: ChannelInboundHandler {
  typealias InboundIn = Any

  private let id: Int
  private let table: ConnectionTable
  private let bytes: HandshakeBytes
  private let began = NIODeadline.now()
  private var isReported = false

  /// - Parameter bytes: stands before the TLS handler.
  init(id: Int, table: ConnectionTable, bytes: HandshakeBytes) {
    self.id = id
    self.table = table
    self.bytes = bytes
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { bytes.isComplete = true }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if bytes.hasBegun, !isReported, let failure = failure(error) {
      isReported = true
      table.handshakeFailed(id, failure, of: context.channel)
    }
    context.fireErrorCaught(error)
  }

  private func failure(_ error: any Error) -> HandshakeFailure? {
    if case NIOSSLError.handshakeFailed(let reason) = error {
      let failure = HandshakeFailure(reason)
      // BoringSSL does not read what should have been encrypted.
      if failure == .refused, let alert = bytes.alert { return HandshakeFailure(alert: alert) }
      let isTooLate = NIODeadline.now() - began >= TimeAmount(table.limits.handshakeTimeout)
      return failure == .closed && isTooLate ? .timeout : failure
    }
    // TLS 1.3 lets a client look at the certificate after its part of the handshake.
    guard let reason = error as? BoringSSLError else { return nil }
    let failure = HandshakeFailure(reason)
    return failure.isAboutCertificate ? failure : nil
  }
}

/// Looks at the bytes of a client's handshake, and removes itself when it is complete.
final class HandshakeBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// Whether the client has sent anything.
  private(set) var hasBegun = false
  /// The code of a fatal alert that the client sent in the clear: OpenSSL does so where TLS 1.3 wants it encrypted, when it rejects a
  /// certificate.
  private(set) var alert: Int?
  var isComplete = false

  /// A record of an alert is its type, a version, two bytes of length, a level and a code (RFC 8446, section 5.1).
  private static let alertBytes = 7

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    hasBegun = true
    // An alert is the last record.
    if !isComplete, bytes.readableBytes >= Self.alertBytes,
      let record = bytes.getBytes(at: bytes.writerIndex - Self.alertBytes, length: Self.alertBytes),
      record[0] == 21, record[1] == 3, record[3...5].elementsEqual([0, 2, 2])
    {
      alert = Int(record[6])
    }
    context.fireChannelRead(data)
    if isComplete { context.pipeline.syncOperations.removeHandler(context: context, promise: nil) }
  }
}

extension HandshakeFailure {
  /// BoringSSL's reasons for alerts of the peer are the alert's code and this.
  private static let alertReasons = 1000

  /// - Parameter error: of a handshake, or of a read after it.
  init(_ error: BoringSSLError) {
    switch error {
    case .sslError(let stack), .unknownError(let stack):
      self = stack.lazy.compactMap(Self.init(entry:)).first ?? .refused
    case .zeroReturn, .syscallError: self = .closed
    default: self = .refused
    }
  }

  /// - Returns: `nil` for an entry that says no more than that the listener ended it.
  private init?(entry: BoringSSLInternalError) {
    if entry == .eofDuringHandshake || entry == .eofDuringAdditionalCertficiateChainValidation {
      self = .closed
      return
    }
    // `Error: 268436504 error:10000418:SSL routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA at …`: the number's lower twelve
    // bits are the reason. NIOSSL has it nowhere else.
    let words = entry.description.split(separator: " ")
    if words.count > 1, let code = UInt32(words[1]) {
      let reason = Int(code & 0xFFF)
      if (Self.alertReasons..<Self.alertReasons + 256).contains(reason) {
        self.init(alert: reason - Self.alertReasons)
        return
      }
    }
    let foreign = ["HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "WRONG_VERSION_NUMBER"]
    guard foreign.contains(where: entry.description.contains) else { return nil }
    self = .notTLS
  }
}
