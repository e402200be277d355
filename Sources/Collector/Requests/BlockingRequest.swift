import CCurl
import Measurement
import Providers

/// Sends a request and waits for its answer, on a thread that may wait: for token endpoints.
struct BlockingRequest: Sendable {
  var caFile: String?
  /// Connecting included.
  var timeout: Duration = .seconds(10)
  var clock: any HostClock
  /// Asked meanwhile, on the same thread.
  var isCancelled: @Sendable () -> Bool = { false }

  struct Answer: Sendable {
    var response: PushResponse
    var took: Duration
    /// For people: "143 ms (dns 2, connect 20, tls 61)".
    var timing: String
  }

  /// Why there is no answer, in words.
  struct Failure: Error, Sendable, Equatable {
    var message: String
  }

  func perform(_ request: PushRequest) -> Result<Answer, Failure> {
    guard TimingThread.isLibraryReady, let handle = EasyHandle() else {
      return .failure(Failure(message: "libcurl could not create a handle"))
    }
    handle.prepare(request, caFile: caFile)
    ccurl_easy_set_long(handle.easy, CURLOPT_TIMEOUT_MS, Int(timeout.microseconds / 1000))
    var body: [UInt8] = []
    handle.onBody = { bytes in
      guard body.count + bytes.count <= PushResponse.maximumBodyBytes else { return false }
      body.append(contentsOf: bytes)
      return true
    }
    handle.isCancelled = isCancelled
    let start = clock.monotonicNow()
    let code = curl_easy_perform(handle.easy)
    let took = clock.monotonicNow() - start
    guard code == CURLE_OK else { return .failure(Failure(message: handle.complaint(code))) }
    let isHTTP2 = ccurl_easy_get_long(handle.easy, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: body, httpVersion: isHTTP2 ? .http2 : .http1,
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
