import ConstraintAnimation
import Findings
import Measurement
import Store
import Testing

@testable import Analysis
@testable import TUI

@Suite("The values of a key in the panel of targets")
struct ValuesModelTests {
  private static let network = BreakdownKey.context(.network)

  private static func row(_ value: String, _ delivered: Int, lost: Int = 0, hasTail: Bool = true)
    -> BreakdownTable.Row
  {
    var counts = StateCounts()
    counts.add(.delivered, isSent: true, isAccepted: true, count: delivered)
    counts.add(.lost, isSent: true, isAccepted: true, count: lost)
    return BreakdownTable.Row(
      values: [value], counts: counts, count: delivered,
      inTime: ShareInterval(independent: delivered, of: delivered + lost),
      median: QuantileInterval(
        independent: .known(value: 180_000, low: 171_000, high: 192_000), value: 180_000, count: delivered),
      p99: QuantileInterval(
        independent: hasTail ? .known(value: 900_000, low: 700_000, high: 1_900_000) : .tooFew(needs: 368),
        value: 900_000, count: delivered))
  }

  /// - Parameter share: what is in time.
  private static func run(
    _ rows: [BreakdownTable.Row], key: BreakdownKey = network,
    share: ValueTable.Share = .within(2_000_000, source: "objective fa\u{1B}st")
  ) -> SampleRun {
    var run = SampleRun()
    run.snapshot = TablePanelTests.snapshot()
    run.divide(by: key, ["wifi", "cellular"]) { _, place in place % 2 }
    run.snapshot.panels.values = ValueTable(
      order: ValueTableOrder(
        key: key, window: SampleRun.start..<run.snapshot.now, targets: run.snapshot.targets.map(\.id)),
      metric: .delivery, share: share,
      content: .rows(BreakdownTable(rows: rows, all: row("all", 1_200, lost: 3))), prunedTo: nil)
    return run
  }

  private static let three = [
    row("wifi", 800), row("cellular", 390, hasTail: false), row("not\u{1B} reported", 0, lost: 3),
  ]

  private static func stage(
    _ run: SampleRun, _ profile: Profile = .trueColor, columns: Int = 120, rows: Int = 44,
    key: String = "network"
  ) throws -> Stage {
    var stage = try Stage(columns: columns, rows: rows, profile: profile, snapshot: run.snapshot)
    for character in ":color by \(key)" { stage.press(character) }
    stage.press(.enter)
    stage.press("5")
    stage.frames(60)
    return stage
  }

  @Test("stand below the targets as recorded, with the colors of the plot", arguments: Profile.allCases)
  func recorded(_ profile: Profile) throws {
    let stage = try Self.stage(Self.run(Self.three), profile)
    #expect(stage.text.contains("within 2 s") && !stage.text.contains("\u{1B}"))
    try Golden.expect(stage.panel, named: "tables/values-\(profile.rawValue)")
    let order = try #require(stage.screen.order.panels.values)
    #expect(order.key == Self.network && order.targets.count == 3)
  }

  @Test("are gone with the key, and are read only for the panel")
  func gone() throws {
    var stage = try Self.stage(Self.run(Self.three))
    for character in ":color by target" { stage.press(character) }
    stage.press(.enter)
    stage.frames(2)
    #expect(!stage.text.contains("within 2 s") && stage.screen.order.panels.values == nil)
    stage.press("u")
    stage.press("u")
    stage.press("1")
    stage.frames(60)
    #expect(stage.screen.state.plot.coloring == .key(Self.network) && stage.screen.order.panels.values == nil)
  }

  @Test("another key than that of the table is being read; a share without a limit is of the delivered")
  func states() throws {
    var run = Self.run(Self.three)
    #expect(try Self.stage(run, key: "hour").text.contains("reading"))
    run = Self.run(Self.three, share: .delivered)
    let stage = try Self.stage(run)
    #expect(stage.panelRows.contains { $0.contains("network") && $0.contains("delivered") })
    run.snapshot.panels.values = ValueTable(
      order: try #require(run.snapshot.panels.values).order, metric: .delivery, share: .delivered,
      content: .tooManyNotifications, prunedTo: nil)
    #expect(try Self.stage(run).text.contains("zoom in, or ask pushscope summary --by network"))
  }

  @Test("pages turn the values where these are not all in view; arrows choose targets")
  func pages() throws {
    let rows = (0..<24).map { Self.row("v\($0 < 10 ? "0" : "")\($0)", 50) }
    var stage = try Self.stage(Self.run(rows), rows: 40)
    let layout = stage.screen.context.targetsLayout(stage.screen.state)
    #expect(layout.targets >= 4 && layout.valueRows > 2 && layout.valueRows < 24)
    #expect(stage.panelRows.contains { $0.contains(" v00 ") })
    stage.press(.pageDown)
    stage.frames(2)
    #expect(!stage.panelRows.contains { $0.contains(" v00 ") })
    for _ in 0..<9 { stage.press(.pageDown) }
    stage.frames(2)
    #expect(
      stage.panelRows.contains { $0.contains(" v23 ") } && stage.panelRows.contains { $0.contains(" all ") })
    #expect(stage.screen.state.tables.targets.chosen == nil)
    stage.press(.down)
    #expect(stage.screen.state.tables.targets.chosen != nil)
    for _ in 0..<20 { stage.press(.pageUp) }
    stage.frames(2)
    #expect(stage.panelRows.contains { $0.contains(" v00 ") })
  }

  @Test("both parts have room, or the values have all of it")
  func layouts() {
    #expect(
      TargetsLayout(height: 12, targets: 3, rows: nil) == TargetsLayout(height: 12, targets: 9, rows: nil))
    for height in 1...40 {
      for (targets, rows) in [(1, 1), (3, 4), (20, 4), (3, 25), (20, 25)] {
        let layout = TargetsLayout(height: height, targets: targets, rows: rows)
        #expect(layout.targets + layout.values == height)
        #expect(layout.targets == 0 || layout.targets >= min(targets + 2, 4))
        #expect(layout.targets == 0 || layout.values >= min(rows + 2, 4))
      }
    }
    // Right below the targets; before further ones.
    #expect(TargetsLayout(height: 20, targets: 3, rows: 4).targets == 5)
    #expect(TargetsLayout(height: 20, targets: 30, rows: 4).values == 6)
  }
}

extension Stage {
  fileprivate var panelRows: [String] { Golden.rows(of: panel) }
}
