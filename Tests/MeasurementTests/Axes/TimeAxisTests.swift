import Measurement
import Testing

@Suite("Marks of an axis of time where clocks are set") struct TimeAxisTests {
  private static let hour: Int64 = 3_600_000_000
  /// 2026-11-01T06:00:00Z: the end of daylight saving time in New York.
  private static let end = WallTime(microseconds: 1_793_512_800_000_000)
  private static let newYork = LocalTime { $0 < end ? -4 * hour : -5 * hour }
  /// 2026-03-29T01:00:00Z: its begin in Berlin.
  private static let begin = WallTime(microseconds: 1_774_746_000_000_000)
  private static let berlin = LocalTime { $0 < begin ? hour : 2 * hour }

  private func marks(_ change: WallTime, _ hours: ClosedRange<Int64>, each: Int64, in zone: LocalTime)
    -> [String]
  {
    TimeAxis.marks(
      from: change.advanced(byMicroseconds: hours.lowerBound * Self.hour),
      to: change.advanced(byMicroseconds: hours.upperBound * Self.hour), atLeast: each, in: zone
    ).map { $0.label + ($0.offset.map { " " + LocalTime.offsetText($0) } ?? "") }
  }

  @Test func anHourThatComesTwice() {
    #expect(
      marks(Self.end, -2...2, each: Self.hour, in: Self.newYork) == [
        "00:00", "01:00", "01:00 −05:00", "02:00",
      ])
    #expect(
      marks(Self.end, -30...60, each: 24 * Self.hour, in: Self.newYork)
        == ["Oct 31", "Nov 1", "Nov 2 −05:00", "Nov 3"])
  }

  @Test func anHourThatIsMissing() {
    #expect(
      marks(Self.begin, -2...3, each: Self.hour, in: Self.berlin)
        == ["00:00", "01:00", "03:00 +02:00", "04:00", "05:00"])
    // 03:00 is two hours after 00:00: too near.
    #expect(
      marks(Self.begin, -2...9, each: 3 * Self.hour, in: Self.berlin) == ["00:00", "06:00 +02:00", "09:00"])
  }

  @Test func changesAreFoundToTheSecond() {
    let day = 24 * Self.hour
    let early = Self.end.advanced(byMicroseconds: -400 * day)
    let late = Self.end.advanced(byMicroseconds: 400 * day + 17)
    #expect(Self.newYork.changes(from: early, to: late) == [Self.end])
    #expect(Self.newYork.changes(from: Self.end, to: late).isEmpty)
    #expect(Self.newYork.changes(from: early, to: Self.end).isEmpty)
    #expect(LocalTime.utc.changes(from: early, to: late).isEmpty)
    #expect(
      Self.newYork.changes(from: WallTime(microseconds: .min), to: WallTime(microseconds: .max)).isEmpty)
    #expect(LocalTime.offsetText(-(3 * Self.hour + Self.hour / 2)) == "−03:30")
  }
}
