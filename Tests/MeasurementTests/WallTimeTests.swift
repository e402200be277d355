import Measurement
import Testing

@Suite struct WallTimeTests {
  @Test(arguments: [
    (Int64(0), "1970-01-01T00:00:00.000000Z"),
    (1_772_366_400_000_250, "2026-03-01T12:00:00.000250Z"),
    (-1, "1969-12-31T23:59:59.999999Z"),
    (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
    (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
    (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
    (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
    (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
  ])
  func isWrittenAndReadAsRFC3339(microseconds: Int64, text: String) {
    let time = WallTime(microseconds: microseconds)
    #expect(time.rfc3339 == text)
    #expect(text.utf8.count == WallTime.rfc3339Length)
    #expect(WallTime(rfc3339: text) == time)
  }

  @Test(arguments: [
    ("2026-03-01T12:00:00Z", Int64(0)), ("2026-03-01t12:00:00z", 0), ("2026-03-01 12:00:00Z", 0),
    ("2026-03-01T13:30:00+01:30", 0), ("2026-03-01T07:00:00-05:00", 0), ("2026-03-01T12:00:00.5Z", 500_000),
    ("2026-03-01T12:00:00.000001999Z", 1), ("2026-03-01T11:59:60Z", 0),
  ])
  func readsEveryFormOfTheStandard(text: String, past: Int64) {
    #expect(WallTime(rfc3339: text)?.microseconds == 1_772_366_400_000_000 + past)
  }

  @Test(arguments: [
    "", "2026-03-01", "2026-03-01T12:00:00", "2026-3-01T12:00:00Z", "2026-13-01T12:00:00Z",
    "2026-02-29T12:00:00Z",
    "2026-04-31T12:00:00Z", "2026-00-10T12:00:00Z", "2026-01-00T12:00:00Z", "2026-03-01T24:00:00Z",
    "2026-03-01T12:60:00Z", "2026-03-01T12:00:61Z", "2026-03-01T12:00:00.Z",
    "2026-03-01T12:00:00.1234567890Z",
    "2026-03-01T12:00:00+1:00", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:00Zx", "+026-03-01T12:00:00Z",
    "2026-03-01T12:00:00.5", "２026-03-01T12:00:00Z",
  ])
  func refusesEverythingElse(text: String) {
    #expect(WallTime(rfc3339: text) == nil)
  }

  @Test func everyDayOfFourCenturiesComesBack() {
    var previous = CivilDate(daysSinceEpoch: -146_097 / 2 - 1)
    for day in Int64(-146_097 / 2)...146_097 / 2 {
      let date = CivilDate(daysSinceEpoch: day)
      #expect(date.daysSinceEpoch == day)
      let follows =
        date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
        || date.day == 1 && previous.day >= 28
      #expect(follows)
      previous = date
    }
  }

  @Test func addsMicroseconds() {
    let time = WallTime(microseconds: 10)
    #expect(time.advanced(byMicroseconds: -15) == WallTime(microseconds: -5))
    #expect(time < time.advanced(byMicroseconds: 1))
  }
}

@Suite struct WholeTimeTests {
  @Test(
    arguments: [
      (0, 0, 0), (1, 0, 3_600_000_000), (3_600_000_000, 3_600_000_000, 3_600_000_000),
      (-1, -3_600_000_000, 0),
      (-3_600_000_000, -3_600_000_000, -3_600_000_000),
    ] as [(Int64, Int64, Int64)])
  func wholeHoursAroundAMoment(moment: Int64, before: Int64, after: Int64) {
    let moment = WallTime(microseconds: moment)
    #expect(moment.floored(to: .hours(1)).microseconds == before)
    #expect(moment.ceiled(to: .hours(1)).microseconds == after)
  }

  @Test func theEndsOfTimeStay() {
    #expect(WallTime.distantPast.floored(to: .days(1)) == .distantPast)
    let last = WallTime.distantFuture.ceiled(to: .seconds(1))
    #expect(last <= .distantFuture && last > .distantFuture - .seconds(1))
  }
}
