import Configuration
import Measurement
import TestKit
import Testing

@testable import Collector

/// What a schedule is too slow to see is said before anything is sent.
@Suite struct ScheduleDoctorTests {
  private func findings(_ schedule: String, objectives: String = "") throws -> [DoctorFinding] {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      "pushscope.yaml",
      """
      targets:
        - { name: hook, provider: http, endpoint: 'https://127.0.0.1:9', schedule: { \(schedule) } }
      \(objectives)
      """)
    let configuration = try PushscopeConfiguration.load(path: file, environment: [:])
    return ScheduleDoctor.findings(of: configuration.targets, objectives: configuration.objectives)
  }

  @Test func aScheduleThatSeesNoOutageIsNoted() throws {
    let found = try findings("every: 6m")
    let note = try #require(found.first)
    #expect(found.count == 1 && note.level == .note && note.subject == "hook" && note.step == "schedule")
    #expect(note.message.hasPrefix("one notification in 6 min: arriving ×"), "\(note.message)")
    #expect(
      note.message.contains(#/ slower is found after .*, an outage of less than .* is not$/#),
      "\(note.message)")
    #expect(try findings("every: 5s").isEmpty)
    #expect(
      try findings("every: 12h").first?.message
        == "one notification in 12 h: neither a slowdown nor an outage of up to 8 h is found")
  }

  @Test func anObjectiveThatTheScheduleCannotDecideIsNoted() throws {
    let objective = "objectives: [{ name: prompt, target: hook, within: 2s, share: 99.9%, window: 1d }]"
    let found = try findings("every: 30s", objectives: objective)
    #expect(
      found.map(\.message) == [
        "objective \"prompt\": 2880 notifications in 1 d cannot show that 99.9 % are in time; that takes 3688 without a failure"
      ])
    #expect(found.first?.remedy == "send 2.56/min or more, or make its window longer")
    #expect(try findings("every: 15s", objectives: objective).isEmpty)
  }
}
