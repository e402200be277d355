import Foundation
import HTTPTestKit
import Measurement
import Store
import TestKit
import TestTraits
import Testing
import Threads

@testable import Configuration
@testable import Monitoring

@Suite(.ownThread) struct AlertQueueTests {
  /// As the program does: a command that does not read its input ends no more than itself.
  init() { signal(SIGPIPE, SIG_IGN) }

  private let webhook = AlertQueue.Way(name: "webhook", sendsResolved: true, repeatInterval: .hours(1))
  private let silent = AlertQueue.Way(name: "command", sendsResolved: false, repeatInterval: .hours(1))

  private func time(_ seconds: Double) -> WallTime {
    WallTime(microseconds: 1_700_000_000_000_000 + Int64(seconds * 1e6))
  }

  private func alert(_ id: String = "a") -> Alert {
    Alert(
      kind: .objective, id: id, labels: ["alertname": "X", "objective": id],
      annotations: ["summary": "s"], startedAt: time(0))
  }

  private func deliver(
    _ queue: inout AlertQueue, _ way: AlertQueue.Way, at now: WallTime, problem: String? = nil
  ) -> [String] {
    let due = queue.due(way, at: now)
    if !due.isEmpty { _ = queue.record(due, way, problem: problem, at: now) }
    return due.map { "\($0.id) \($0.endedAt == nil ? "firing" : "resolved")" }
  }

  /// Times that no clock has written, as in a store that was edited.
  @Test(arguments: [Int64.min, 0, .max]) func impossibleTimesOfADelivery(number: Int64) {
    var record = alert().record
    record.deliveries["webhook"] = AlertRecord.Delivery()
    record.deliveries["webhook"]?.firedAt = number
    record.deliveries["webhook"]?.failingSince = number
    record.deliveries["webhook"]?.tries = Int(number)
    var queue = AlertQueue(stored: [record])
    _ = queue.nextDue([webhook], after: time(0))
    _ = deliver(&queue, webhook, at: time(0))
    _ = queue.record([record], webhook, problem: "none there", at: time(0))
    #expect(queue.records["a"]?.deliveries["webhook"]?.problem == "none there")
  }

  @Test("after a clock that was ahead, what failed is tried again and what was told is repeated")
  func clockSetBack() {
    for problem in ["no", nil] {
      var queue = AlertQueue()
      queue.replace(.objective, with: [alert()], at: time(0))
      let ahead = 3.0 * 86_400
      #expect(deliver(&queue, webhook, at: time(ahead), problem: problem) == ["a firing"])
      #expect(queue.nextDue([webhook], after: time(10)) == time(10))
      #expect(deliver(&queue, webhook, at: time(10)) == ["a firing"])
      #expect(deliver(&queue, webhook, at: time(11)).isEmpty)
    }
  }

