import CCurl
import Glibc
import Measurement
import Providers

/// A libcurl easy handle for one request at a time outside the timing thread, set up for strangers: bounded in headers,
/// https and http only, no redirects, no decompression, no proxy, nothing from the environment. Belongs to one thread.
final class EasyHandle {
  let easy: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var body: UnsafeMutableRawBufferPointer

  /// The answer so far.
  private(set) var status = 0
  private(set) var headerLines: [UInt8] = []
  private(set) var isTooLarge = false
  private var headerBudget = HeaderBudget()
  /// Takes the body as it comes; `false` ends the transfer.
  var onBody: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  /// Told of each socket that is opened.
  var onSocket: (Int32) -> Void = { _ in }
  /// Asked once a second or so; `true` ends the transfer.
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

  /// libcurl's complaint.
  var errorMessage: String { String(cString: errorText) }
  var headers: ResponseHeaders { ResponseHeaders(lines: headerLines) }

  /// Sets everything for a request; nothing of an earlier one is left.
  func prepare(_ request: PushRequest, caFile: String?, clientCertificate: ClientCertificate? = nil) {
    curl_easy_reset(easy)
    status = 0
    headerLines = []
    isTooLarge = false
    headerBudget = HeaderBudget()
    errorText[0] = 0
    let this = Unmanaged.passUnretained(self).toOpaque()
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_URL, request.url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_NOPROXY, "*"),
      (CURLOPT_USERAGENT, "pushscope"), (CURLOPT_CAINFO, caFile),
      (CURLOPT_SSLCERT, clientCertificate?.certificateFile), (CURLOPT_SSLKEY, clientCertificate?.keyFile),
      (CURLOPT_CUSTOMREQUEST, request.method),
    ]
    for case (let option, let text?) in texts { ccurl_easy_set_pointer(easy, option, text) }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, ccurl_http_version_2tls()),
      (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_TCP_KEEPIDLE, 30),
      (CURLOPT_TCP_KEEPINTVL, 10), (CURLOPT_NOPROGRESS, 0), (CURLOPT_DNS_CACHE_TIMEOUT, 0),
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
    headerList = curl_slist_append(nil, "Expect:")
    if !headers.contains(where: { $0.name == "content-type" }) {
      headerList = curl_slist_append(headerList, "Content-Type:")
    }
    for header in headers {
      let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      headerList = curl_slist_append(headerList, line)
    }
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

  fileprivate func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard headerBudget.take(line.count) else {
      isTooLarge = true
      return false
    }
    if line.starts(with: Self.statusLine) {
      headerLines.removeAll(keepingCapacity: true)
      status = Self.status(in: line)
    } else if headerLines.count + line.count <= ResponseHeaders.maximumBytes {
      headerLines.append(contentsOf: line)
    }
    return true
  }

  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard onBody(bytes) else {
      isTooLarge = true
      return false
    }
    return true
  }

  private static let statusLine = Array("HTTP/".utf8)

  /// The three digits after the first blank; 0 when they are not there.
  private static func status(in line: UnsafeRawBufferPointer) -> Int {
    guard let blank = line.firstIndex(of: UInt8(ascii: " ")) else { return 0 }
    return line[(blank + 1)...].prefix(3).reduce(0) { $0 * 10 + Int($1 &- 48) }
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
