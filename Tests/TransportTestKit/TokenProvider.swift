import Measurement
import Providers

/// Sends only a token, as a header; every 200 is accepted.
public struct TokenProvider: Provider {
  public let name = "token"
  private let url: String
  private let token: String

  public init(url: String = "https://127.0.0.1/", token: String) {
    self.url = url
    self.token = token
  }

  public func request(for notification: PushNotification) -> PushRequest {
    PushRequest(url: url, headers: [HeaderField("authorization", token)], body: Array("{}".utf8))
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 { return ProviderAssessment(.accepted) }
    return ProviderAssessment(
      .rejected(reason: ""), retryAfter: RetryAfter.pause(response),
      credential: response.status == 401 ? .expired : nil, isReceiverUnknown: response.status == 410)
  }
}
