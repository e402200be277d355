import Measurement

/// Any HTTP endpoint: webhooks, gateways, a server under test. URL, header values and body are templates
/// (``RequestTemplate``).
public struct HTTPProvider: Provider {

  private struct HeaderTemplate {
    var name: String
    var value: RequestTemplate
  }

  private let method: String
  private let url: RequestTemplate
  private let headers: [HeaderTemplate]
  private let body: RequestTemplate
  private let payloadBytes: Int?
  private let success: [ClosedRange<Int>]
  /// Whether the request has an `authorization` header.
  private let isAuthorized: Bool
  private let secrets: [String]
  /// The request for templates without placeholders. Its storage is shared, so the transport detects that nothing
  /// changed.
  private let sameRequest: PushRequest?

  /// - Parameters:
  ///   - headers: names in lower case. A body without `content-type` among them goes as
  ///     `application/octet-stream`.
  ///   - payloadBytes: what the body's `{padding}` brings it to.
  ///     See ``check(body:payloadBytes:)``.
  ///   - success: statuses that count as accepted.
  ///   - secrets: parts of URL and headers that are secret wherever they stand, however short.
  public init(
    url: String, method: String = "POST", headers: [HeaderField] = [], body: [UInt8] = [],
    payloadBytes: Int? = nil, success: [ClosedRange<Int>] = [200...299], secrets: [String] = []
  ) {
    var headers = headers
    if !body.isEmpty, !headers.contains(where: { $0.name == "content-type" }) {
      headers.append(HeaderField("content-type", "application/octet-stream"))
    }
    self.method = method
    self.url = RequestTemplate(url)
    self.headers = headers.map { HeaderTemplate(name: $0.name, value: RequestTemplate($0.value)) }
    self.body = RequestTemplate(body)
    self.payloadBytes = payloadBytes
    self.success = success
    isAuthorized = headers.contains { $0.name == "authorization" }
    self.secrets = secrets
    let isConstant =
      self.url.isConstant && self.body.isConstant && self.headers.allSatisfy(\.value.isConstant)
    sameRequest =
      isConstant
      ? PushRequest(method: method, url: url, headers: headers, body: body, secrets: secrets) : nil
  }

  /// Checks that a body can have a size.
  public static func check(body: [UInt8], payloadBytes: Int) throws(ProviderError) {
    let template = RequestTemplate(body)
    guard template.placeholders.contains(.padding) else {
      throw ProviderError(
        "payload_bytes", "cannot be kept: the body has no place to fill",
        remedy: "write {padding} where the body may grow")
    }
    guard payloadBytes >= template.largestBytes else {
      throw ProviderError(
        "payload_bytes", "\(payloadBytes) is less than the body has without padding",
        remedy: "write at least \(template.largestBytes)")
    }
  }

  public func request(for notification: PushNotification) -> PushRequest {
    sameRequest
      ?? PushRequest(
        method: method, url: url.text(for: notification),
        headers: headers.map { HeaderField($0.name, $0.value.text(for: notification)) },
        body: body.fill(for: notification, bytes: payloadBytes), secrets: secrets)
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if success.contains(where: { $0.contains(response.status) }) { return ProviderAssessment(.accepted) }
    // RFC 9110, sections 15.5.2 and 15.5.4: 401 requires credentials; 403 refuses those that were sent.
    let isRefused = response.status == 401 || (response.status == 403 && isAuthorized)
    return ProviderAssessment(
      .rejected(reason: ReasonBody.read(response.body)), retryAfter: RetryAfter.pause(response),
      credential: isRefused ? .refused : nil)
  }
}
