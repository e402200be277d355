import Findings
import FindingsTestKit
import Measurement
import Testing

/// Stretches of the day in which a latency is higher on most days.
@Suite struct DailyPatternTests {
  private typealias Cycle = DailyEvaluation.Cycle
  private static let rate = 1.0 / 15
  private static let day: Int64 = 86_400_000_000

  private func cycle(_ factor: Double, hour: Double = 18.5, hours: Double = 2.5) -> Cycle {
    Cycle(factor: factor, start: hour * 3_600, length: hours * 3_600)
  }

  private func patterns(
    _ days: Int, _ cycles: [Cycle], noise: ChangeScenario.Noise = .independent, seed: Int = 1
  ) -> [Finding] {
    DailyEvaluation.patterns(
      of: DailyEvaluation.sample(noise, rate: Self.rate, seed: seed, days: days, cycles: cycles),
      rate: Self.rate)
  }

  private func day(_ time: Int64) -> Int { Int((time - ChangeScenario.Day.epoch) / Self.day) }
  private func minute(_ time: Int64) -> Int { Int((time % Self.day) / 60_000_000) }

  @Test func comesEachDayAndIsFoundOnTheFourth() throws {
    #expect(patterns(3, [cycle(1.3)]).isEmpty)
    let found = patterns(6, [cycle(1.3)])
    try #require(found.count == 1)
    let pattern = found[0]
    #expect(pattern.status == .daily && pattern.kind == .slower && !pattern.isOpen && pattern.end == nil)
    #expect(pattern.quantile == 0.5)
    #expect(day(pattern.detectedAt) == 4 && pattern.detectedAt % Self.day == 0)
    #expect(day(pattern.start) == 0 && abs(minute(pattern.start) - 1_110) <= 20)
    #expect(day(pattern.seenUntil) == 5 && abs(minute(pattern.seenUntil) - 1_260) <= 20)
    #expect((1.25...1.35).contains(pattern.after / pattern.before))
    #expect((115_000...125_000).contains(pattern.before))
    #expect(pattern.count == 6 && pattern.effectiveCount == 6)
    // Those of a series that was recorded for longer are the same one.
    #expect(patterns(9, [cycle(1.3)]).map(\.id) == [pattern.id])
  }

  @Test func goesOnAfterMidnight() throws {
    let found = patterns(7, [cycle(1.5, hour: 23, hours: 3)])
    try #require(found.count == 1)
    #expect(abs(minute(found[0].start) - 1_380) <= 20 && abs(minute(found[0].seenUntil) - 120) <= 20)
    #expect(abs(found[0].window - 10_800_000_000) <= 1_800_000_000)
  }

  @Test func weekdaysAreMostDays() throws {
    var weekdays = cycle(1.3)
    weekdays.isOnWeekdays = true
    let found = patterns(14, [weekdays])
    try #require(found.count == 1)
    #expect(found[0].end == nil && day(found[0].seenUntil) == 11)
  }

  @Test func twoADayAreTwo() {
    let found = patterns(8, [cycle(1.4, hour: 8), cycle(1.4, hour: 18.5)])
    #expect(found.map { (minute($0.start) + 30) / 60 }.sorted() == [8, 19])
    #expect(Set(found.map(\.id)).count == 2)
  }

  @Test func endsWhenItDoesNotComeOnFourDays() throws {
    var ended = cycle(1.3)
    ended.days = 0..<6
    #expect(patterns(9, [ended]).map(\.end) == [nil])
    let found = patterns(14, [ended])
    try #require(found.count == 1)
    let end = try #require(found[0].end)
    #expect(day(end) == 5 && found[0].status == .daily && found[0].seenUntil == end)
    #expect(found[0].hasEnded(before: end))
    // When it comes again, it is another one, once it came on most days since.
    var again = cycle(1.3)
    again.days = 10..<16
    #expect(patterns(14, [ended, again]).map(\.isOver) == [true])
    #expect(patterns(16, [ended, again]).map(\.isOver) == [true, false])
  }

