import Testing
import Threads

@Suite("Signals that end a command") struct StopSignalsTests {
  private typealias Step = (signal: StopSignals.Signal, milliseconds: Int, action: StopSignals.Action)

  private func check(_ steps: [Step], hangupReloads: Bool = true) {
    var signals = StopSignals()
    for (index, step) in steps.enumerated() {
      let action = signals.action(
        for: step.signal, at: .milliseconds(step.milliseconds), hangupReloads: hangupReloads)
      #expect(action == step.action, "step \(index)")
    }
  }

  @Test("signals within half a second are one stop, a later one ends the command at once") func oneStop() {
    check([
      (.terminate, 1_000, .stop), (.terminate, 1_001, .ignore), (.interrupt, 1_500, .ignore),
      (.interrupt, 1_501, .abort),
    ])
    check([(.interrupt, 0, .stop), (.terminate, 60_000, .abort)])
  }

  @Test("a terminal that closes sends SIGHUP and SIGTERM, in any order") func hangup() {
    check([(.hangup, 0, .stop), (.terminate, 100, .ignore), (.hangup, 200, .ignore)], hangupReloads: false)
    check([(.terminate, 0, .stop), (.hangup, 1, .ignore), (.hangup, 9_000, .ignore)])
  }

  @Test("SIGHUP reloads until something asks for a stop") func reload() {
    check([(.hangup, 0, .reload), (.hangup, 100, .reload), (.terminate, 200, .stop), (.hangup, 900, .ignore)])
  }
}
