import CCurl
import COpenSSL

/// OpenSSL's settings below one libcurl handle whose bytes are carried by us, and the alert with which a peer ended a connection
/// of that handle. It must outlive the handle.
public final class TLSSettings {
  private let alertNumber: UnsafeMutablePointer<Int32>

  public init() {
    alertNumber = .allocate(capacity: 1)
    alertNumber.pointee = -1
  }

  deinit { alertNumber.deallocate() }

  /// The fatal alert that was read last; `nil` for none.
  ///
  /// libcurl keeps the first error of a transfer only. Where the peer has closed already that is one of the socket's, such as
  /// `getpeername() failed`, and the alert is only here.
  public var alert: TLSAlert? {
    let number = alertNumber.pointee
    return number < 0 ? nil : TLSAlert(name: String(cString: copenssl_alert_name(number)))
  }

  /// Sets up a new or reset handle.
  public func apply(to easy: UnsafeMutableRawPointer) {
    ccurl_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
    // With its own ALPN libcurl would begin to speak HTTP/2 by itself.
    ccurl_easy_set_long(easy, CURLOPT_SSL_ENABLE_ALPN, 0)
    ccurl_easy_set_ssl_context_function(easy) { _, context, place in
      let isSet =
        copenssl_configure(context) == 0
        && copenssl_watch_alerts(context, place?.assumingMemoryBound(to: Int32.self)) == 0
      return isSet ? CURLE_OK : CURLE_OUT_OF_MEMORY
    }
    ccurl_easy_set_pointer(easy, CURLOPT_SSL_CTX_DATA, alertNumber)
  }
}
