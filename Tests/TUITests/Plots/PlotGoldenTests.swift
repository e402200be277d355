import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Plots in five kinds of terminals")
struct PlotGoldenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var keys = ""
    var targets = ["loopback"]
    var showsPanel = false
    var hasOutage = false
    var size = (110, 30)

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "scatter"), Case(name: "scatter-overlaid", keys: "d"),
    Case(name: "scatter-side-by-side", keys: "dd"),
    Case(name: "scatter-by-state", keys: "u", targets: ["ios-alert", "loopback"]),
    Case(name: "scatter-threshold-fixed", keys: "lyy]T<"),
    Case(name: "outage", hasOutage: true), Case(name: "bands", keys: "B"),
    Case(name: "heat-minutes", keys: "HH"), Case(name: "heat-hours", keys: "H"),
    Case(name: "five-targets", targets: ["apns", "fcm", "web", "ntfy", "loopback"]),
    Case(name: "multiples", keys: "M", targets: ["apns", "fcm", "web", "ntfy", "loopback"]),
    Case(
      name: "multiples-wide", keys: "M", targets: ["apns", "fcm", "web", "ntfy", "loopback"], size: (200, 60)),
    Case(name: "twenty-targets", targets: (1...20).map { "target-\($0)" }),
    Case(name: "histogram", showsPanel: true), Case(name: "histogram-seconds", keys: "b", showsPanel: true),
  ]

  @Test("look as recorded", arguments: cases, Profile.allCases)
  func recorded(_ row: Case, _ profile: Profile) throws {
    var snapshot = SampleRun(rate: 8, targets: row.targets).snapshot
    // One of the targets is accepted only, so that both good states are there.
    if row.hasOutage { snapshot = SampleRun.outage().snapshot }
    if row.targets.count == 2 { snapshot.tracks[1] = Self.accepted(snapshot.tracks[1]) }
    var stage = try Stage(
      columns: row.size.0, rows: row.size.1, profile: profile, snapshot: snapshot)
    for key in row.keys { stage.press(key) }
    if let order = stage.screen.order.calendar, let run = snapshot.run?.id {
      stage.screen.show(SampleRun.calendar(order, of: run), at: stage.screen.window.time)
    }
    stage.frames(2)
    try Golden.expect(
      row.showsPanel ? stage.panel : stage.plot, named: "plots/\(row.name)-\(profile.rawValue)")
  }

  @Test("octants are drawn where the terminal has them")
  func octants() throws {
    let stage = try Stage(columns: 110, rows: 30, glyphs: .octants)
    try Golden.expect(stage.plot, named: "plots/scatter-octants")
  }

  private static func accepted(_ track: PointTrack) -> PointTrack {
    var result = PointTrack(target: track.target)
    for index in 0..<track.count {
      let point = track[index]
      result.append(
        SamplePoint(
          plannedAt: WallTime(microseconds: point.plannedAt), plannedMonotonic: point.plannedMonotonic,
          scheduleLag: 40, acceptLatency: point.acceptLatency,
          deliveryLatency: index % 2 == 0 ? point.deliveryLatency : nil,
          state: index % 2 == 0 ? point.state : .accepted))
    }
    return result
  }
}
