import CCurl
import Glibc
import Measurement

/// A libcurl easy handle that keeps its connections between requests. Confined to one thread.
///
/// The peer is verified, and only the configuration decides where a request goes: no redirects, proxies, .netrc or other settings
/// of the environment.
final class EngineRequest {
  private let easy: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var bodyLimit = 0
  private var isTooLarge = false
  private(set) var status = 0
  /// The header X-ClickHouse-Exception-Code.
  private(set) var exception: Int?
  private(set) var body: [UInt8] = []
  /// Asked about once a second, on the same thread; `true` ends the request.
  var isCancelled: () -> Bool = { false }

  private static let isLibraryReady = curl_global_init(Int(ccurl_global_default())) == CURLE_OK

  init?() {
    guard Self.isLibraryReady, let easy = curl_easy_init() else { return nil }
    self.easy = easy
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText[0] = 0
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  /// Posts a body and waits for the whole answer.
  /// - Parameters:
  ///   - headers: lines like `Content-Encoding: gzip`.
  ///   - timeout: for all of it, connecting included.
  ///   - limit: bytes of the answer's body.
  /// - Returns: why there is no answer; `nil` when there is one.
  func post(
    _ bytes: [UInt8], to url: String, headers: [String], caFile: String?, timeout: Duration, limit: Int
  ) -> String? {
    curl_easy_reset(easy)
    (status, exception, body, isTooLarge, bodyLimit) = (0, nil, [], false, limit)
    errorText[0] = 0
    let this = Unmanaged.passUnretained(self).toOpaque()
    var list = curl_slist_append(nil, "Expect:")
    for header in headers { list = curl_slist_append(list, header) }
    defer { curl_slist_free_all(list) }
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_NOPROXY, "*"),
      (CURLOPT_USERAGENT, "pushscope"), (CURLOPT_CAINFO, caFile),
    ]
    for case (let option, let text?) in texts { ccurl_easy_set_pointer(easy, option, text) }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, ccurl_http_version_2tls()), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_HTTP09_ALLOWED, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_NETRC, 0),
      (CURLOPT_DNS_CACHE_TIMEOUT, 0), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_CONNECTTIMEOUT_MS, 10_000),
      (CURLOPT_TIMEOUT_MS, Int(timeout.microseconds / 1000)), (CURLOPT_NOPROGRESS, 0), (CURLOPT_POST, 1),
    ]
    for (option, number) in numbers { ccurl_easy_set_long(easy, option, number) }
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    ccurl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, list)
    ccurl_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, engineHeader)
    ccurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
    ccurl_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, engineBody)
    ccurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
    ccurl_easy_set_progress_function(easy, engineProgress)
    ccurl_easy_set_pointer(easy, CURLOPT_XFERINFODATA, this)
    ccurl_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
    let code = bytes.withUnsafeBytes { bytes in
      // Without an address libcurl would read the body from standard input.
      withUnsafeBytes(of: 0 as UInt8) { none in
        ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, bytes.baseAddress ?? none.baseAddress)
        return curl_easy_perform(easy)
      }
    }
    guard code != CURLE_OK else { return nil }
    if isTooLarge { return "the answer is too large" }
    let text = String(cString: errorText)
    return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
  }

  // MARK: Called by libcurl

  private static let exceptionHeader = "x-clickhouse-exception-code:"

  fileprivate func take(headerLine bytes: UnsafeRawBufferPointer) {
    guard bytes.count < 1024 else { return }
    let line = String(decoding: bytes, as: UTF8.self).lowercased()
    if line.hasPrefix("http/") {
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      exception = nil
    } else if line.hasPrefix(Self.exceptionHeader) {
      exception = Int(line.dropFirst(Self.exceptionHeader.count).filter(\.isNumber))
    }
  }

  fileprivate func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= bodyLimit else {
      isTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }
}

private func request(_ pointer: UnsafeMutableRawPointer?) -> EngineRequest? {
  pointer.map { Unmanaged<EngineRequest>.fromOpaque($0).takeUnretainedValue() }
}

private func engineHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  request(context)?.take(headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
  return size * count
}

private func engineBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return request(context)?.take(body: part) ?? false ? size * count : Int(CURL_WRITEFUNC_ERROR)
}

private func engineProgress(
  _ context: UnsafeMutableRawPointer?, _ total: curl_off_t, _ now: curl_off_t, _ upTotal: curl_off_t,
  _ upNow: curl_off_t
) -> Int32 {
  request(context)?.isCancelled() ?? true ? 1 : 0
}
