import ConstraintAnimation
import Formats
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("One notification, the columns of tables, annotations and figures")
struct NotificationTests {
  /// The sample run with everything about one notification.
  private static func stage(_ profile: Profile = .trueColor, columns: Int = 110, rows: Int = 34) throws
    -> Stage
  {
    let snapshot = SampleRun().snapshot
    var stage = try Stage(
      columns: columns, rows: rows, colors: profile.colors, glyphs: profile.glyphs, motion: .none,
      snapshot: snapshot)
    stage.press("i")
    stage.press(",")
    stage.press(.enter)
    stage.press(.enter)
    return stage
  }

  private static func record(_ id: SampleID) -> NotificationRecord {
    var sample = Sample(
      id: id, variant: .none, plannedAt: SampleRun.start.advanced(byMicroseconds: 40_000_123),
      plannedMonotonic: 40_000_123)
    (sample.state, sample.status, sample.reason) = (.delivered, 200, "")
    (sample.scheduleLag, sample.serviceTime, sample.acceptLatency) = (210, 41_000, 41_210)
    (sample.deliveryLatency, sample.deliveryError, sample.deliveryHigh) = (812_000, 30_000, 842_000)
    (sample.peerAck, sample.path, sample.attempt, sample.payloadBytes) = (9_000, 8_400, 2, 412)
    (sample.httpVersion, sample.timestampSource, sample.duplicates) = (.http2, .kernel, 1)
    sample.connection = ConnectionUse(
      id: 3, age: 0, isFresh: true, streamsInFlight: 4,
      phases: ConnectionPhases(dns: 1_200, connect: 8_300, tls: 17_000))
    let received = sample.plannedAt.advanced(byMicroseconds: 812_000)
    return NotificationRecord(
      sample: sample, target: "loopback", variant: "priority=10", receiptDeadline: .seconds(6),
      receipts: [
        Receipt(
          sample: id, device: "pixel\u{1B}[2J", receivedAt: received,
          arrivedAt: received.advanced(byMicroseconds: 60_000), isSameClock: false, offset: -12_000,
          offsetError: 30_000)
      ],
      events: [
        Event(
          at: sample.plannedAt.advanced(byMicroseconds: -900_000), kind: .goaway, target: id.target,
          detail: "NO_ERROR, last stream 321")
      ])
  }

  private static func read(_ stage: inout Stage) throws -> SampleID {
    let id = try #require(stage.screen.overlay as? NotificationSheet).id
    var snapshot = stage.screen.context.latest
    snapshot.number += 1
    snapshot.panels.notification = record(id)
    stage.show(snapshot)
    stage.frame()
    return id
  }

  @Test("Enter opens it from the list, it is read, and Escape goes back to the list")
  func opening() throws {
    var stage = try Self.stage()
    let sheet = try #require(stage.screen.overlay as? NotificationSheet)
    let id = sheet.id
    #expect(stage.screen.order.panels.notification == id && sheet.place == 0)
    stage.frame()
    #expect(stage.text.contains("reading"))
    _ = try Self.read(&stage)
    for words in [
      "#\(id.sequence) delivered", "+41.2 ms", "+812 ms (782 to 842 ms)",
      "status 200, HTTP/2, stamped by the kernel",
      "#3, opened for it: name 1.20 ms, connect 8.30 ms, TLS 17.0 ms, 4 in flight",
      "round trip of PING 8.40 ms", "arrived 771 ms (741 to 801 ms) after it was accepted",
      "12.0 ms behind", "±30.0", "goaway NO_ERROR", "receipt within 6.00 s", "2, 412 bytes", "pixel␛[2J",
      "priority=10",
    ] {
      #expect(stage.text.contains(words), "\(words)")
    }
    stage.press(.escape)
    #expect(stage.screen.overlay is SelectionList)
    #expect(stage.screen.order.panels.notification == nil)
    stage.press(.escape)
    #expect(stage.screen.overlay == nil)
  }

