import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("What the dashboard opens with")
struct OpeningTests {
  private static let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
  private static let month = Duration.days(30)

  private static func ended() -> Snapshot {
    SampleRun(phase: .ended(at: end, reason: "completed")).snapshot
  }

  private static func opened(_ opening: OpeningView, _ snapshot: Snapshot) -> (
    window: TimeWindow, remark: String?
  ) {
    var state = ViewState()
    let remark = opening.apply(to: &state, in: snapshot, columns: 109)
    return (state.window(in: snapshot, columns: 109), remark)
  }

  /// The rows of a dashboard that opens so.
  private static func rows(_ opening: OpeningView, _ snapshot: Snapshot, columns: Int = 120) throws
    -> [String]
  {
    let appearance = Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)
    let screen = try DashboardScreen(
      size: (columns, 30), appearance: appearance,
      options: ScreenOptions(motion: .none, zone: .utc, place: .store("/tmp/store"), opening: opening))
    screen.show(snapshot, at: .zero)
    _ = screen.advance(to: .zero)
    let buffer = CellBuffer(columns: columns, rows: 30, colors: .trueColor)
    screen.draw(on: buffer, damage: CellRegion(buffer.bounds))
    return Golden.rows(of: buffer)
  }

  @Test("a window that is longer than a run that is over is all of the run; a live one has room to grow")
  func long() {
    let whole = ViewState().window(in: Self.ended(), columns: 109)
    #expect(Self.opened(OpeningView(length: Self.month), Self.ended()).window == whole)
    let minute = Self.opened(OpeningView(length: .milliseconds(54_500)), Self.ended()).window
    #expect(minute.duration == .milliseconds(54_500) && minute.contains(Self.end))
    let live = Self.opened(OpeningView(length: Self.month), SampleRun().snapshot)
    #expect(live.window.duration > .days(20) && live.remark == nil)
    for opening in [
      OpeningView(since: SampleRun.start, length: Self.month),
      OpeningView(until: Self.end, length: Self.month),
      OpeningView(
        since: SampleRun.start - Self.month, until: Self.end + Self.month),
    ] {
      let window = Self.opened(opening, Self.ended()).window
      #expect(window.start <= SampleRun.start && window.end >= Self.end)
      #expect(window.duration <= whole.duration, "\(opening)")
    }
  }

  @Test("a length that is too short for the plot is said")
  func short() throws {
    let opened = Self.opened(OpeningView(length: .milliseconds(1)), Self.ended())
    #expect(opened.remark == "1 ms is less than 109 ms, the least that is shown")
    let rows = try Self.rows(OpeningView(length: .milliseconds(1)), Self.ended())
    #expect(rows.last?.contains("the least that is shown") == true, "\(rows.last ?? "")")
    #expect(Self.opened(OpeningView(length: .milliseconds(200)), Self.ended()).remark == nil)
  }

  @Test("where nothing lies, the plot says where the run does", arguments: [60, 120])
  func elsewhere(columns: Int) throws {
    let later = SampleRun.start + Self.month * 12
    let earlier = SampleRun.start.advanced(byMicroseconds: -3_600_000_000)
    func text(_ opening: OpeningView) throws -> String {
      try Self.rows(opening, Self.ended(), columns: columns).map { row in
        row.split(separator: " ").filter { !$0.allSatisfy { "│┈┤".contains($0) } }.joined(separator: " ")
          .replacing("┈", with: "").replacing("│", with: "")
      }.joined(separator: " ")
    }
    let future = try text(OpeningView(since: later))
    #expect(future.contains("2025-06-15"), "\(future)")
    for words in ["nothing was planned here;", "14:02:00 to", "0 shows it"] {
      #expect(future.contains(words), "\(words): \(future)")
    }
    let past = try text(OpeningView(since: earlier, length: .minutes(1)))
    #expect(past.contains("0 shows it") && !past.contains("2025-06-15 14:02"), "\(past)")
  }
}
