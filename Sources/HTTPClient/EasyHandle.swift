import CCurl
import Measurement

/// A libcurl easy handle for one request at a time, set up for untrusted peers (``CurlSetup``), with a bounded answer. It keeps
/// its connections between requests. Confined to one thread.
public final class EasyHandle {
  /// The handle, for options beside those of ``prepare(_:_:headers:body:caFile:clientCertificate:bodyLimit:)``, which resets it.
  public let easy: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var body: UnsafeMutableRawBufferPointer

  /// The answer as far as it was received.
  public private(set) var answer = CurlAnswer(bodyLimit: 0)
  /// Called with each part of the body, in place of ``answer``; `false` ends the transfer.
  public var onBody: ((UnsafeRawBufferPointer) -> Bool)?
  /// Called with each socket that is opened.
  public var onSocket: (Int32) -> Void = { _ in }
  /// Called about once a second; `true` ends the transfer.
  public var isCancelled: () -> Bool = { false }

  /// `nil` when libcurl cannot make one.
  public init?() {
    guard CurlLibrary.isReady, let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText[0] = 0
    body = .allocate(byteCount: 0, alignment: 1)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    errorText.deallocate()
    body.deallocate()
  }

  /// Why a request that ended with this code has no answer.
  public func complaint(_ code: CURLcode) -> String {
    // libcurl reports a header line above 100 kB as a lack of memory.
    if answer.isTooLarge || code == CURLE_OUT_OF_MEMORY { return "the answer is too large" }
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }

  /// 0 before the status line.
  public var status: Int { answer.status }
  public var headers: ResponseHeaders { ResponseHeaders(lines: answer.headerLines) }

  /// Sets the handle up for a request; nothing of an earlier one remains.
  /// - Parameters:
  ///   - url: `https` or `http`.
  ///   - caFile: PEM file of the authorities to trust; `nil` for the system's.
  ///   - bodyLimit: bytes of the answer's body; a longer one ends the request.
  public func prepare(
    _ method: String, _ url: String, headers: [HeaderField] = [], body: [UInt8] = [], caFile: String?,
    clientCertificate: ClientCertificate? = nil, bodyLimit: Int
  ) {
    curl_easy_reset(easy)
    answer = CurlAnswer(bodyLimit: bodyLimit)
    errorText[0] = 0
    let this = Unmanaged.passUnretained(self).toOpaque()
    CurlSetup.secure(easy, caFile: caFile, clientCertificate: clientCertificate)
    ccurl_easy_set_pointer(easy, CURLOPT_URL, url)
    ccurl_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, method)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_TCP_KEEPIDLE, 30), (CURLOPT_TCP_KEEPINTVL, 10),
      (CURLOPT_NOPROGRESS, 0),
    ]
    for (option, number) in numbers { ccurl_easy_set_long(easy, option, number) }
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    ccurl_easy_set_pointer(easy, CURLOPT_PRIVATE, this)
    ccurl_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, easyHeader)
    ccurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
    ccurl_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, easyBody)
    ccurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
    ccurl_easy_set_progress_function(easy, easyProgress)
    ccurl_easy_set_pointer(easy, CURLOPT_XFERINFODATA, this)
    ccurl_easy_set_sockopt_function(easy, easySocketOpened)
    ccurl_easy_set_pointer(easy, CURLOPT_SOCKOPTDATA, this)
    set(headers: headers)
    if !body.isEmpty { set(body: body) }
  }

  /// Sends the request that was prepared, and blocks the calling thread until its answer is complete.
  /// - Parameter timeout: for all of it, connecting included.
  public func perform(timeout: Duration) throws(CurlFailure) {
    ccurl_easy_set_long(easy, CURLOPT_TIMEOUT_MS, Int(timeout.microseconds / 1000))
    let code = curl_easy_perform(easy)
    guard code == CURLE_OK else { throw CurlFailure(code: code, message: complaint(code)) }
  }

  private func set(headers: [HeaderField]) {
    curl_slist_free_all(headerList)
    headerList = CurlSetup.headerList(headers)
    ccurl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, headerList)
  }

  private func set(body bytes: [UInt8]) {
    body.deallocate()
    body = .allocate(byteCount: bytes.count, alignment: 1)
    body.copyBytes(from: bytes)
    ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
    ccurl_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
  }

  // MARK: Called by libcurl

  fileprivate func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    answer.receive(headerLine: line)
  }

  fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard let onBody else { return answer.receive(body: bytes) }
    guard onBody(bytes) else {
      answer.recordExcess()
      return false
    }
    return true
  }
}

