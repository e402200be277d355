import NIOCore
import NIOSSL

extension Channel {
  /// Closes the TCP connection without TLS's goodbye, as a crash or a cut cable would.
  func closeAbruptly() {
    if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
      tls.close(promise: nil)
    } else {
      close(promise: nil)
    }
  }
}
