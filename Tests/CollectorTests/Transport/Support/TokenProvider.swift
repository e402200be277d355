import Measurement
import Providers

/// Sends only a token, as a header; every 200 is accepted.
struct TokenProvider: Provider {
  let name = "token"
  var url = "https://127.0.0.1/"
  var token: String

  func request(for notification: PushNotification) -> PushRequest {
    PushRequest(url: url, headers: [HeaderField("authorization", token)], body: Array("{}".utf8))
  }

  func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 { return ProviderAssessment(.accepted) }
    return ProviderAssessment(
      .rejected(reason: ""), retryAfter: RetryAfter.pause(response),
      credential: response.status == 401 ? .expired : nil, isReceiverUnknown: response.status == 410)
  }
}
