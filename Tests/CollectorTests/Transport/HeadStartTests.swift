import Testing

@testable import Collector

@Suite struct HeadStartTests {
  /// Held requests keep the thread awake: never for more than a tenth of its time.
  @Test func isBoundedByTimeAndByRate() {
    #expect(HeadStart.of(perSecond: 1) == .microseconds(250))
    #expect(HeadStart.of(perSecond: 400) == .microseconds(250))
    #expect(HeadStart.of(perSecond: 1000) == .microseconds(100))
    #expect(HeadStart.of(perSecond: 2500) == .microseconds(40))
    #expect(HeadStart.of(perSecond: 2501) == .zero)
    #expect(HeadStart.of(perSecond: 1e6) == .zero)
  }
}
