import Measurement
import Testing

/// What a reload did to targets is read back from the event that says it.
@Suite struct ReloadedTargetsTests {
  @Test(
    "names are read back, whatever else the event says",
    arguments: [
      ReloadedTargets(), ReloadedTargets(ended: ["web"]),
      ReloadedTargets(changed: ["ios", "a.b-c_d"], begun: ["new"], ended: ["web", "hook"]),
    ])
  func roundTrip(_ targets: ReloadedTargets) {
    let detail = (["SIGHUP"] + targets.words + ["collector.store_group needs a restart"]).joined(
      separator: ReloadedTargets.separator)
    #expect(ReloadedTargets(detail: detail) == targets)
  }

  @Test func wordsAreForPeople() {
    let targets = ReloadedTargets(changed: ["ios", "web"], ended: ["hook"])
    #expect(targets.words == ["targets changed: ios, web", "targets ended: hook"])
    #expect(ReloadedTargets(detail: "SIGHUP: nothing changed") == ReloadedTargets())
  }
}
