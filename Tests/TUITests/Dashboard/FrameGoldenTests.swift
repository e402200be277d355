import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Panels and states in five kinds of terminals")
struct FrameGoldenTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// Typed one after the other; `~` is Enter, `^` Ctrl-P, `<-` is Left.
    var keys = ""
    var targets = ["loopback"]
    var isEnded = false
    /// Who writes to the store.
    var collector: CollectorStatus?
    /// Whether all but the newest are only known as sums.
    var isSummed = false
    /// Whether the log repeats itself.
    var hasFlood = false
    /// Whether the fleet that is shown does not answer, or rows wait for theirs.
    var isFleetAway = false
    var size = (80, 24)
    /// Frames at the end; few of them show what is on its way.
    var frames = 40

    var testDescription: String { name }
  }

  private static let idle = CollectorStatus(isRunning: true, run: nil, staysAfterRun: true)
  private static let recording = CollectorStatus(
    isRunning: true, run: RunsPanelTests.entries(1)[0].id, staysAfterRun: false)

  static let cases = [
    Case(name: "log", keys: "2"), Case(name: "events", keys: "3"), Case(name: "runs", keys: "4"),
    Case(name: "slide", keys: "3", frames: 7), Case(name: "frozen", keys: " "),
    Case(name: "ended", isEnded: true), Case(name: "replay", keys: "r)))))", isEnded: true),
    Case(name: "replay-paused", keys: "r)))))g14:03:00~ ", isEnded: true),
    Case(name: "palette", keys: "^pan"), Case(name: "palette-nothing", keys: ":xyzzy"),
    Case(name: "go-to", keys: "g14:"), Case(name: "go-to-refused", keys: "gsoon~"),
    Case(name: "nothing-to-compare", keys: "c"), Case(name: "help", keys: "?"),
    Case(name: "compare", keys: "c", targets: ["ios", "android"], size: (120, 32)),
    Case(name: "beside", keys: "o", size: (140, 30)),
    Case(name: "beside-compare", keys: "oc", targets: ["ios", "android"], size: (160, 32)),
    Case(name: "filter-asked", keys: "/goa"), Case(name: "filter", keys: "/CONNECTED transport~"),
    Case(name: "filter-nothing", keys: "/nowhere~"), Case(name: "rename", keys: "4R"),
    Case(name: "delete", keys: "4jX"), Case(name: "delete-recording", keys: "4X", collector: recording),
    Case(name: "start", keys: "s", isEnded: true, collector: idle),
    Case(name: "stop", keys: "s", collector: recording), Case(name: "no-collector", keys: "s"),
    Case(name: "sums", isSummed: true),
    Case(name: "rotating", keys: "o", size: (120, 32), frames: 9),
    Case(name: "log-folded", keys: "2", hasFlood: true), Case(name: "log-each", keys: "2E", hasFlood: true),
    Case(name: "log-newest-first", keys: "2S"), Case(name: "log-line", keys: "2JW"),
    Case(name: "hits", keys: "3/lost~&n"), Case(name: "annotate", keys: "Adeploy 4"),
    Case(name: "palette-argument", keys: ":threshold 800ms"),
    Case(name: "palette-refused", keys: ":threshold soon"),
    Case(name: "threshold-set", keys: ":threshold 800ms~"),
    Case(name: "fleet-away", isFleetAway: true, size: (120, 24)),
  ]

  @Test("look as recorded", arguments: cases, Profile.allCases)
  func recorded(_ row: Case, _ profile: Profile) throws {
    let end = SampleRun.start.advanced(byMicroseconds: 110_000_000)
    var snapshot = SampleRun(
      targets: row.targets, phase: row.isEnded ? .ended(at: end, reason: "completed") : .live
    ).snapshot
    snapshot.runs = RunsPanelTests.entries(7)
    snapshot.collector = row.collector
    if row.hasFlood { snapshot.log = ListReadingTests.flood }
    if row.isFleetAway {
      snapshot.interruption = Interruption(since: end, text: "the engine does not answer")
      snapshot.unforwarded = 12_345
    }
    if row.isSummed {
      let window = ViewState().window(in: snapshot, columns: row.size.0 - ScatterGeometry.gutter - 2)
      snapshot = DensityTests.summed(
        snapshot, until: end.advanced(byMicroseconds: -20_000_000), in: window)
    }
    var stage = try Stage(
      columns: row.size.0, rows: row.size.1, colors: profile.colors, glyphs: profile.glyphs,
      snapshot: snapshot)
    for key in row.keys {
      switch key {
      case "~": stage.press(.enter)
      case "^": stage.press(.character("p"), .control)
      default: stage.press(key)
      }
      if key == "r" { stage.frames(30) }
    }
    stage.frames(row.frames)
    try Golden.expect(stage.buffer, named: "frames/\(row.name)-\(profile.rawValue)")
  }

  @Test("every built-in theme tells the states apart by color")
  func themes() {
    for theme in Theme.all {
      let states = [
        theme.pending, theme.late, theme.missed, theme.interrupted, theme.rejected, theme.failed, theme.lost,
      ]
      #expect(Set(states).count == states.count, "\(theme.name)")
      #expect(!states.contains(theme.targets[0].sparse) && !states.contains(theme.targets[0].dense))
    }
  }
}
