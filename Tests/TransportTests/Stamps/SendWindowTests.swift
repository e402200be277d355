import Measurement
import Testing

@testable import Transport

@Suite struct SendWindowTests {
  private func departure(_ stamps: Int64...) -> Int64? {
    SendWindow(began: MonotonicTime(microseconds: 1000), ended: MonotonicTime(microseconds: 1015))
      .departure(among: stamps.map { MonotonicTime(microseconds: $0) })?.microseconds
  }

  @Test func thePacketThatLeftMeanwhileCounts() {
    #expect(departure(1007) == 1007)
    #expect(departure(1000) == 1000)
    #expect(departure(1015) == 1015)
  }

  @Test func whatIsOfAnotherSendDoesNot() {
    #expect(departure() == nil)
    #expect(departure(999) == nil)
    #expect(departure(1016) == nil)
    #expect(departure(400, 1007) == 1007)
  }

  @Test func theFirstOfSeveralPacketsIsTheBatchs() {
    #expect(departure(1007, 1009) == 1007)
    #expect(departure(1009, 1007) == 1007)
  }
}