  @Test("that one ended takes no days from another")
  func endsAlone() throws {
    var ended = cycle(1.4, hour: 8)
    ended.days = 0..<6
    let found = patterns(13, [ended, cycle(1.4, hour: 18.5)])
    #expect(found.map(\.isOver).sorted { $0 && !$1 } == [true, false])
    #expect(found.first { !$0.isOver }?.count == 13)
  }

  @Test func isToldAnewWhenItGetsStronger() throws {
    var (early, late) = (cycle(1.2), cycle(1.6))
    (early.days, late.days) = (0..<6, 6..<14)
    let before = patterns(6, [early])
    let after = patterns(13, [early, late])
    try #require(before.count == 1 && after.count == 1)
    #expect(before[0].id == after[0].id && after[0].end == nil)
    #expect((1.15...1.25).contains(before[0].after / before[0].before))
    #expect((1.5...1.7).contains(after[0].after / after[0].before))
  }

  @Test func isToldAnewWhenItMoves() throws {
    var (early, late) = (cycle(1.4), cycle(1.4, hour: 17.5, hours: 4.5))
    (early.days, late.days) = (0..<6, 6..<14)
    let found = patterns(13, [early, late])
    try #require(found.count == 1)
    #expect(abs(minute(found[0].start) - 1_050) <= 20 && abs(minute(found[0].seenUntil) - 1_320) <= 20)
  }

  @Test("one day's episode, and one at another hour each day, are no pattern")
  func episodes() {
    var once = cycle(3)
    once.days = 2..<3
    #expect(patterns(8, [once]).isEmpty)
    let scattered = (0..<8).map { day -> Cycle in
      var one = cycle(2, hour: [3, 17, 9, 21, 1, 13, 6, 19][day])
      one.days = day..<day + 1
      return one
    }
    #expect(patterns(8, scattered).isEmpty)
  }

