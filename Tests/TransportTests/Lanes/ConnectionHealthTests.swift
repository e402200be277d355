import Measurement
import Testing

@testable import Transport

@Suite struct ConnectionHealthTests {
  private static func goaway(_ code: HTTP2ErrorCode) -> HTTP2Goaway {
    HTTP2Goaway(lastStream: 0, code: code, debug: [])
  }

  @Test func refusalsWithoutAnAnswerBetweenThemAreCounted() throws {
    var health = ConnectionHealth()
    func refuse(_ count: Int) -> [ConnectionFault] { (0..<count).compactMap { _ in health.recordRefusal() } }
    for _ in 0..<3 {
      #expect(refuse(ConnectionHealth.refusalsToGiveUp - 1) == [])
      health.recordAnswer()
    }
    let faults = refuse(40)
    #expect(faults.map(\.reason) == [.refusedStream])
    #expect(try #require(faults.first).detail.contains("refused 20 requests in a row"))
    // Told once, whatever follows.
    let end = health.recordEnd()
    #expect(end == nil)
  }

  /// What is told of a connection, answered or not, that the peer ended.
  private static func end(
    _ code: HTTP2ErrorCode?, hasAnswered: Bool = false
  ) -> (atOnce: ConnectionFault?, atTheEnd: ConnectionFault?) {
    var health = ConnectionHealth()
    if hasAnswered { health.recordAnswer() }
    let goaway = code.map { HTTP2Goaway(lastStream: 0, code: $0, debug: []) }
    let atOnce = goaway.flatMap { health.record($0) }
    return (atOnce, health.recordEnd(after: goaway))
  }

  @Test func anEndBeforeAnyAnswerIsAFault() {
    let lost = Self.end(nil)
    #expect(lost.atOnce == nil && lost.atTheEnd?.reason == .connect)
    // After NO_ERROR the request may still be answered.
    let ended = Self.end(.noError)
    #expect(ended.atOnce == nil && ended.atTheEnd?.reason == .goaway)
    let refused = Self.end(.enhanceYourCalm)
    #expect(refused.atOnce?.reason == .goaway && refused.atTheEnd == nil)
    #expect(refused.atOnce?.detail.contains("ENHANCE_YOUR_CALM") == true)
  }

  @Test(arguments: [nil, HTTP2ErrorCode.noError, .internalError])
  func theEndOfAConnectionThatAnsweredIsNoFault(code: HTTP2ErrorCode?) {
    let end = Self.end(code, hasAnswered: true)
    #expect(end.atOnce == nil && end.atTheEnd == nil)
  }
}
