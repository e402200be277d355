import CCurl
import Glibc
import Measurement
import Providers

/// A libcurl easy handle for one request at a time outside the timing thread, set up for strangers (``CurlSetup``) and
/// bounded in headers. Belongs to one thread.
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

  /// Why a request that ended with this code has no answer, in words.
  func complaint(_ code: CURLcode) -> String {
    // A header line of more than 100 kB is what libcurl has no memory for.
    if isTooLarge || code == CURLE_OUT_OF_MEMORY { return "the answer is larger than is taken" }
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }

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

  fileprivate func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard headerBudget.take(line.count) else {
      isTooLarge = true
      return false
    }
    if let first = StatusLine(line) {
      headerLines.removeAll(keepingCapacity: true)
      status = first.status
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