  @Test(
    "nothing is found where nothing comes",
    arguments: [.independent, .wandering, .pareto, .tightWandering] as [ChangeScenario.Noise])
  func nothing(_ noise: ChangeScenario.Noise) {
    for seed in 0..<2 { #expect(patterns(10, [], noise: noise, seed: seed).isEmpty) }
  }

  @Test("a slow cycle is named by its upper half")
  func slowCycle() throws {
    let found = patterns(8, [], noise: .cycle)
    try #require(found.count == 1)
    #expect((6 * 60...8 * 60).contains(minute(found[0].start)))
    #expect((18 * 60...20 * 60).contains(minute(found[0].seenUntil)))
  }

  @Test("what moves at p90 alone is told at p90")
  func tail() throws {
    var series = DailyEvaluation.sample(.independent, rate: Self.rate, seed: 3, days: 8)
    for index in series.times.indices {
      let hour = (series.times[index] / 3_600).truncatingRemainder(dividingBy: 24)
      if (18..<21).contains(hour), index % 5 == 0 { series.latencies[index] *= 4 }
    }
    let found = DailyEvaluation.patterns(of: series, rate: Self.rate)
    try #require(found.count == 1)
    #expect(found[0].quantile == 0.9 && abs(minute(found[0].start) - 1_080) <= 20)
  }

  @Test("a restart at any time changes nothing, also with pieces of the step under way")
  func restart() {
    let series = DailyEvaluation.sample(.tight, rate: Self.rate, seed: 2, days: 6, cycles: [cycle(1.3)])
    let pieces = series.bins(.delivery, width: 60_000_000)
    var whole = SeriesDetector(.delivery, rate: Self.rate)
    var detector = whole
    for (index, piece) in pieces.enumerated() {
      if index % 1_777 == 1_776 {
        let start = detector.checkpoint.firstBinStart
        detector = SeriesDetector(
          detector.checkpoint, pieces: pieces[..<index].filter { $0.start.microseconds >= start })
      }
      detector.append(piece.values, start: piece.start)
      whole.append(piece.values, start: piece.start)
    }
    #expect(whole.findings.contains { $0.status == .daily })
    #expect(detector.findings == whole.findings)
  }

  // MARK: - Changes

  private func changes(
    _ days: Int, _ cycles: [Cycle], noise: ChangeScenario.Noise = .tight, rate: Double = Self.rate,
    seed: Int = 2
  ) -> [Finding] {
    let settings = DetectorSettings(rate: rate)
    var detector = ChangeDetector(.delivery, settings: settings)
    let series = DailyEvaluation.sample(noise, rate: rate, seed: seed, days: days, cycles: cycles)
    for bin in series.bins(.delivery, width: settings.binWidth) {
      detector.append(bin.values, start: bin.start)
    }
    return detector.findings
  }

  private func text(_ findings: [Finding]) -> String {
    findings.map {
      "day \(day($0.start)) \(minute($0.start) / 60):\(minute($0.start) % 60) \($0.kind) \(Int($0.before)) to \(Int($0.after)), \(day($0.detectedAt))"
    }.joined(separator: "; ")
  }

  @Test(
    "once it is known its edges are no changes, however sharp they are",
    arguments: [(18.38, 0), (23.2, 0), (18.5, 900), (7.25, 1_800)])
  func edges(_ hour: Double, _ jitter: Double) {
    let cycles = (0..<12).map { day -> Cycle in
      let moves = [0.3, -1, 0.6, 1, -0.4, 0.1, -0.7, 0.9, -0.2, 0.5, -0.8, 0.4]
      var one = cycle(2, hour: hour + jitter * moves[day] / 3_600)
      one.days = day..<day + 1
      return one
    }
    let found = changes(12, cycles)
    let late = found.filter { day($0.detectedAt) >= 5 }
    #expect(late.isEmpty, "\(text(late))")
    // Until then each is one.
    #expect(!found.isEmpty)
  }

  @Test(
    "what comes on weekdays only is usual on weekdays, and so is its absence on the others",
    arguments: [1, 0])
  func weekdays(_ shape: Int) {
    var weekdays = cycle(2)
    weekdays.isOnWeekdays = true
    var cycles = [weekdays]
    if shape == 0 {
      // In steps of ten minutes, each a little more.
      cycles = (0..<12).map { step in
        var part = cycle(1.08, hour: 15 + Double(step) / 6, hours: 6 - Double(step) / 3)
        part.isOnWeekdays = true
        return part
      }
    }
    let late = changes(20, cycles, noise: .independent).filter { day($0.detectedAt) >= 5 }
    #expect(late.isEmpty, "\(text(late))")
  }

  @Test("a change in its hours is found, and so is a day on which it does not come, or doubles")
  func changesOfPattern() {
    func found(_ factor: Double?, from hour: Double = 18.5, hours: Double = 2.5) -> [Finding] {
      var cycles = [cycle(2)]
      if let factor {
        var other = cycle(factor, hour: hour, hours: hours)
        other.days = 10..<11
        cycles.append(other)
      } else {
        cycles[0].days = 0..<10
      }
      return changes(11, cycles).filter { day($0.detectedAt) >= 5 }
    }
    #expect(found(1).isEmpty)
    for (other, kind) in [
      (found(1.5, from: 19.5, hours: 0.75), FindingKind.slower), (found(2), .slower), (found(nil), .faster),
    ] {
      #expect(other.map(\.kind) == [kind], "\(text(other))")
      #expect(other.map { day($0.detectedAt) } == [10], "\(text(other))")
    }
    #expect(abs(minute(found(1.5, from: 19.5, hours: 0.75)[0].start) - 1_170) <= 3)
  }

  @Test("a revision keeps the id of the same hours")
  func revision() throws {
    let found = patterns(8, [cycle(1.4, hour: 8), cycle(1.4, hour: 18.5)])
    try #require(found.count == 2)
    let stored = found.map { finding -> Finding in
      var other = finding
      other.id.detectedAt -= Self.day
      return other
    }
    var change = found[0]
    (change.daily, change.status) = (nil, .open)
    change.id.dailyStep = nil
    let revision = FindingRevision(
      stored: stored.reversed(), found: found + [change], from: WallTime(microseconds: 0))
    #expect(Set(revision.current.map(\.id)) == Set(stored.map(\.id) + [change.id]))
    #expect(revision.withdrawn.isEmpty)
    for old in stored {
      #expect(revision.current.first { $0.id == old.id }?.daily?.stretch == old.daily?.stretch)
    }
  }
}

extension Finding {
  fileprivate var isOver: Bool { end != nil }
}
