import CCurl
import HTTPClient
import Measurement
import Providers

/// Sends a request to a token endpoint or a webhook and waits for its answer, on a thread that may block.
public struct BlockingRequest: Sendable {
  var caFile: String?
  /// Includes connecting.
  var timeout: Duration = .seconds(10)
  var clock: any HostClock
  /// Asked on the same thread while the request is under way; `true` ends it.
  var isCancelled: @Sendable () -> Bool = { false }

  /// An answer of any status.
  public struct Answer: Sendable {
    public var response: PushResponse
    public var took: Duration
    /// The timing as text for people: "143 ms (dns 2, connect 20, tls 61)".
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
    guard let handle = EasyHandle() else {
      return .failure(Failure(message: "libcurl could not create a handle"))
    }
    handle.prepare(request, caFile: caFile)
    handle.isCancelled = isCancelled
    let start = clock.monotonicNow()
    do throws(CurlFailure) {
      try handle.perform(timeout: timeout)
    } catch {
      return .failure(Failure(message: error.message))
    }
    let took = clock.monotonicNow() - start
    let response = PushResponse(
      status: handle.status, headers: handle.headers, body: handle.answer.body,
      receivedAt: clock.wallNow())
    return .success(Answer(response: response, took: took, timing: Self.timing(handle, took)))
  }

  private static func timing(_ handle: EasyHandle, _ took: Duration) -> String {
    let (resolved, connected, secured) = (
      Int64(ccurl_easy_get_offset(handle.easy, CURLINFO_NAMELOOKUP_TIME_T)),
      Int64(ccurl_easy_get_offset(handle.easy, CURLINFO_CONNECT_TIME_T)),
      Int64(ccurl_easy_get_offset(handle.easy, CURLINFO_APPCONNECT_TIME_T))
    )
    var parts = [
      "dns \(LatencyText.text(resolved))", "connect \(LatencyText.text(max(0, connected - resolved)))",
    ]
    if secured > 0 { parts.append("tls \(LatencyText.text(max(0, secured - connected)))") }
    return "\(LatencyText.text(took.microseconds)) (\(parts.joined(separator: ", ")))"
  }
}

extension EasyHandle {
  /// Sets the handle up for a provider's request.
  public func prepare(_ request: PushRequest, caFile: String?, clientCertificate: ClientCertificate? = nil) {
    prepare(
      request.method, request.url, headers: request.headers, body: request.body, caFile: caFile,
      clientCertificate: clientCertificate, bodyLimit: PushResponse.maximumBodyBytes)
  }
}
