import Analysis
import ConstraintAnimation
import Measurement
import Store
import Testing

@testable import TUI

@Suite("Colors by a key")
struct ValueColorsTests {
  private static let network = BreakdownKey.context(.network)

  private static func values(_ count: Int, division: Int = 1) -> PointValues {
    var values = PointValues(division: division, key: .minute)
    values.set((0..<count).map { "v\($0)" }, order: (0..<count).map { UInt8($0 + 1) })
    return values
  }

  /// - Parameter counts: of the values, that of number 1 first.
  private static func colors(
    _ counts: [Int], _ division: Int = 1, after earlier: ValueColors? = nil
  ) -> ValueColors {
    ValueColors(values(counts.count, division: division), counts: [0] + counts, colors: 4, after: earlier)
  }

  private static func legend(_ colors: ValueColors) -> [String] {
    colors.legend.map { "\($0.text)=\($0.place)" }
  }

  @Test("as many values as colors have that of their place, whether they are in the window or not")
  func few() {
    let colors = Self.colors([5, 0, 7])
    #expect(Self.legend(colors) == ["v0=0", "v2=2"] && colors.others == 0 && colors.places.count == 3)
    #expect(colors.places[1] == 0 && colors.places[2] == 1 && colors.places[3] == 2)
  }

  @Test("of more the most frequent ones have one each, and the others share the last")
  func many() {
    let colors = Self.colors([1, 9, 2, 8, 7, 0])
    #expect(
      Self.legend(colors) == ["v1=0", "v3=1", "v4=2"] && colors.others == 2 && colors.placeOfOthers == 3)
    #expect(colors.places[1] == 3 && colors.places[3] == 3 && colors.places[5] == 2)
    // Equally frequent: the first ones.
    #expect(Self.legend(Self.colors([3, 3, 3, 3, 3])) == ["v0=0", "v1=1", "v2=2"])
  }

  @Test("a value keeps its color as long as it is in the window, and what has left makes room")
  func stays() {
    let first = Self.colors([9, 8, 7, 1, 1, 0])
    let second = Self.colors([0, 8, 1, 9, 9, 0], after: first)
    #expect(Self.legend(second) == ["v1=1", "v2=2", "v3=0", "v4=3"] && second.others == 0)
    let other = Self.colors([0, 8, 1, 9, 9, 0], 2, after: first)
    #expect(
      Self.legend(other) == ["v1=0", "v2=1", "v3=2", "v4=3"], "numbers of another division mean other values")
  }

  @Test("the plot beside has the same colors for the same values, and others for others")
  func beside() {
    func values(_ texts: [String], _ division: Int) -> PointValues {
      var values = PointValues(division: division, key: Self.network)
      values.set(texts, order: texts.indices.map { UInt8($0 + 1) })
      return values
    }
    let first = ValueColors(values(["wifi", "cellular"], 1), counts: [0, 3, 3], colors: 4, after: nil)
    let second = ValueColors(
      values(["cellular", "none", "not reported"], 2), counts: [0, 1, 1, 1], colors: 4, after: nil,
      beside: first)
    #expect(Self.legend(second) == ["cellular=1", "none=2", "not reported=3"])
    #expect(Self.legend(first.merged(with: second)) == ["wifi=0", "cellular=1", "none=2", "not reported=3"])
    #expect(second.places[1] == 1 && second.places[2] == 2)
    // Where the first has values that share a color, no other has that.
    let many = ValueColors(
      values(["a", "b", "c", "d", "e"], 3), counts: [0, 5, 4, 3, 2, 1], colors: 4, after: nil)
    let other = ValueColors(values(["x", "b"], 4), counts: [0, 1, 1], colors: 4, after: nil, beside: many)
    #expect(Self.legend(other) == ["b=1"] && other.others == 1 && other.places[1] == 3)
    // Where there are not enough colors left, the most frequent have one, and none has that of the others.
    let further = ValueColors(
      values(["p", "q", "r", "s"], 5), counts: [0, 1, 4, 2, 3], colors: 4, after: nil, beside: first)
    #expect(Self.legend(further) == ["q=2"] && further.others == 3 && further.placeOfOthers == 3)
    #expect([1, 3, 4].allSatisfy { further.places[$0] == 3 })
  }

  @Test("the worst class of a cell wins, in whatever order; good ones have the color of their value")
  func worstWins() throws {
    let axis = LatencyAxis(kind: .linear, lower: 0, upper: 1_000_000)
    func point(_ value: UInt8, _ state: NotificationState = .delivered) -> SamplePoint {
      var point = RasterTests.point(at: 100, accept: 5_000, delivery: 500_000, state: state)
      point.valueNumber = value
      return point
    }
    let colors = SeriesColors(
      coloring: .key(Self.network), targets: 3, metrics: [.delivery],
      values: ValuePlaces([1: 0, 2: 1], count: 2))
    func codes(_ points: [SamplePoint]) -> Set<UInt16> {
      var raster = DotRaster(encoding: .braille)
      raster.reset(columns: 50, rows: 10, encoding: .braille, places: colors.count)
      let projection = DotRaster.Projection(
        window: RasterTests.window(), lookup: RowLookup(axis: axis, rows: raster.dotRows), metric: .delivery,
        codes: colors.codes(target: 2, metric: .delivery), valueCodes: colors.valueCodes(metric: .delivery),
        pendingUntil: nil, dotColumns: 2)
      _ = points.withUnsafeBufferPointer { raster.plot($0, projection) }
      return Set(raster.codes.filter { $0 != 0 })
    }
    #expect(codes([point(2)]) == [MarkCode(.good, target: 1).rawValue])
    for points in [[point(1), point(2)], [point(2), point(1)]] {
      #expect(codes(points) == [MarkCode(.good, target: 0).rawValue])
    }
    for points in [[point(1, .late), point(2)], [point(2), point(1, .late)]] {
      let code = try #require(codes(points).first)
      #expect(MarkCode(rawValue: code).markClass == .late)
    }
    // A color for each value.
    #expect(colors.count == 2)
  }

  private static func stage(_ profile: Profile = .trueColor, _ run: SampleRun) throws -> Stage {
    var stage = try Stage(columns: 120, rows: 32, profile: profile, snapshot: run.snapshot)
    for character in ":color by network" { stage.press(character) }
    stage.press(.enter)
    stage.frames(2)
    return stage
  }

  private static func run() -> SampleRun {
    var run = SampleRun(rate: 8, targets: ["apns", "fcm"])
    run.divide(by: network, ["wifi", "cellular", "not reported"]) { target, place in
      place % 9 == 0 ? 2 : place % 3 == target ? 1 : 0
    }
    return run
  }

  @Test("look as recorded, with the values in the header", arguments: Profile.allCases)
  func recorded(_ profile: Profile) throws {
    let stage = try Self.stage(profile, Self.run())
    #expect(stage.rows[0].contains("wifi") && stage.rows[0].contains("cellular"))
    #expect(stage.text.contains("colors by network"))
    try Golden.expect(stage.buffer, named: "plots/by-network-\(profile.rawValue)")
  }

  @Test("the order to the reader has the key; the key for colors goes through it, and back to the targets")
  func cycle() throws {
    var stage = try Self.stage(.trueColor, Self.run())
    #expect(stage.screen.order.key == Self.network)
    stage.press("u")
    stage.frame()
    #expect(
      stage.screen.order.key == nil && !stage.rows[0].contains("wifi") && stage.rows[0].contains("apns"))
    stage.press("u")
    stage.press("u")
    stage.frame()
    #expect(stage.screen.state.plot.coloring == .key(Self.network) && stage.rows[0].contains("wifi"))
    for character in ":color by target" { stage.press(character) }
    stage.press(.enter)
    #expect(stage.screen.state.plot.coloring == .target)
  }

  @Test("values that the reader has of another key are not shown")
  func otherKey() throws {
    var run = Self.run()
    run.divide(by: .hour, ["01:00"]) { _, _ in 0 }
    let stage = try Self.stage(.trueColor, run)
    #expect(!stage.rows[0].contains("01:00") && stage.rows[0].contains("apns"))
  }

  @Test("sums have no values: targets keep their colors, and the title says so")
  func sums() throws {
    var run = Self.run()
    let window = TimeWindow(
      around: SampleRun.start, at: 0, scale: TimeScale(columnAtLeast: .seconds(1)), columns: 120)
    run.snapshot = DensityTests.summed(
      run.snapshot, until: SampleRun.start.advanced(byMicroseconds: 60_000_000), in: window)
    let stage = try Self.stage(.trueColor, run)
    #expect(stage.scene?.content.valueColors == nil && !stage.rows[0].contains("wifi"))
    #expect(stage.text.contains("colors by target"))
  }

  @Test("the crosshair says the value")
  func crosshair() throws {
    var run = SampleRun()
    run.divide(by: Self.network, ["wifi"]) { _, _ in 0 }
    var stage = try Self.stage(.trueColor, run)
    stage.press(".")
    stage.press(".")
    stage.frame()
    let scene = try #require(stage.scene)
    let spans = try #require(scene.pointedAt(in: 0, scene.crosshair?.pick))
    #expect(
      MarkClass(try #require(scene.crosshair?.pick).point.state) == .good && spans.last?.text == "  wifi")
  }

  @Test("a view keeps its key")
  func lastView() throws {
    let stage = try Self.stage(.trueColor, Self.run())
    let view = try #require(stage.screen.lastView)
    var state = ViewState()
    view.apply(to: &state, in: stage.screen.context.shown, columns: 100)
    #expect(state.plot.coloring == .key(Self.network))
  }

  @Test("text of devices is escaped")
  func hostile() throws {
    var run = SampleRun()
    run.divide(by: Self.network, ["\u{1B}[31mred", "wifi"]) { _, place in place % 2 }
    let stage = try Self.stage(.trueColor, run)
    #expect(!stage.text.contains("\u{1B}") && stage.rows[0].contains("red"))
  }
}
