import Testing

@testable import Configuration
@testable import LoopbackService

/// One scenario, four ways to say it.
@Suite struct ErrorCatalogTests {
  private func reasons(_ text: String, _ status: Int) -> [String] {
    let error = ErrorAnswer(reason: text, status: status, probability: 1)
    return ErrorCatalog.all.map { catalog in
      let reason = catalog.translate(error)
      return "\(reason.text) \(reason.status)"
    }
  }

  @Test func translatesByWhatIsMeant() {
    #expect(
      reasons("ServiceUnavailable", 503) == [
        "ServiceUnavailable 503", "UNAVAILABLE 503", "ServiceUnavailable 503", "ServiceUnavailable 503",
      ])
    #expect(
      reasons("ExpiredProviderToken", 403) == [
        "ExpiredProviderToken 403", "UNAUTHENTICATED 401", "MissingVapid 401", "40101 401",
      ])
    #expect(
      reasons("TooManyRequests", 429) == [
        "TooManyRequests 429", "QUOTA_EXCEEDED 429", "TooManyRequests 429", "42901 429",
      ])
    #expect(
      reasons("Unregistered", 410).prefix(3) == ["Unregistered 410", "UNREGISTERED 404", "Unregistered 410"])
    #expect(reasons("42901", 429)[0] == "TooManyRequests 429")
  }

  @Test func anUnknownReasonIsKept() {
    #expect(reasons("Teapot", 418) == Array(repeating: "Teapot 418", count: 4))
  }
}
