/// Any URL that takes a request: webhooks, gateways, a server under test. Every request is the same.
public struct HTTPProvider: Provider {
  public let name = "http"

  private let sameRequest: PushRequest
  private let success: [ClosedRange<Int>]

  /// - Parameters:
  ///   - headers: names in lower case. A body without `content-type` among them goes as
  ///     `application/octet-stream`.
  ///   - success: statuses that count as accepted.
  public init(
    url: String, method: String = "POST", headers: [HeaderField] = [], body: [UInt8] = [],
    success: [ClosedRange<Int>] = [200...299]
  ) {
    var headers = headers
    if !body.isEmpty, !headers.contains(where: { $0.name == "content-type" }) {
      headers.append(HeaderField("content-type", "application/octet-stream"))
    }
    sameRequest = PushRequest(method: method, url: url, headers: headers, body: body)
    self.success = success
  }

  public func request(for notification: PushNotification) -> PushRequest { sameRequest }

  public func judge(_ response: PushResponse) -> ProviderJudgement {
    if success.contains(where: { $0.contains(response.status) }) { return ProviderJudgement(.accepted) }
    return ProviderJudgement(
      .rejected(reason: ReasonBody.read(response.body)), retryAfter: RetryAfter.pause(response))
  }
}
