import ConstraintAnimation
import Measurement
import Store
import Terminal
import TestKit
import Testing

@testable import TUI

@Suite("The smallest terminal")
struct NarrowTests {
  private static let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)

  /// Every state that a header can be in.
  static let headers = [
    "live", "named", "looking back", "frozen", "ended", "gone", "replay", "paused", "idle", "recording",
    "findings", "not readable", "not forwarded", "silent",
  ]

  private static func stage(_ header: String, columns: Int, glyphs: GlyphRepertoire) throws -> Stage {
    var snapshot = SampleRun(seconds: 110, targets: ["a-target-with-a-long-name", "another"]).snapshot
    if ["ended", "replay", "paused", "idle"].contains(header) {
      snapshot.run?.phase = .ended(at: end, reason: "interrupted")
    }
    if header == "gone" {
      snapshot.run?.phase = .silent(since: end)
      snapshot.now = end.advanced(byMicroseconds: 119 * 60_000_000)
    }
    if header == "named" { snapshot.run?.name = "a run with a long name, as people give them" }
    if header == "idle" {
      snapshot.collector = CollectorStatus(isRunning: true, run: nil, staysAfterRun: true)
    }
    if header == "findings" { snapshot.panels.findings = TablePanelTests.findings() }
    if header == "not forwarded" { snapshot.unforwarded = ForwardPause.most }
    if header == "silent" { snapshot.silence(.unknownCA) }
    if header == "not readable" { snapshot.interruption = Interruption(since: end, text: "why") }
    if header == "recording" {
      snapshot.run?.phase = .ended(at: end, reason: "completed")
      snapshot.recording = SampleRun().snapshot.run
    }
    var stage = try Stage(columns: columns, rows: 16, glyphs: glyphs, motion: .none, snapshot: snapshot)
    switch header {
    case "looking back": stage.press(.left, .shift)
    case "frozen":
      stage.press(" ")
      var later = SampleRun(seconds: 3_000, rate: 50).snapshot
      later.number = 2
      stage.show(later)
    case "replay", "paused":
      stage.press("r")
      for _ in 0..<6 { stage.press(")") }
      if header == "paused" { stage.press(" ") }
    default: break
    }
    stage.frame()
    return stage
  }

  @Test(
    "what the header says ends before the tabs, whole", arguments: headers,
    [GlyphRepertoire.braille, .ascii])
  func header(_ header: String, glyphs: GlyphRepertoire) throws {
    let widths = TestLength.isLong ? [60, 61, 64, 70, 80, 81, 90, 100] : [60, 80]
    let rows = try widths.map { try Self.stage(header, columns: $0, glyphs: glyphs).rows[0] }
    for (columns, row) in zip(widths, rows) {
      let tabs = try #require(row.firstRange(of: "[1 Histogram]"))
      let said = row[..<tabs.lowerBound]
      #expect(said.hasSuffix(" "), "\(columns): \(row)")
      #expect(!said.trimmed.isEmpty, "\(columns): \(row)")
      #expect(row.contains("4 Runs"))
    }
    let least = rows[0]
    let words = [
      "looking back": "looking back", "frozen": "frozen +", "ended": "ended 2025-06-15",
      "gone": "gone for 119 min",
      "replay": "14:02:00 ", "paused": "14:02:00 ", "recording": "ended 2025-06-15",
      "findings": "1 finding ", "silent": "no receipts",
    ]
    if let said = words[header] { #expect(least.contains(said), "\(least)") }
    if header == "replay" || header == "paused" {
      #expect(least.contains(glyphs == .ascii ? " x100 " : " ×100 "), "\(least)")
    }
  }

  @Test("a target without any receipt is named, and how handshakes with the listener fail") func silent()
    throws
  {
    var snapshot = SampleRun(seconds: 110, targets: ["ios", "web"]).snapshot
    snapshot.silence(.unknownCA)
    func header(has text: String) throws -> Bool {
      var stage = try Stage(columns: 140, rows: 16, motion: .none, snapshot: snapshot)
      stage.frame()
      return stage.rows[0].contains(text)
    }
    #expect(try header(has: "no receipts from ios +1, TLS handshakes fail (unknown_ca)"))
    snapshot.handshakeFailure = nil
    snapshot.totals[1][.late] = 1
    #expect(try header(has: "no receipts from ios  "))
    snapshot.totals[0][.lost] = StateCounts.silence - 1
    #expect(try !header(has: "no receipts"))
    snapshot.totals[0][.lost] = StateCounts.silence
    snapshot.run?.phase = .ended(at: Self.end, reason: "completed")
    #expect(try !header(has: "no receipts"))
  }

  /// A run in which everything went wrong at least once.
  private static func troubled() -> Snapshot {
    var snapshot = SampleRun(seconds: 60).snapshot
    var track = PointTrack(target: snapshot.tracks[0].target)
    let states: [NotificationState] = [.late, .lost, .rejected, .failed, .missed, .interrupted]
    snapshot.tracks[0].forEachRun(in: 0..<snapshot.tracks[0].count) { run in
      for (place, point) in run.enumerated() {
        // Late enough to be in the shorter window of a narrow terminal.
        let first = 150
        let isTrouble = place >= first && place < first + 2 * states.count
        let state = isTrouble ? states[(place - first) / 2] : .delivered
        track.append(
          SamplePoint(
            plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
            scheduleLag: 40, acceptLatency: 4_000,
            deliveryLatency: state == .delivered || state == .late ? 200_000 : nil, state: state))
      }
    }
    snapshot.tracks = [track]
    return snapshot
  }

  @Test("no state that went wrong is left out of the plot's title", arguments: [60, 66, 72, 80, 100, 120])
  func losses(columns: Int) throws {
    for glyphs in [GlyphRepertoire.braille, .ascii] {
      let stage = try Stage(
        columns: columns, rows: 16, glyphs: glyphs, motion: .none, snapshot: Self.troubled())
      let counts = try #require(stage.screen.context.content).facts.counts
      for state in [NotificationState.late, .lost, .rejected, .failed, .missed, .interrupted] {
        #expect(counts[state] == 2)
        let sign = stage.screen.appearance.glyphs.sign(of: try #require(MarkClass(state)))
        let words = ["\(sign)2 ", "\(sign) 2 ", "\(sign) \(state.name) 2 "]
        #expect(words.contains { stage.rows[1].contains($0) }, "\(stage.rows[1])")
      }
      #expect(stage.rows[1].contains("planned \(counts.due)") && stage.rows[1].contains(" % delivered"))
      // Other words go first, at last the median.
      #expect(stage.rows[1].contains("p50") == (columns >= 72), "\(stage.rows[1])")
      // How many the figures speak for, and of what they are figures.
      let title = try #require(stage.rows.first { $0.contains("histogram") })
      #expect(title.contains("of \(counts.due) planned") && title.contains("delivery"), "\(title)")
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}

extension Snapshot {
  /// All of its notifications are lost.
  fileprivate mutating func silence(_ failure: HandshakeFailure) {
    for place in self.totals.indices {
      self.totals[place] = StateCounts()
      self.totals[place][.lost] = 40
    }
    self.handshakeFailure = failure
  }
}