  @Test func lastingAlertIsToldOnceAndRepeated() {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert()], at: time(0))
    #expect(deliver(&queue, webhook, at: time(0)) == ["a firing"])
    #expect(deliver(&queue, webhook, at: time(3599)).isEmpty)
    #expect(queue.nextDue([webhook], after: time(3599)) == time(3600))
    #expect(deliver(&queue, webhook, at: time(3600)) == ["a firing"])
    queue.replace(.objective, with: [], at: time(4000))
    #expect(deliver(&queue, webhook, at: time(4000)) == ["a resolved"])
    #expect(deliver(&queue, webhook, at: time(9000)).isEmpty)
    queue.removeFinished([webhook])
    #expect(queue.records.isEmpty)
    #expect(queue.drainUnsaved().removedAlerts == ["a"])
  }

  @Test func endIsNotToldWhereItIsNotWanted() {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert()], at: time(0))
    #expect(deliver(&queue, silent, at: time(0)) == ["a firing"])
    queue.replace(.objective, with: [], at: time(1))
    #expect(deliver(&queue, silent, at: time(2)).isEmpty)
    queue.removeFinished([silent])
    #expect(queue.records.isEmpty)
  }

  /// What began and ended while nobody could be told is not told.
  @Test func endOfWhatWasNeverToldIsNotTold() {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert()], at: time(0))
    #expect(deliver(&queue, webhook, at: time(0), problem: "no") == ["a firing"])
    queue.replace(.objective, with: [], at: time(5))
    #expect(deliver(&queue, webhook, at: time(60)).isEmpty)
    queue.removeFinished([webhook])
    #expect(queue.records.isEmpty)
  }

  @Test func failuresAreRetriedWithGrowingPausesForADay() throws {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert()], at: time(0))
    var now = 0.0
    var tries: [Double] = []
    while let due = queue.nextDue([webhook], after: time(now)), tries.count < 100 {
      now = Double(due.microseconds - time(0).microseconds) / 1e6
      #expect(deliver(&queue, webhook, at: time(now), problem: "HTTP status 500") == ["a firing"])
      tries.append(now)
    }
    #expect(Array(tries.prefix(4)) == [0, 10, 30, 70])
    let pauses = zip(tries.dropFirst(), tries).map(-)
    #expect(pauses == pauses.sorted())
    #expect(pauses.max() == 3600)
    #expect((86_400...90_000).contains(try #require(tries.last)))
    #expect(queue.records["a"]?.deliveries["webhook"]?.isGivenUp == true)
    #expect(queue.records["a"]?.deliveries["webhook"]?.problem == "HTTP status 500")
    // The next incident is told again.
    queue.replace(.objective, with: [alert("b")], at: time(now))
    #expect(deliver(&queue, webhook, at: time(now)) == ["b firing"])
  }

  /// A restart: what was told is not told again, and what was not is.
  @Test func storedStateGoesOn() {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert("a"), alert("b")], at: time(0))
    let first = queue.due(webhook, at: time(0)).filter { $0.id == "a" }
    _ = queue.record(first, webhook, problem: nil, at: time(0))
    let saved = queue.drainUnsaved()
    #expect(saved.alerts.count == 2)
    var next = AlertQueue(stored: saved.alerts)
    #expect(deliver(&next, webhook, at: time(10)) == ["b firing"])
    next.replace(.objective, with: [alert("a"), alert("b")], at: time(11))
    #expect(next.due(webhook, at: time(11)).isEmpty)
  }

  @Test func otherKindsStay() {
    var queue = AlertQueue()
    queue.replace(.objective, with: [alert()], at: time(0))
    queue.replace(.finding, with: [], at: time(1))
    #expect(queue.records["a"]?.endedAt == nil)
  }

  // MARK: Findings

  private func finding(
    _ id: String, incident: String, kind: FindingKind = .slower, status: FindingStatus = .open
  )
    -> FindingRecord
  {
    var generator = SeededGenerator(seed: 1)
    var record = FindingRecord(
      id: id, incident: incident, run: RunID(at: time(0), using: &generator), target: "t-\(id)", variant: "",
      provider: "apns", endpoint: "", device: "", metric: .delivery, kind: kind, status: status,
      startedAt: time(0), detectedAt: time(1), seenUntil: time(2))
    (record.quantile, record.before, record.after, record.cause) = (0.9, 170_000, 900_000, .host)
    return record
  }

  /// One cause is one alert; what is provisional, over or better is none.
  @Test func incidentsAreAlertsOfTheirOwnKind() {
    let alerts = AlertSources.alerts(
      of: [
        finding("aa", incident: "aa"), finding("bb", incident: "aa"),
        finding("cc", incident: "cc", status: .provisional),
        finding("dd", incident: "dd", status: .closed), finding("ee", incident: "ee", kind: .faster),
      ], labels: [ConfiguredLabel(name: "region", value: "eu")])
    #expect(alerts.map(\.id) == ["finding:aa"])
    #expect(alerts.first?.kind == .finding)
    #expect(alerts.first?.labels["target"] == "t-aa")
    #expect(alerts.first?.labels["region"] == "eu")
    #expect(
      alerts.first?.annotations["summary"]
        == "Notifications to t-aa and t-bb arrive slower since 2023-11-14 22:13:20 UTC: to t-aa, 9 of 10 within 900 ms (before 170 ms)."
    )
    #expect(alerts.first?.annotations["sentence"]?.hasSuffix("It is this host: it sends late.") == true)
    #expect(alerts.first?.annotations["before"] == "170 ms" && alerts.first?.annotations["quantile"] == "0.9")
  }

  // MARK: Command

  private func deliver(_ arguments: [String], input: String = "{}", timeout: Duration = .seconds(30)) -> (
    problem: String?, output: String
  ) {
    var printed = ""
    let channel = CommandChannel(arguments: arguments, onOutput: { printed += $0 }, timeout: timeout)
    return (channel.deliver(Array(input.utf8)), printed)
  }

  @Test func commandGetsTheJSONAndNothingElse() throws {
    #expect(ProcessInfo.processInfo.environment.count > 3)
    #expect(deliver(["/bin/cat"], input: #"{"a":1}"#) == (nil, #"{"a":1}"#))
    let environment = deliver(["/usr/bin/env"]).output.split(separator: "\n").map { $0.prefix { $0 != "=" } }
    #expect(Set(environment).isSubset(of: ["PATH", "HOME", "LANG"]))
    // No descriptor of this process, which has many, is open in it: ls has its own for the folder.
    let descriptors = deliver(["/bin/ls", "/proc/self/fd"]).output.split(separator: "\n")
    #expect(descriptors.count == 4, "\(descriptors)")
    // A policy of 0 is SCHED_OTHER; no signal is blocked or ignored.
    let status = deliver([
      "/bin/sh", "-c", "cut -d' ' -f41 /proc/self/stat; grep -E 'SigBlk|SigIgn' /proc/self/status",
    ]).output
    #expect(status.hasPrefix("0\n"), "\(status)")
    let masks = status.split(separator: "\n").dropFirst().compactMap { line in
      line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
    }
    // The C library of a spawned process ignores two signals of its own, 32 and 33.
    #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(status)")
  }

  @Test func commandGetsTheLimitThatThisProcessWasStartedWith() {
    let before = DescriptorLimit.inherited
    DescriptorLimit.raise()
    #expect(deliver(["/bin/sh", "-c", "ulimit -n"]).output == "\(before)\n")
    #expect(DescriptorLimit.current >= before)
  }

  @Test func argumentsReachNoShell() {
    #expect(deliver(["/bin/echo", "$HOME; echo x", "*"]).output == "$HOME; echo x *\n")
  }

  @Test func failureIsSaid() {
    #expect(deliver(["/bin/false"]).problem == "the command ended with exit code 1")
    #expect(deliver(["/bin/sh", "-c", "kill -9 $$"]).problem == "the command was ended by signal 9")
    #expect(deliver(["/nowhere"]).problem?.contains("cannot be started") == true)
    // It need not read what it is given.
    #expect(deliver(["/bin/true"], input: String(repeating: "x", count: 1_000_000)).problem == nil)
  }

  @Test func hangingCommandIsEndedWithAllItStarted() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("pid")
    let result = deliver(["/bin/sh", "-c", "sleep 600 & echo $! >\(file); sleep 600"], timeout: .seconds(1))
    #expect(result.problem == "the command did not end within 1 s")
    let pid = try #require(Int32(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
    try eventually("its child is gone") {
      let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
      return state == nil || state?.contains(") Z ") == true
    }
  }

  @Test func outputIsBounded() {
    let result = deliver(["/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\\\0' x"])
    #expect(result.problem == nil)
    #expect(result.output.count == CommandChannel.maximumOutput)
  }

  // MARK: Webhook

  private final class Client: WebhookClient {
    let answer: WebhookAnswer
    init(_ answer: WebhookAnswer) { self.answer = answer }
    func post(_ body: [UInt8], to url: Endpoint, caFile: String?) -> WebhookAnswer { answer }
  }

  @Test(
    arguments: [
      (WebhookAnswer.status(200), nil), (.status(202), nil),
      (.status(302), "HTTP status 302: redirects are not followed"),
      (.status(500), "HTTP status 500"), (.failed("no answer"), "no answer"),
    ] as [(WebhookAnswer, String?)])
  func onlySuccessIsDelivery(answer: WebhookAnswer, problem: String?) {
    let channel = WebhookChannel(
      configuration: .init(
        url: .text(Secret("https://example.com/x")), sendsResolved: true, repeatInterval: .seconds(60)),
      client: Client(answer))
    #expect(channel.deliver([]) == problem)
  }
}
