import Measurement
import Testing

@testable import Transport

@Suite struct ReceiveWindowTests {
  private static func at(_ microseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: microseconds) }

  private func window(look: Int64, first: Int64?, last: Int64?) -> ReceiveWindow {
    ReceiveWindow(lookedAt: Self.at(look), first: first.map(Self.at), last: last.map(Self.at))
  }

  private func expect(
    _ window: ReceiveWindow, callback: Int64, sent: Int64, gives time: Int64, by source: TimestampSource,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let stamp = window.stamp(callback: Self.at(callback), sent: Self.at(sent))
    #expect(stamp.time == Self.at(time) && stamp.source == source, sourceLocation: location)
  }

  @Test func anAnswerAloneHasThePacketsTime() {
    expect(window(look: 1020, first: 1000, last: 1000), callback: 1080, sent: 500, gives: 1000, by: .kernel)
    expect(window(look: 1060, first: 1000, last: 1050), callback: 1080, sent: 500, gives: 1000, by: .kernel)
  }

  @Test func aLateLookDoesNotMatter() {
    expect(window(look: 9000, first: 1000, last: 1010), callback: 9060, sent: 500, gives: 1000, by: .kernel)
  }

  @Test func bytesFromBeforeTheRequestDoNotCount() {
    expect(window(look: 1020, first: 400, last: 410), callback: 1080, sent: 500, gives: 1080, by: .callback)
    expect(window(look: 1020, first: 500, last: 500), callback: 1080, sent: 500, gives: 500, by: .kernel)
  }

  @Test func aBurstDoesNotCount() {
    expect(window(look: 5000, first: 1000, last: 1051), callback: 5060, sent: 500, gives: 5060, by: .callback)
    expect(window(look: 5000, first: 1000, last: nil), callback: 5060, sent: 500, gives: 5060, by: .callback)
  }

  @Test func aLongReadDoesNotCount() {
    expect(window(look: 1020, first: 1000, last: 1000), callback: 1271, sent: 500, gives: 1271, by: .callback)
  }

  @Test func noStampOrOneFromTheFutureDoesNotCount() {
    expect(window(look: 1020, first: nil, last: nil), callback: 1080, sent: 500, gives: 1080, by: .callback)
    // The wall clock was set back between the stamp and the offset.
    expect(window(look: 1020, first: 2000, last: 2000), callback: 1080, sent: 500, gives: 1080, by: .callback)
    expect(window(look: 1020, first: 1000, last: 900), callback: 1080, sent: 500, gives: 1080, by: .callback)
  }
}