private func handle(_ pointer: UnsafeMutableRawPointer?) -> EasyHandle? {
  pointer.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
}

private func easyHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return handle(context)?.receive(headerLine: line) ?? false ? size * count : 0
}

private func easyBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return handle(context)?.receive(body: part) ?? false ? size * count : Int(CURL_WRITEFUNC_ERROR)
}

private func easySocketOpened(
  _ context: UnsafeMutableRawPointer?, _ fd: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
  handle(context)?.onSocket(fd)
  return Int32(CURL_SOCKOPT_OK)
}

private func easyProgress(
  _ context: UnsafeMutableRawPointer?, _ total: curl_off_t, _ now: curl_off_t, _ upTotal: curl_off_t,
  _ upNow: curl_off_t
) -> Int32 {
  handle(context)?.isCancelled() ?? true ? 1 : 0
}

/// Why there is no answer.
public struct CurlFailure: Error, Sendable, Equatable {
  public let code: CURLcode
  /// libcurl's words.
  public let message: String

  /// The peer's certificate is of none of the trusted authorities, of another host, or not valid now.
  public var isUntrusted: Bool { code == CURLE_PEER_FAILED_VERIFICATION }
  /// The file of the authorities to trust cannot be used.
  public var isUnusableAuthority: Bool { code == CURLE_SSL_CACERT_BADFILE }
}

/// libcurl in this process.
public enum CurlLibrary {
  /// Sets it up, once.
  public static let isReady = curl_global_init(Int(ccurl_global_default())) == CURLE_OK
}

/// What proves a client to a server that asks for a certificate during the TLS handshake (RFC 8446, section 4.3.2).
public struct ClientCertificate: Sendable, Hashable {
  /// PEM: the certificate, and what chains it to an authority the server knows.
  public var certificateFile: String
  /// PEM of its private key, without a passphrase.
  public var keyFile: String

  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// The libcurl options of every request: the peer is untrusted, and only the configuration decides where a request goes.
public enum CurlSetup {
  /// Sets up a new or reset handle: only http and https; no redirects; no content codings; peers are verified; proxies, .netrc
  /// and other settings of the environment are ignored.
  ///
  /// The callbacks limit the size of an answer: ``CurlAnswer``.
  public static func secure(
    _ easy: UnsafeMutableRawPointer, caFile: String?, clientCertificate: ClientCertificate?
  ) {
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_NOPROXY, "*"), (CURLOPT_USERAGENT, "pushscope"),
      (CURLOPT_CAINFO, caFile), (CURLOPT_SSLCERT, clientCertificate?.certificateFile),
      (CURLOPT_SSLKEY, clientCertificate?.keyFile),
    ]
    for case (let option, let text?) in texts { ccurl_easy_set_pointer(easy, option, text) }
    // Most of these are libcurl's defaults, which may change.
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, ccurl_http_version_2tls()), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_HTTP09_ALLOWED, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_NETRC, 0),
      // Each new connection resolves the peer's name again.
      (CURLOPT_DNS_CACHE_TIMEOUT, 0), (CURLOPT_TCP_KEEPALIVE, 1),
    ]
    for (option, number) in numbers { ccurl_easy_set_long(easy, option, number) }
    ccurl_easy_set_pointer(easy, CURLOPT_ACCEPT_ENCODING, nil)
  }

  /// A request's header lines for libcurl, which adds none of its own. The caller frees the list.
  public static func headerList(_ headers: [HeaderField]) -> UnsafeMutablePointer<curl_slist>? {
    // A name without a value removes libcurl's own header.
    var list = curl_slist_append(nil, "Expect:")
    if !headers.contains(where: { $0.name == "content-type" }) {
      list = curl_slist_append(list, "Content-Type:")
    }
    for header in headers {
      let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      list = curl_slist_append(list, line)
    }
    return list
  }
}
