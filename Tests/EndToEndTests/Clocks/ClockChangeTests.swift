import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

/// docs/measurement.md, *Clocks*: what is stored, and what retention does, where a clock is wrong. What findings do is in
/// AnalysisTests.
@Suite("A clock that is wrong", .ownThread, .enabled(if: PreloadedClock.isAvailable))
struct ClockChangeTests {
  /// A row of the table.
  enum Change: Sendable, CustomTestStringConvertible {
    case step(Int)
    case suspend(Int)

    var seconds: Int {
      switch self {
      case .step(let seconds), .suspend(let seconds): seconds
      }
    }

    var event: String {
      switch self {
      case .step: "clock_step"
      case .suspend: "suspended"
      }
    }

    /// Whether retention must not delete what seems to be old. What a suspend lasted has really passed.
    var isHeld: Bool {
      switch self {
      case .step(let seconds): seconds > 2 * 86_400
      case .suspend: false
      }
    }

    func apply(to clock: PreloadedClock) {
      switch self {
      case .step(let seconds): clock.step(by: seconds)
      case .suspend(let seconds): clock.wake(after: seconds)
      }
    }

    var testDescription: String { "\(self)" }
  }

  private static let steps: [Change] = [-259_200, -3_600, -1, 1, 3_600, 259_200].map(Change.step)

  private static func installation() throws -> (Installation, PreloadedClock) {
    let installation = try Installation(rate: "25/s", target: ["receipt_deadline: 20s", "timeout: 20s"])
    let text = try String(decoding: installation.directory.bytes("pushscope.yaml"), as: UTF8.self)
    try installation.directory.write("pushscope.yaml", text + "retention: { samples: 2d }\n")
    return (installation, try PreloadedClock(in: installation.directory))
  }

  private static let scenario = "deliveries: { delay: 20ms }\n"

  private func number(_ sql: String, _ installation: Installation) throws -> Int {
    try #require(Int(try installation.query(sql).first?.first ?? ""), "\(sql)")
  }

