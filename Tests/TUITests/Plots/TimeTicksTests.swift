import Measurement
import Testing

@testable import TUI

@Suite("The axis of time")
struct TimeTicksTests {
  /// 2025-06-15 14:02:00 UTC.
  static let noonish = WallTime(microseconds: 1_749_996_120_000_000)

  struct Case: Sendable, CustomTestStringConvertible {
    let column: Duration
    let columns: Int
    let first: [String]

    var testDescription: String { "\(columns) columns of \(column)" }
  }

  static let cases = [
    Case(column: .milliseconds(1), columns: 120, first: ["02:00.000", "02:00.020", "02:00.040"]),
    Case(column: .milliseconds(100), columns: 120, first: ["14:02:00", "14:02:02", "14:02:04"]),
    Case(column: .milliseconds(500), columns: 120, first: ["14:02:00", "14:02:10", "14:02:20"]),
    Case(column: .seconds(1), columns: 120, first: ["14:02:00", "14:02:15", "14:02:30"]),
    Case(column: .seconds(5), columns: 120, first: ["14:02", "14:03", "14:04"]),
    Case(column: .minutes(1), columns: 120, first: ["14:15", "14:30", "14:45"]),
    Case(column: .hours(2), columns: 120, first: ["Jun 16", "Jun 17", "Jun 18"]),
  ]

  @Test("the table", arguments: cases)
  func table(_ row: Case) {
    let scale = TimeScale(columnAtLeast: row.column)
    #expect(scale.columnDuration == row.column)
    let window = TimeWindow(around: Self.noonish, at: 0, scale: scale, columns: row.columns)
    let ticks = TimeTicks.make(for: window, spacing: 12, in: .utc)
    #expect(Array(ticks.map(\.label).prefix(3)) == row.first)
    #expect(ticks.allSatisfy { $0.column >= 0 && $0.column < row.columns })
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1.column - $0.column >= 12 })
  }

  @Test("marks fall on round times of the place, not of UTC")
  func zones() {
    let zone = LocalTime { _ in (5 * 3600 + 1800) * 1_000_000 }
    let window = TimeWindow(
      around: Self.noonish, at: 0, scale: TimeScale(columnAtLeast: .minutes(10)), columns: 100)
    let labels = TimeTicks.make(for: window, spacing: 12, in: zone).map(\.label)
    #expect(labels.first == "20:00" && labels[1] == "22:00")
  }

  @Test("a mark has its offset where clocks are set, in ASCII")
  func clockChange() {
    let change = WallTime(microseconds: Self.noonish.microseconds / 86_400_000_000 * 86_400_000_000)
    let zone = LocalTime { $0 < change ? -14_400_000_000 : -18_000_000_000 }
    let window = TimeWindow(
      around: change, at: 0.5, scale: TimeScale(columnAtLeast: .minutes(10)), columns: 100)
    let labels = TimeTicks.make(for: window, spacing: 12, in: zone).map(\.label)
    #expect(
      labels.count { $0.hasSuffix(" -05:00") } == 1 && labels.count { $0.contains(" ") } == 1, "\(labels)")
  }

  @Test("a following window stands still until the edge leaves it, then steps")
  func stepping() {
    let scale = TimeScale(columnAtLeast: .milliseconds(100))
    var windows: [TimeWindow] = []
    for tick in 0..<2_000 {
      let edge = WallTime(microseconds: 1_000_000_000_000 + Int64(tick) * 33_333)
      let window = TimeWindow(following: edge, scale: scale, columns: 100, step: 32)
      #expect(window.contains(edge))
      // Never more empty room at the right than a step.
      #expect(window.column(of: edge) >= 100 - 32)
      if windows.last != window { windows.append(window) }
    }
    #expect(zip(windows, windows.dropFirst()).allSatisfy { $1.firstColumn - $0.firstColumn == 32 })
    #expect(windows.count > 15)
  }

  @Test("the window before ends where this one begins")
  func previous() {
    let window = TimeWindow(
      around: Self.noonish, at: 0.5, scale: TimeScale(columnAtLeast: .microseconds(1)), columns: 81)
    #expect(window.previous.end == window.start)
    #expect(window.previous.duration == window.duration)
    #expect(window.column(of: Self.noonish) == 40)
  }

  @Test("times before 1970 do not upset the grid")
  func beforeTheEpoch() {
    let window = TimeWindow(
      around: WallTime(microseconds: -90_000_001), at: 0, scale: TimeScale(columnAtLeast: .seconds(1)),
      columns: 60)
    #expect(window.column(of: window.start) == 0)
    #expect(window.column(of: WallTime(microseconds: window.start.microseconds - 1)) == -1)
    #expect(TimeTicks.make(for: window, spacing: 10, in: .utc).first?.label == "23:58:30")
  }
}
