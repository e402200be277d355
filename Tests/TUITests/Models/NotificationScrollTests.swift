import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("A notification that has more lines than its sheet")
struct NotificationScrollTests {
  private static func record(_ id: SampleID) -> NotificationRecord {
    var sample = Sample(
      id: id, variant: .none, plannedAt: SampleRun.start.advanced(byMicroseconds: 40_000_000),
      plannedMonotonic: 40_000_000)
    (sample.state, sample.status, sample.reason) = (.delivered, 200, "")
    (sample.scheduleLag, sample.serviceTime, sample.acceptLatency) = (210, 41_000, 41_210)
    (sample.deliveryLatency, sample.deliveryError) = (812_000, 0)
    (sample.attempt, sample.path) = (1, 8_400)
    let events = (0..<12).map { number in
      Event(
        at: sample.plannedAt.advanced(byMicroseconds: Int64(number) * 1_000), kind: .goaway,
        target: id.target, detail: "event \(number)")
    }
    return NotificationRecord(
      sample: sample, target: "loopback", variant: "", receiptDeadline: .seconds(6), receipts: [],
      events: events)
  }

  @Test("PgDn and PgUp scroll it, and its edge says how much is not in view")
  func scrolling() throws {
    var stage = try Stage(columns: 60, rows: 16, motion: .none)
    for key in [InputEvent.Key.character("i"), .character(","), .enter, .enter] { stage.press(key) }
    let id = try #require(stage.screen.overlay as? NotificationSheet).id
    var snapshot = stage.screen.context.latest
    snapshot.number += 1
    snapshot.panels.notification = Self.record(id)
    stage.show(snapshot)
    stage.frame()
    #expect(stage.text.contains("PgDn") && stage.text.contains(" more") && !stage.text.contains("event 11"))
    var seen = stage.text
    for _ in 0..<4 {
      stage.press(.pageDown)
      stage.frame()
      seen += stage.text
    }
    for words in ["round trip of PING", "receipt within 6.00 s", "around it"] {
      #expect(seen.contains(words), "\(words)")
    }
    for number in 0..<12 { #expect(seen.contains("event \(number)"), "\(number)") }
    #expect(stage.text.contains("event 11") && stage.text.contains("PgUp"))
    for _ in 0..<4 { stage.press(.pageUp) }
    stage.frame()
    #expect(stage.text.contains("+812 ms") && stage.text.contains("PgDn"))
  }

  @Test("where all of it fits nothing is said of more")
  func whole() throws {
    let id = SampleID(target: TargetID(rawValue: 1), sequence: 7)
    let model = NotificationDetails(
      id: id, record: Self.record(id),
      appearance: Appearance(theme: .dark, colors: .trueColor, glyphs: .braille), zone: .utc)
    let size = model.details.size(fitting: (100, 60))
    #expect(model.details.mostScroll(size) == 0)
    let picture = model.picture(size, from: 5)
    let text = picture.lines.map { TextSpan.text(of: $0.spans) }.joined(separator: "\n")
    #expect(text.contains("planned") && text.contains("event 11") && !text.contains(" more"))
  }
}
