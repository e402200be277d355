import Measurement
import Testing
import Threads

@testable import Analyst

@Suite("Which part is switched off") struct PartFailuresTests {
  private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: seconds * 1_000_000) }

  private func expect(_ isSwitchedOff: Bool, _ actual: Bool, at place: SourceLocation = #_sourceLocation) {
    #expect(actual == isSwitchedOff, sourceLocation: place)
  }

  @Test("three failures at one unit of work within ten minutes") func thrice() {
    var failures = PartFailures()
    expect(false, failures.record(.findings, unit: "ios", at: at(0)))
    expect(false, failures.record(.findings, unit: "android", at: at(10)))
    expect(false, failures.record(.objectives, unit: "ios", at: at(20)))
    expect(false, failures.record(.findings, unit: "ios", at: at(30)))
    expect(true, failures.record(.findings, unit: "ios", at: at(599)))
    #expect(Set(failures.switchedOff.keys) == [.findings])
  }

  @Test("failures that lie ten minutes back do not count") func slow() {
    var failures = PartFailures()
    for minute in 0..<100 {
      expect(false, failures.record(.alerts, unit: "webhook", at: at(Int64(minute) * 301)))
    }
  }

  @Test("it is tried again after an hour, and needs three failures anew") func rest() {
    var failures = PartFailures()
    for second: Int64 in 0..<3 { _ = failures.record(.forward, unit: "sample", at: at(second)) }
    let early = failures.resumeRested(at: at(3_601))
    #expect(early.isEmpty)
    let rested = failures.resumeRested(at: at(3_602))
    #expect(rested == [.forward])
    #expect(failures.switchedOff.isEmpty)
    expect(false, failures.record(.forward, unit: "sample", at: at(3_603)))
  }

  @Test("a part that works without a word is hung after a minute; one that rests is not") func hang() {
    var watch = WorkWatch(at: at(0))
    watch.record(.step(.findings, .began("ios")), at: at(0))
    watch.record(.step(.forward, .began("sample")), at: at(0))
    for second: Int64 in stride(from: 5, through: 55, by: 5) {
      watch.record(.beat, at: at(second))
      watch.record(.step(.forward, .goesOn), at: at(second))
    }
    #expect(!watch.hung(at: at(59)).isHung)
    #expect(watch.hung(at: at(60)).isHung)
    #expect(watch.hung(at: at(60)).work == WorkWatch.Work(part: .findings, unit: "ios"))
    watch.record(.step(.findings, .rests), at: at(60))
    #expect(!watch.hung(at: at(60)).isHung)
    // The time that the collector took for an answer does not count.
    watch.waited(for: .seconds(100))
    #expect(!watch.hung(at: at(214)).isHung)
    #expect(watch.hung(at: at(215)).isHung)
  }

  @Test("a process that says nothing at all is hung, and no part is blamed") func silence() {
    let watch = WorkWatch(at: at(0))
    #expect(!watch.hung(at: at(59)).isHung)
    #expect(watch.hung(at: at(60)).isHung)
    #expect(watch.hung(at: at(60)).work == nil)
  }

  @Test("who crashed says so; of a process that was killed only work that was alone is blamed") func culprit()
  {
    var watch = WorkWatch(at: at(0))
    #expect(watch.culprit == nil)
    watch.record(.step(.findings, .began("ios")), at: at(1))
    #expect(watch.culprit == WorkWatch.Work(part: .findings, unit: "ios"))
    watch.record(.step(.alerts, .began("webhook")), at: at(2))
    #expect(watch.culprit == nil)
    watch.record(.died(.alerts, unit: "webhook"), at: at(3))
    #expect(watch.culprit == WorkWatch.Work(part: .alerts, unit: "webhook"))
  }
}

@Suite("Whether the process fails again and again") struct ProcessFailuresTests {
  private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: seconds * 1_000_000) }

  @Test("it is unsteady from the fifth failure within ten minutes until it has run for so long")
  func unsteady() {
    var failures = ProcessFailures()
    let told = (0..<8).map { failures.record(at: at(Int64($0) * 60)) }
    #expect(told == [false, false, false, false, true, false, false, false])
    #expect(failures.since == at(0))
    let early = failures.settle(at: at(420 + 599))
    #expect(!early && failures.isUnsteady)
    let settled = failures.settle(at: at(420 + 600))
    #expect(settled && !failures.isUnsteady)
    let again = failures.settle(at: at(5000))
    #expect(!again, "it is said once")
  }

  @Test("failures that are far apart are none of a process that does not stay up") func rare() {
    var failures = ProcessFailures()
    for number in 0..<100 {
      let isUnsteady = failures.record(at: at(Int64(number) * 151))
      #expect(!isUnsteady)
    }
  }
}
