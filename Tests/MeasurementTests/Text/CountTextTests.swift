import Measurement
import Testing

@Suite struct CountTextTests {
  @Test func countsOneThingAsOne() {
    #expect([0, 1, 2].map { CountText.text($0, "run") } == ["0 runs", "1 run", "2 runs"])
    #expect(CountText.text(Int64(2), "delivery", plural: "deliveries") == "2 deliveries")
  }
}