  /// What holds whatever a clock did: nothing is lost, no number is missing, and no interval knows of it.
  private func expectWhole(
    _ installation: Installation, runs: Int = 1, states: Set<String> = ["delivered", "missed"]
  )
    throws
  {
    #expect(try installation.query("PRAGMA integrity_check") == [["ok"]])
    let found = try installation.states()
    #expect(Set(found.keys).isSubset(of: states), "\(found)")
    #expect(
      try installation.query("SELECT run FROM sample_view GROUP BY run HAVING count(*) <> max(sequence)")
        .isEmpty)
    #expect(try number("SELECT count(DISTINCT run) FROM sample_view", installation) == runs)
    let range = try installation.query(
      "SELECT min(delivery_us) > 0, max(delivery_us) < 20000000, max(delivery_error_us) FROM sample_view WHERE state = 'delivered'"
    )
    #expect(range == [["1", "1", "0"]])
    #expect(try number("SELECT count(*) FROM finding", installation) == 0)
    for command in [["summary"], ["status"], ["findings"], ["runs", "list"]] {
      let result = try run(Programs.pushscope, command + ["--store", installation.store])
      #expect(result.status == 0, "\(command): \(result.error)")
    }
  }

  private func expectHeld(_ change: Change, _ installation: Installation, by collector: RunningProcess) throws
  {
    let waiting = "SELECT count(*) FROM event_view WHERE kind = 'retention_waiting'"
    guard change.isHeld else { return #expect(try number(waiting, installation) == 0) }
    try eventually("retention holds back", seen: { collector.standardError }) {
      try number(waiting, installation) > 0
    }
  }

  @Test(
    "while a run is recorded: one event, planned times go on by the new clock, intervals do not notice",
    .timeLimit(.minutes(10)), arguments: steps + [.suspend(28_800)])
  func running(_ change: Change) throws {
    let (installation, clock) = try Self.installation()
    let service = try installation.startLoopback(scenario: Self.scenario, environment: clock.environment)
    let collector = try installation.collect([], environment: clock.environment)
    try installation.waitFor("delivered", over: 50, by: collector)
    change.apply(to: clock)
    let before = try installation.states()["delivered"] ?? 0
    try eventually("\(change) is noticed", seen: { collector.standardError }) {
      try number("SELECT count(*) FROM event_view WHERE kind = '\(change.event)'", installation) == 1
    }
    try installation.waitFor("delivered", over: before + 100, by: collector)
    try expectHeld(change, installation, by: collector)
    #expect(try collector.stop() == 0)
    try service.stop()
    try expectWhole(installation)
    let events = try installation.query(
      "SELECT kind, detail FROM event_view WHERE kind IN ('clock_step', 'suspended')")
    #expect(events.count == 1, "\(events)")
    #expect(try number("SELECT count(*) FROM anchor", installation) == 2)
    // From the first planned time to the last: the change, and the seconds that the run lasted.
    let length = try number(
      "SELECT (SELECT planned_at FROM sample ORDER BY id DESC LIMIT 1) - (SELECT planned_at FROM sample ORDER BY id LIMIT 1)",
      installation)
    #expect((change.seconds..<change.seconds + 300).contains(length / 1_000_000), "\(length)")
  }

  @Test(
    "at the start, after a collector that was killed: its run is closed, nothing of it is deleted, and the next one is whole",
    .timeLimit(.minutes(10)), arguments: steps)
  func start(_ change: Change) throws {
    let (installation, clock) = try Self.installation()
    let service = try installation.startLoopback(scenario: Self.scenario, environment: clock.environment)
    // The service's certificate is not valid before it was made: clocks that are set back were ahead.
    if change.seconds < 0 { clock.step(by: -change.seconds) }
    let first = try installation.collect(["--run-name", "first"], environment: clock.environment)
    try installation.waitFor("delivered", over: 50, by: first)
    first.signal(SIGKILL)
    _ = try first.waitForExit()
    change.apply(to: clock)
    let second = try installation.collect(["--run-name", "second"], environment: clock.environment)
    try eventually("the second run is recorded", seen: { second.standardError }) {
      try number(
        "SELECT count(*) FROM sample_view WHERE run = (SELECT uuid FROM run WHERE name = 'second') AND state = 'delivered'",
        installation) > 50
    }
    try expectHeld(change, installation, by: second)
    #expect(try second.stop() == 0)
    try service.stop()
    try expectWhole(installation, runs: 2, states: ["delivered", "missed", "interrupted"])
    #expect(
      try installation.query("SELECT name, end_reason FROM run ORDER BY id") == [
        ["first", "interrupted"], ["second", "stopped"],
      ])
    #expect(try number("SELECT count(*) FROM run WHERE ended_at < started_at", installation) == 0)
    // Nothing of what has surely been sent was taken for not due.
    #expect(
      try number(
        "SELECT count(*) FROM sample_view WHERE run = (SELECT uuid FROM run WHERE name = 'first') AND state = 'delivered'",
        installation) > 50)
    #expect(
      try run(Programs.pushscope, ["summary", "--store", installation.store]).output.contains("second"))
  }

  @Test(
    "a monotonic clock that stands still: what came due meanwhile is missed, nothing is sent in a bunch",
    .timeLimit(.minutes(10)))
  func monotonicStands() throws {
    let (installation, clock) = try Self.installation()
    let service = try installation.startLoopback(scenario: Self.scenario)
    let collector = try installation.collect([], environment: clock.environment)
    try installation.waitFor("delivered", over: 50, by: collector)
    clock.stopMonotonic(for: 3)
    let before = try installation.states()["delivered"] ?? 0
    try installation.waitFor("delivered", over: before + 100, by: collector)
    #expect(try collector.stop() == 0)
    try service.stop()
    #expect(
      try number("SELECT count(*) FROM sample_view WHERE state = 'missed' AND reason = 'lag'", installation)
        > 50)
    #expect(
      try number("SELECT count(*) FROM sample_view WHERE state NOT IN ('delivered', 'missed')", installation)
        == 0)
    #expect(try number("SELECT count(*) FROM sample_view WHERE schedule_lag_us > 1000000", installation) <= 2)
    #expect(try number("SELECT max(sequence) - count(*) FROM sample_view", installation) == 0)
  }
}
