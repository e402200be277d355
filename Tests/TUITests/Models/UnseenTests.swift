import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("What was delivered and not shown")
struct UnseenTests {
  private static func point(
    _ at: Int64, _ display: DisplayState?, shownAfter: Int64? = nil, state: NotificationState = .delivered
  ) -> SamplePoint {
    SamplePoint(
      plannedAt: SampleRun.start.advanced(byMicroseconds: at), plannedMonotonic: at, scheduleLag: 40,
      acceptLatency: 4_000, deliveryLatency: state == .lost ? nil : 150_000, state: state, deliveryError: 0,
      displayTime: shownAfter, display: display)
  }

  /// A run of which each fifth notification was not shown, and one was shown after the deadline.
  private static func run(count: Int64 = 100) -> SampleRun {
    var run = SampleRun()
    var track = PointTrack(target: run.snapshot.tracks[0].target)
    var counts = StateCounts()
    for number in 1...count {
      let point =
        number == 7
        ? point(number * 1_000_000, .shownLate, shownAfter: 30_000_000)
        : number % 5 == 0
          ? point(number * 1_000_000, .unseen) : point(number * 1_000_000, .shown, shownAfter: 200_000)
      track.append(point)
      counts.add(point)
    }
    (run.snapshot.tracks, run.snapshot.totals) = ([track], [counts])
    return run
  }

  private static func stage(_ profile: Profile = .trueColor, keys: String = "v", run: SampleRun = run())
    throws
    -> Stage
  {
    var stage = try Stage(columns: 130, rows: 40, profile: profile, snapshot: run.snapshot)
    for key in keys { stage.press(key) }
    stage.frames(2)
    return stage
  }

  @Test("is a loss of the time until shown, and of nothing else")
  func classes() {
    let unseen = Self.point(0, .unseen)
    #expect(MarkClass(unseen, of: .shown) == .unseen && MarkClass(unseen, of: .delivery) == .good)
    #expect(MarkClass(Self.point(0, .shownLate), of: .shown) == .late)
    for display in [DisplayState.shown, .awaited, nil] {
      #expect(MarkClass(Self.point(0, display), of: .shown) == .good)
    }
    #expect(MarkClass(Self.point(0, nil, state: .lost), of: .shown) == .lost)
    #expect(MarkClass.unseen.isLoss && !MarkClass.late.isLoss && MarkClass.unseen < .missed)
  }

  @Test("stands in the loss band, in the title and beside the histogram", arguments: Profile.allCases)
  func marks(_ profile: Profile) throws {
    let sign = profile == .ascii ? "$" : "ø"
    let stage = try Self.stage(profile)
    let band = try #require(stage.scene).model(of: 0)
    #expect(band.metrics == [.shown])
    #expect(stage.rows[1].contains("\(sign) unseen 21"), "with what was shown after the deadline")
    #expect(stage.text.contains("unseen 21") && stage.text.contains("never") && stage.text.contains("shown "))
    try Golden.expect(stage.plot, named: "plots/unseen-\(profile.rawValue)")
    // Of delivery nothing is lost.
    let delivery = try Self.stage(profile, keys: "")
    #expect(!delivery.text.contains("unseen") && delivery.text.contains("arrived"))
  }

  @Test("columns count it as lost, points and sums alike")
  func columns() throws {
    let stage = try Self.stage()
    let scene = try #require(stage.scene)
    func outcomes(_ snapshot: Snapshot, _ metric: Metric) -> [ColumnOutcome] {
      var tiles = TiledRaster()
      let window = scene.content.window
      _ = tiles.plot(
        TileSources(snapshot, targets: [0], window: window), now: nil,
        settings: TiledRaster.Settings(
          scale: window.scale, axis: LatencyAxis(kind: .linear, lower: 0, upper: 1_000_000), rows: 10,
          encoding: .braille, metrics: [metric],
          colors: SeriesColors(coloring: .target, targets: 1, metrics: [metric]), hasSpread: false))
      return tiles.whole.outcomes
    }
    let snapshot = stage.screen.context.shown
    let points = outcomes(snapshot, .shown)
    #expect(points.reduce(0) { $0 + $1.lost } == 20 && points.contains { $0.worst == .unseen })
    #expect(outcomes(snapshot, .delivery).allSatisfy { $0.lost == 0 })
    let summed = DensityTests.summed(snapshot, until: snapshot.now, in: scene.content.window)
    let sums = outcomes(summed, .shown)
    // Sums do not tell those that were shown late from those that were not.
    #expect(sums.reduce(0) { $0 + $1.lost } == 21 && sums.contains { $0.worst == .unseen })
    #expect(outcomes(summed, .delivery).allSatisfy { $0.lost == 0 })
  }

  @Test("the crosshair and the list of a selection say so, and shown in place of delivery")
  func words() throws {
    let run = Self.run(count: 5)
    var stage = try Self.stage(run: run)
    let scene = try #require(stage.scene)
    let tester = try #require(scene.hitTester(of: 0))
    func text(_ index: Int) throws -> String {
      var pick: PickedNotification?
      tester.forEachMark(of: run.snapshot.tracks[0][index]) { metric, y in
        pick = PickedNotification(
          target: 0, sequence: Int64(index) + 1, point: run.snapshot.tracks[0][index], metric: metric,
          column: 0, y: y)
      }
      let found = try #require(pick)
      if index == 4 { #expect(found.y == scene.geometry.lossRow) }
      return NotificationText.spans(
        found, target: nil, now: nil, zone: .utc, stage.screen.appearance
      ).map(\.text).joined()
    }
    #expect(try text(0).hasPrefix("#1 shown 350 ms  accept 4.00 ms  delivery 150 ms"))
    #expect(try text(4).hasPrefix("#5 unseen  accept 4.00 ms  delivery 150 ms"))
    // A box around everything.
    var selection = Selection(label: "all")
    for sequence in 1...5 { selection.add(Int64(sequence), of: run.snapshot.tracks[0].target) }
    func list(_ metric: Metric) -> String {
      let picture = SelectionListModel(
        selection: selection, snapshot: run.snapshot, metric: metric, firstRow: 0, chosen: 0,
        appearance: stage.screen.appearance, zone: .utc
      ).picture(width: 110, height: 12)
      return picture.lines.map { $0.spans.map(\.text).joined() }.joined(separator: "\n")
    }
    #expect(
      list(.shown).contains("shown") && list(.shown).contains("350 ms") && list(.shown).contains("unseen"))
    #expect(!list(.shown).contains(" delivery ") && !list(.delivery).contains("unseen"))
    #expect(list(.delivery).contains(" delivery ") && list(.delivery).contains("150 ms"))
    stage.press("q")
  }

  @Test(
    "a replay does not know earlier than the deadline that it was not shown, or than it happened that it was")
  func replay() {
    let deadline: Int64 = 6_000_000
    func known(_ point: SamplePoint, after age: Int64) -> SamplePoint {
      point.known(at: SampleRun.start.advanced(byMicroseconds: age), deadline: deadline)
    }
    let unseen = Self.point(0, .unseen)
    #expect(known(unseen, after: 1_000_000).display == .awaited && known(unseen, after: 6_000_000) == unseen)
    let shown = Self.point(0, .shown, shownAfter: 2_000_000)
    let early = known(shown, after: 1_000_000)
    #expect(
      early.display == .awaited && early.value(of: .shown) == nil && early.value(of: .delivery) == 150_000)
    #expect(known(shown, after: 2_150_000) == shown)
    let plain = Self.point(0, nil)
    #expect(known(plain, after: 200_000) == plain)
  }
}
