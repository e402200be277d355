import Foundation
import Glibc
import Measurement
import TestKit
import TestTraits
import Testing

/// An hour in which the analyst is killed, stopped and trapped at whatever it works at, on a faster clock: in the
/// end the store, the fleet and those who are told of alerts have what they have without any fault. `make test` has a few minutes of it.
@Suite(
  "An hour of faults of the analyst", .ownThread,
  .enabled(if: CompressedClock.isAvailable && FleetEngine.isAvailable))
struct AnalystFaultHourTests {
  /// The units of work, as a part and what it works at.
  private static let units =
    [
      "findings runs", "findings loopback", "objectives fast", "alerts command", "alerts findings",
      "forward revisions", "forward the fleet's state",
    ] + ["sample", "receipt", "event", "log", "run", "finding"].map { "forward \($0)" }

  /// Deliveries are slow, and half of them are lost, for three minutes of each ten: the search finds the losses under load, too.
  private static let scenario = """
    deliveries: { delay: { distribution: lognormal, median: 30ms, sigma: 0.3 } }
    episodes:
      - name: slow delivery
        from: 2m
        for: 3m
        every: 10m
        deliveries: { delay: { distribution: lognormal, median: 300ms, sigma: 0.3 }, lost: 50% }

    """

  private enum Fault: CaseIterable { case kill, trap, stop }

  @Test("nothing is missing, and nothing is told or stored twice", .timeLimit(.minutes(30))) func hour()
    throws
  {
    let minutes = TestLength.isLong ? 60 : 5
    let subject = try AnalystSubject(
      rate: "5/s", deadline: "30s", scenario: Self.scenario, duration: "\(minutes + 3)m", clockRate: 4,
      hasFleet: true)
    let clock = try #require(subject.clock)
    var random = SeededGenerator(seed: 37)
    try subject.installation.waitFor("delivered", over: 20, by: subject.collector)
    let end = ContinuousClock.now + .seconds(minutes * 60) / clock.rate
    var faults: [Fault: Int] = [:]
    var number = 0
    while ContinuousClock.now < end || faults.count < Fault.allCases.count {
      defer { number += 1 }
      let analyst = try subject.analyst()
      clock.wait(.milliseconds(Int.random(in: 500...20_000, using: &random)))
      let fault = Fault.allCases[number % Fault.allCases.count]
      switch fault {
      case .kill: kill(analyst, SIGKILL)
      case .trap: try subject.induce("trap \(Self.units[number / 3 % Self.units.count])")
      case .stop: kill(analyst, SIGSTOP)
      }
      // What is stopped is killed after a minute; what is to be trapped may have nothing to do, or writes its report.
      let limit = ContinuousClock.now + .seconds(120) / clock.rate
      while subject.running == analyst, ContinuousClock.now < limit { usleep(50_000) }
      if subject.running != analyst { faults[fault, default: 0] += 1 }
      subject.induceNothing()
    }
    for fault in Fault.allCases { #expect(faults[fault, default: 0] > 0, "\(faults)") }
    // Whatever was switched off is tried again.
    subject.collector.signal(SIGHUP)
    #expect(try subject.collector.waitForExit(within: .seconds(240)) == 0)
    try subject.expectEveryRow()

    let store = ["--store", subject.installation.store]
    let kept = try Self.found(run(Programs.pushscope, ["findings", "--json"] + store).output)
    let anew = try Self.found(run(Programs.pushscope, ["findings", "--json", "--recompute"] + store).output)
    let summary = try run(Programs.pushscope, ["summary"] + store).output
    #expect(kept == anew && !kept.isEmpty, "\(kept) \(anew) \(summary)")

    let crossed = try subject.installation.query(
      "SELECT count(*) FROM event WHERE kind = 'threshold_crossed'")
    #expect(crossed == [["1"]])
    let told = try subject.toldAlerts()
    #expect(told.contains { $0.hasPrefix("firing") })
    #expect(Set(told).count == told.count, "\(told.sorted())")

    let late = try run(
      Programs.pushscope, ["forward", "--once", "--config", subject.installation.configuration] + store)
    #expect(late.status == 0, "\(late)")
    try subject.fleet?.expectAgreement(with: subject.installation)
    subject.service.signal(SIGTERM)
  }

  /// What was found, without what an alarm's moment makes different.
  private static func found(_ json: String) throws -> [String] {
    let answer = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
    return (answer["findings"] as? [[String: Any]] ?? []).map {
      "\($0["target"] ?? "") \($0["metric"] ?? "") \($0["kind"] ?? "") \($0["started_at"] ?? "")"
    }.sorted()
  }
}
