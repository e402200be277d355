import Configuration
import Testing

@testable import LoopbackService

/// One scenario, four ways to say it.
@Suite struct ErrorCatalogTests {
  private func words(_ reason: String, _ status: Int) -> [String] {
    let error = ErrorAnswer(reason: reason, status: status, probability: 1)
    return ErrorCatalog.all.map { vocabulary in
      let word = vocabulary.translate(error)
      return "\(word.word) \(word.status)"
    }
  }

  @Test func translatesByWhatIsMeant() {
    #expect(
      words("ServiceUnavailable", 503) == [
        "ServiceUnavailable 503", "UNAVAILABLE 503", "ServiceUnavailable 503", "ServiceUnavailable 503",
      ])
    #expect(
      words("ExpiredProviderToken", 403) == [
        "ExpiredProviderToken 403", "UNAUTHENTICATED 401", "MissingVapid 401", "40101 401",
      ])
    #expect(
      words("TooManyRequests", 429) == [
        "TooManyRequests 429", "QUOTA_EXCEEDED 429", "TooManyRequests 429", "42901 429",
      ])
    #expect(
      words("Unregistered", 410).prefix(3) == ["Unregistered 410", "UNREGISTERED 404", "Unregistered 410"])
    #expect(words("42901", 429)[0] == "TooManyRequests 429")
  }

  @Test func aWordThatNobodyKnowsStaysAsItIs() {
    #expect(words("Teapot", 418) == Array(repeating: "Teapot 418", count: 4))
  }
}
