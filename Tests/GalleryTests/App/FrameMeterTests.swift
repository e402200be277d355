import ConstraintAnimation
import Testing

@testable import gallery

@Suite struct FrameMeterTests {
  @Test func tellsTheMeanTwiceASecond() {
    var meter = FrameMeter()
    func time(_ milliseconds: Int64) -> MotionTime { MotionTime(nanoseconds: milliseconds * 1_000_000) }
    #expect(meter.text(at: time(900)) == nil)
    meter.record(.microseconds(400), bytes: 100)
    meter.record(.microseconds(800), bytes: 300)
    #expect(meter.text(at: time(400)) == nil)
    #expect(meter.text(at: time(500)) == "frame 0.60 ms 200 B")
    meter.record(.microseconds(50), bytes: 7)
    #expect(meter.text(at: time(900)) == nil)
    #expect(meter.text(at: time(1000)) == "frame 0.05 ms 7 B")
  }
}
