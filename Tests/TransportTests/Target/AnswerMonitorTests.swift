import Measurement
import Testing

@testable import Transport

@Suite struct AnswerMonitorTests {
  private static let target = TargetID(rawValue: 1)

  private static func at(_ seconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000) + .seconds(seconds)
  }

  private static func answer(_ number: Int64, status: Int, at second: Int) -> Observation {
    .answered(
      AnsweredRequest(
        id: SampleID(target: target, sequence: number), at: at(second), source: .kernel, status: status,
        isAccepted: status == 201))
  }

  private static func note(_ watch: inout AnswerMonitor, _ observation: Observation, at second: Int)
    -> Duration?
  {
    watch.record(observation, at: at(second))
  }

  private static func overdue(_ watch: inout AnswerMonitor, at second: Int) -> AnswerMonitor.Silence? {
    watch.consumeOverdue(at: at(second))
  }

  private static func end(_ watch: inout AnswerMonitor, at second: Int) -> AnswerMonitor.Silence? {
    watch.finish(at: at(second))
  }

  /// Every answer is a 200 where 201 is success.
  @Test func aMinuteWithoutAGoodAnswerIsToldOnce() throws {
    var watch = AnswerMonitor()
    for second in 0..<60 {
      watch.record(due: Int64(second + 1), at: Self.at(second))
      #expect(Self.note(&watch, Self.answer(Int64(second + 1), status: 200, at: second), at: second) == nil)
      #expect(Self.overdue(&watch, at: second) == nil)
    }
    let silence = try #require(Self.overdue(&watch, at: 60))
    #expect(
      silence.words == "no good answer for 1 min: of 60 due 60 rejected, 0 failed, 0 missed (the last: 200)")
    #expect(silence.lastAnswer?.status == 200)
    #expect(Self.overdue(&watch, at: 61) == nil && Self.overdue(&watch, at: 500) == nil)
    #expect(Self.end(&watch, at: 500) == nil)
    // The period has ended, and its end was reported.
    #expect(Self.note(&watch, Self.answer(61, status: 201, at: 510), at: 510) == .seconds(510))
    #expect(Self.note(&watch, Self.answer(62, status: 201, at: 511), at: 511) == nil)
  }

  @Test func aShorterRunIsToldOfAtItsEnd() throws {
    var watch = AnswerMonitor()
    #expect(Self.end(&watch, at: 1) == nil)
    watch.record(due: 3, at: Self.at(2))
    let id = SampleID(target: Self.target, sequence: 1)
    _ = Self.note(&watch, .failed(id, reason: .connect, attempt: 0, detail: "", at: Self.at(2)), at: 2)
    _ = Self.note(&watch, .missed(id, reason: .backoff, at: Self.at(2)), at: 2)
    _ = Self.note(&watch, .missed(id, reason: .lag, at: Self.at(2)), at: 2)
    let silence = try #require(Self.end(&watch, at: 5))
    #expect(
      silence.words == "no good answer for 3 s: of 3 due 0 rejected, 1 failed, 2 missed (the last: lag)")
    #expect(Self.end(&watch, at: 5) == nil)
  }

  @Test func aRunWithAGoodAnswerIsNotToldOfAtItsEnd() {
    var watch = AnswerMonitor()
    watch.record(due: 1, at: Self.at(0))
    _ = Self.note(&watch, Self.answer(1, status: 201, at: 0), at: 0)
    watch.record(due: 20, at: Self.at(1))
    #expect(Self.end(&watch, at: 30) == nil)
  }

  /// Nothing comes due for minutes: the schedule is slow, the peer is not silent.
  @Test func aSlowScheduleIsNoSilence() throws {
    var watch = AnswerMonitor()
    for number in 1...5 {
      let second = number * 300
      watch.record(due: Int64(number), at: Self.at(second))
      _ = Self.note(&watch, Self.answer(Int64(number), status: 201, at: second), at: second + 1)
      #expect(Self.overdue(&watch, at: second + 299) == nil)
    }
    watch.record(due: 6, at: Self.at(1800))
    #expect(Self.overdue(&watch, at: 1859) == nil)
    #expect(try #require(Self.overdue(&watch, at: 1860)).due == 1)
  }
}
