import Analysis
import Measurement
import Report
import Store
import StoreTestKit
import TestKit
import Testing

@Suite struct RunsTests {
  private let fixture: RecordedStore
  private let runs: [RunRegistration]

  init() throws {
    let fixture = try RecordedStore()
    self.fixture = fixture
    runs = try (0..<3).map { number in
      let targets = ["b", "a"].map {
        TargetDescription(
          name: $0, provider: "http", receiptDeadline: $0 == "a" ? 30_000_000 : nil, askedRate: 0.5)
      }
      let run = try fixture.begin(number, name: number == 2 ? nil : "nightly \(number)", targets)
      try fixture.commit(run.run, [Sample.planned(run.targets[0].id, 1).accepted(lag: 1, service: 2)])
      return run
    }
    try fixture.end(runs[0], after: 75)
  }

  private func failure(_ text: String) throws -> ReportError? {
    do {
      _ = try RunFinder.find(text, in: fixture.reader())
      return nil
    } catch let error as ReportError {
      return error
    }
  }

  @Test func aRunIsFoundByWhatNamesIt() throws {
    let reader = try fixture.reader()
    let second = runs[1].run.description
    #expect(try RunFinder.find("latest", in: reader).id == runs[2].run)
    #expect(try RunFinder.find(second.uppercased(), in: reader).id == runs[1].run)
    #expect(try RunFinder.find(String(second.prefix(20)), in: reader).id == runs[1].run)
    #expect(try RunFinder.find("nightly 0", in: reader).id == runs[0].run)
  }

  @Test func aRunThatIsNotThereOrNotClearIsAnErrorWithAWayOut() throws {
    #expect(try failure("nightly")?.code == .noSuchRun)
    let short = try #require(try failure(String(runs[0].run.description.prefix(2))))
    #expect(short.code == .ambiguousRun && short.description.contains("too short"))
    #expect(try failure("zz")?.code == .noSuchRun && failure("")?.code == .noSuchRun)
    let ambiguous = try #require(try failure(String(runs[0].run.description.prefix(4))))
    #expect(ambiguous.code == .ambiguousRun)
    #expect(ambiguous.remedy.contains(runs[1].run.description))
    #expect(try failure("x\u{1B}")?.message == "there is no run \"x␛\"")
    #expect(throws: ReportError.self) { try RunFinder.find("latest", in: RecordedStore().reader()) }
  }

  @Test func theRunOfAnInstantIsTheNewestThatWasRecordedThen() throws {
    let reader = try fixture.reader()
    let all = try reader.runs()
    let heard = all[2].startedAt + .minutes(10)
    fixture.clock.advance(by: heard - fixture.clock.wallNow())
    try fixture.commit(runs[2].run)
    func found(_ time: WallTime, now: WallTime) throws -> RunID? {
      try RunFinder.recorded(at: time, now: now, in: reader)?.id
    }
    #expect(try found(all[0].startedAt, now: heard) == runs[0].run)
    #expect(try found(all[0].startedAt - .seconds(1), now: heard) == nil)
    #expect(try found(heard + .seconds(3), now: heard + .seconds(3)) == runs[2].run)
    // Its collector was killed: what happened afterwards was in no run.
    #expect(try found(heard, now: heard + .hours(1)) == runs[2].run)
    #expect(try found(heard + .minutes(30), now: heard + .hours(1)) == nil)
  }

  @Test func aTargetThatIsNotThereIsAnError() throws {
    let reader = try fixture.reader()
    try RunFinder.check(targets: ["a", "b"], of: nil, in: reader)
    do {
      try RunFinder.check(targets: ["a", "c"], of: runs[0].run, in: reader)
      Issue.record("nothing was thrown")
    } catch let error as ReportError {
      #expect(error.description == "there is no target \"c\" here; name one of: a, b")
    }
  }

  @Test func theListNamesEveryRun() throws {
    let reader = try fixture.reader()
    let heard = try #require(try reader.runs().last?.lastHeartbeat)
    let lines = try RunsReport.list(reader, at: heard + .seconds(5))
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("\(runs[0].run)  2026-03-01 12:00:00    75 s  stopped"))
    #expect(lines[1].hasSuffix("a b      nightly 0"))
    #expect(lines[3].contains(" recording "))
    #expect(
      try RunsReport.list(reader, at: heard + .seconds(5) + .microseconds(1))[3].contains(" collector gone "))
    #expect(
      try RunsReport.list(RecordedStore().reader(), at: heard) == [
        "no runs yet: pushscope collect starts one"
      ])
  }

  @Test func aRunIsShownWithItsTargets() throws {
    let reader = try fixture.reader()
    let lines = try RunsReport.show(
      RunFinder.find("nightly 0", in: reader), in: reader, at: SystemClock().wallNow())
    #expect(lines.contains("ended      2026-03-01T12:01:15.000000Z"))
    let target = try #require(lines.last { $0.hasPrefix("a ") })
    #expect(target.split(separator: " ").prefix(8).joined(separator: " ") == "a http – 0.5/s 30.0 s 1 1")
  }

  @Test func aRunShowsItsQuantilesWithIntervals() throws {
    let run = try fixture.begin(
      5, [TargetDescription(name: "c", provider: "http", receiptDeadline: 5_000_000, askedRate: 4)])
    try fixture.commit(
      run.run,
      (1...400).map { (number: Int64) -> Sample in
        let sample = Sample.planned(run.targets[0].id, number).accepted(lag: 1, service: 200)
        guard number % 40 != 0 else { return sample.ended(.lost, status: 200) }
        // The share in time stands beside the latency that it is of, also where less was shown.
        var delivered = sample.delivered(after: 30_000 + number % 50 * 100)
        if number % 2 == 0 { delivered.shownLatency = 90_000 }
        return delivered
      })
    let reader = try fixture.reader()
    let record = try RunFinder.find("latest", in: reader)
    let lines = try RunsReport.show(record, in: reader, at: SystemClock().wallNow())
    let line = try #require(lines.first { $0.hasPrefix("c ") && $0.contains("delivery") })
    #expect(!lines.contains { $0.contains("shown ") }, "\(lines)")
    #expect(line.contains("32.5 ms (") && line.contains("97.5 % ("), "\(line)")
    #expect(lines.contains { $0.contains("of 400") && $0.contains("n ") })
    #expect(lines.contains { $0.contains("from this run alone") })
    let independent = try RunsReport.show(
      record, in: reader, method: .independent, at: SystemClock().wallNow())
    #expect(independent.contains { $0.contains("as if probes were independent") })
    #expect(!independent.contains { $0.contains(" of 400") })
  }
}