  @Test("Y copies it without anything that a terminal obeys, e exports it alone")
  func copying() throws {
    var stage = try Self.stage()
    let id = try Self.read(&stage)
    stage.press("Y")
    stage.press("e")
    guard case .copy(let text)? = stage.effects.first else {
      Issue.record("nothing was copied")
      return
    }
    #expect(
      text.contains("received: +812 ms") && text.contains("connection: #3") && text.contains("-900 ms goaway")
    )
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    #expect(stage.effects.last == .exportSamples([id]))
  }

  @Test("looks as recorded", arguments: Profile.allCases)
  func recorded(_ profile: Profile) throws {
    var stage = try Self.stage(profile)
    _ = try Self.read(&stage)
    try Golden.expect(stage.buffer, named: "overlays/notification-\(profile.rawValue)")
    stage = try Self.stage(profile, columns: 60, rows: 16)
    _ = try Self.read(&stage)
    try Golden.expect(stage.buffer, named: "overlays/notification-smallest-\(profile.rawValue)")
  }

  @Test("columns are chosen and the order changed by keys", arguments: Profile.allCases)
  func columns(_ profile: Profile) throws {
    var stage = try Stage(
      columns: 140, rows: 34, colors: profile.colors, glyphs: profile.glyphs, motion: .none,
      snapshot: TablePanelTests.snapshot())
    stage.press("5")
    stage.press("C")
    stage.press(.down)
    stage.press(" ")
    stage.frame()
    #expect(stage.text.contains("[ ] rate") && stage.text.contains("[x] target"))
    try Golden.expect(stage.buffer, named: "overlays/columns-\(profile.rawValue)")
    stage.press(.escape)
    stage.frame()
    let heading = try #require(stage.rows.first { $0.contains("last event") })
    #expect(!heading.contains(" rate ") && heading.contains("delivered"))
    for _ in 0..<6 { stage.press("S") }
    stage.frame()
    #expect(stage.screen.context.listed.targets.map(\.target.name) == ["web", "ios", "android"])
    #expect(stage.rows.last?.contains("by p99") == true)
  }

  @Test("the last column cannot be hidden")
  func lastColumn() throws {
    var stage = try Stage(motion: .none, snapshot: TablePanelTests.snapshot())
    stage.press("6")
    stage.press("C")
    for _ in 0..<20 {
      stage.press(" ")
      stage.press(.down)
    }
    #expect(stage.screen.state.tables.hiddenColumns[.findings]?.count ?? 0 < FindingsModel.titles.count)
  }

  @Test("A writes an annotation at the crosshair, and says what it needs")
  func annotation() throws {
    var stage = try Stage(motion: .none)
    stage.press("i")
    stage.press("A")
    stage.press(.enter)
    stage.frame()
    #expect(stage.text.contains("say what happened") && stage.effects.isEmpty)
    for character in "deploy 412" { stage.press(character) }
    stage.press(.enter)
    guard case .control(.annotate(let annotation))? = stage.effects.last else {
      Issue.record("\(stage.effects)")
      return
    }
    #expect(annotation.text == "deploy 412" && annotation.run == stage.screen.context.latest.run?.id)
    let window = try #require(stage.screen.context.content?.window)
    let column = try #require(stage.screen.state.plot.crosshair?.column)
    #expect(window.column(of: annotation.at) == column)
  }

  @Test("figures have a row a column, whose counts add up to those of the window")
  func figures() throws {
    let stage = try Stage()
    let figures = try #require(stage.screen.columnFigures)
    var lines: [String] = []
    try figures.forEachLine { lines.append($0) }
    #expect(lines[0] == ColumnFigures.heading)
    let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let names = lines[0].split(separator: ",").map(String.init)
    #expect(rows.allSatisfy { $0.count == names.count })
    let counts = try #require(stage.screen.context.content).facts.counts
    for (name, expected) in [
      ("due", counts.due), ("lost", counts[.lost]), ("delivered", counts[.delivered]), ("sent", counts.sent),
    ] {
      let place = try #require(names.firstIndex(of: name))
      #expect(rows.reduce(0) { $0 + (Int($1[place]) ?? 0) } == expected, "\(name)")
    }
    #expect(rows.count <= figures.window.columns)
  }

  @Test(
    "the intervals of figures allow for notifications that depend on each other, and say so where they are open"
  )
  func honestFigures() throws {
    // Ten seconds of 40 notifications each; in every other one all are slow.
    var snapshot = SampleRun(seconds: 10, rate: 1).snapshot
    var track = PointTrack(target: snapshot.targets[0].id)
    for number in 0..<400 {
      let planned = Int64(number) * 25_000
      track.append(
        SamplePoint(
          plannedAt: SampleRun.start.advanced(byMicroseconds: planned), plannedMonotonic: planned,
          scheduleLag: 40, acceptLatency: 4_000,
          deliveryLatency: (number / 40 % 2 == 0 ? 100_000 : 900_000) + Int64(number % 40) * 100,
          state: .delivered, deliveryError: 0))
    }
    snapshot.tracks = [track]
    let window = TimeWindow(
      around: SampleRun.start, at: 0, scale: TimeScale(columnAtLeast: .seconds(10)), columns: 2)
    let figures = ColumnFigures(snapshot: snapshot, window: window, targets: [0], metric: .delivery)
    var lines: [String] = []
    try figures.forEachLine { lines.append($0) }
    let names = lines[0].split(separator: ",").map(String.init)
    func value(_ name: String) throws -> Double? {
      let place = try #require(names.firstIndex(of: name))
      return Double(lines[1].split(separator: ",", omittingEmptySubsequences: false)[place])
    }
    // Ten seconds, each of which is fast or slow as a whole, say as much as ten values, and not as much as 400.
    let effective = try #require(try value("p50_effective_count"))
    #expect(effective < 60, "\(effective)")
    #expect(try value("p50_us") != nil && value("count") == 400 && value("due") == 400)
    #expect(try value("p50_low_us") ?? 0 <= 103_900 && value("p50_high_us") ?? .infinity >= 900_000)
  }
}
