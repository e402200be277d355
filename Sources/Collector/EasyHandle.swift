import CCurl
import Glibc
import Measurement
import Providers

/// A libcurl easy handle for one request at a time outside the timing thread, set up for untrusted peers (``CurlSetup``), with
/// bounded headers. Confined to one thread.
final class EasyHandle {
  let easy: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var body: UnsafeMutableRawBufferPointer

  /// The answer as far as it was received.
  private(set) var answer = CurlAnswer()
  /// Takes a part of the body in place of ``answer``; `false` ends the transfer.
  var onBody: ((UnsafeRawBufferPointer) -> Bool)?
  /// Takes each socket that is opened.
  var onSocket: (Int32) -> Void = { _ in }
  /// Called about once a second; `true` ends the transfer.
  var isCancelled: () -> Bool = { false }

  init?() {
    guard let easy = curl_easy_init() else { return nil }
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
  func complaint(_ code: CURLcode) -> String {
    // libcurl reports a header line above 100 kB as a lack of memory.
    if answer.isTooLarge || code == CURLE_OUT_OF_MEMORY { return "the answer is too large" }
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }

  var status: Int { answer.status }
  var headers: ResponseHeaders { ResponseHeaders(lines: answer.headerLines) }

  /// Sets the handle up for a request; nothing of an earlier one remains.
  func prepare(_ request: PushRequest, caFile: String?, clientCertificate: ClientCertificate? = nil) {
    curl_easy_reset(easy)
    answer = CurlAnswer()
    errorText[0] = 0
    let this = Unmanaged.passUnretained(self).toOpaque()
    CurlSetup.secure(easy, caFile: caFile, clientCertificate: clientCertificate)
    ccurl_easy_set_pointer(easy, CURLOPT_URL, request.url)
    ccurl_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, request.method)
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
    set(headers: request.headers)
    if !request.body.isEmpty { set(body: request.body) }
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

  fileprivate func take(headerLine line: UnsafeRawBufferPointer) -> Bool { answer.take(headerLine: line) }

  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard let onBody else { return answer.take(body: bytes) }
    guard onBody(bytes) else {
      answer.noteExcess()
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
  return handle(context)?.take(headerLine: line) ?? false ? size * count : 0
}

private func easyBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return handle(context)?.take(body: part) ?? false ? size * count : Int(CURL_WRITEFUNC_ERROR)
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

/// Sends a request to a token endpoint or a webhook and waits for its answer, on a thread that may block.
public struct BlockingRequest: Sendable {
  var caFile: String?
  /// Includes connecting.
  var timeout: Duration = .seconds(10)
  var clock: any HostClock
  /// Asked meanwhile, on the same thread.
  var isCancelled: @Sendable () -> Bool = { false }

  public struct Answer: Sendable {
    public var response: PushResponse
    public var took: Duration
    /// For people: "143 ms (dns 2, connect 20, tls 61)".
    public var timing: String
  }

  /// Why there is no answer.
  public struct Failure: Error, Sendable, Equatable {
    public var message: String
  }

  init(
    caFile: String? = nil, timeout: Duration = .seconds(10), clock: any HostClock,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.caFile = caFile
    self.timeout = timeout
    self.clock = clock
    self.isCancelled = isCancelled
  }

  /// - Parameters:
  ///   - caFile: PEM file of the authorities to trust; `nil` for the system's.
  ///   - timeout: for all of it, connecting included.
  public init(caFile: String? = nil, timeout: Duration = .seconds(10), clock: any HostClock) {
    self.init(caFile: caFile, timeout: timeout, clock: clock, isCancelled: { false })
  }

  /// Blocks the calling thread until the answer is complete.
  public func perform(_ request: PushRequest) -> Result<Answer, Failure> {
    guard TimingThread.isLibraryReady, let handle = EasyHandle() else {
      return .failure(Failure(message: "libcurl could not create a handle"))
    }
    handle.prepare(request, caFile: caFile)
    ccurl_easy_set_long(handle.easy, CURLOPT_TIMEOUT_MS, Int(timeout.microseconds / 1000))
    handle.isCancelled = isCancelled
    let start = clock.monotonicNow()
    let code = curl_easy_perform(handle.easy)
    let took = clock.monotonicNow() - start
    guard code == CURLE_OK else { return .failure(Failure(message: handle.complaint(code))) }
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: handle.answer.body,
      receivedAt: clock.wallNow())
    return .success(Answer(response: response, took: took, timing: Self.timing(handle, took)))
  }

  private static func timing(_ handle: EasyHandle, _ took: Duration) -> String {
    let resolved = ccurl_easy_get_offset(handle.easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connected = ccurl_easy_get_offset(handle.easy, CURLINFO_CONNECT_TIME_T)
    let secured = ccurl_easy_get_offset(handle.easy, CURLINFO_APPCONNECT_TIME_T)
    var parts = ["dns \(resolved / 1000)", "connect \(max(0, connected - resolved) / 1000)"]
    if secured > 0 { parts.append("tls \(max(0, secured - connected) / 1000)") }
    return "\(took.microseconds / 1000) ms (\(parts.joined(separator: ", ")))"
  }
}

/// The libcurl options of every request: the peer is untrusted, and only the configuration decides where a request goes.
enum CurlSetup {
  /// Sets up a new or reset handle: only http and https; no redirects; no content codings; peers are verified; proxies, .netrc
  /// and other settings of the environment are ignored.
  ///
  /// The callbacks limit the size of an answer: ``HeaderBudget``, ``PushResponse/maximumBodyBytes``.
  static func secure(
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
  static func headerList(_ headers: [HeaderField]) -> UnsafeMutablePointer<curl_slist>? {
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
