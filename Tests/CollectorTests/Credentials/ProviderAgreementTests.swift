import Configuration
import Measurement
import Providers
import Testing

/// Configuration and Providers stand on one floor and cannot see each other; what both know must be the same.
@Suite struct ProviderAgreementTests {
  @Test func placeholdersAreTheSame() {
    #expect(Set(HTTPSettings.placeholders) == Set(RequestTemplate.Placeholder.allCases.map(\.rawValue)))
  }

  /// What the configuration lets through, the provider can fill.
  @Test func theSmallestSizesAreLargeEnough() throws {
    for type in APNsPushType.allCases { #expect(APNsProvider.smallestPayloadBytes(type) <= 256) }
    #expect(WebPushProvider.smallestPayloadBytes <= 256)
    #expect(NtfyProvider.smallestPayloadBytes <= 256)
    // A registration token of the usual length, and the longest project name.
    #expect(throws: Never.self) {
      try FCMProvider(
        origin: "https://a", projectID: String(repeating: "p", count: 30),
        deviceToken: String(repeating: "t", count: 170), payloadBytes: 768, accessToken: "a")
    }
  }
}
