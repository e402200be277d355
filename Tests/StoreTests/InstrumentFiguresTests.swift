import Measurement
import StoreTestKit
import Testing

@testable import Store

@Suite struct InstrumentTests {
  private static func figures(_ number: Int64, host: String = "here") -> InstrumentFigures {
    InstrumentFigures(
      host: host,
      scheduleLag: .init(count: number, median: number + 1, p99: number + 2, maximum: number + 3),
      loopLag: .init(count: number + 4, median: number + 5, p99: number + 6, maximum: number + 7),
      commits: number + 8, longestCommit: number + 9, commitStalls: number + 10)
  }

  private static func calibration(_ at: Int64, host: String = "here") -> Calibration {
    Calibration(
      at: WallTime(microseconds: at), host: host, bootID: "boot", rate: 200, length: 20_000_000, planned: 400,
      floors: Calibration.Interval.allCases.map { interval in
        Calibration.Floor(
          interval: interval, counted: 399, minimum: 3, maximum: 900,
          figures: Quantile.standard.map { quantile in
            Calibration.Figure(
              quantile: quantile,
              estimate: quantile.smallestCount <= 399
                ? .known(value: 40, low: 30, high: 50) : .tooFew(needs: quantile.smallestCount))
          })
      })
  }

  @Test func whatARunsMachineryDidIsReplacedByWhatItDidSince() throws {
    let fixture = try StoreFixture()
    let reader = try fixture.reader()
    #expect(try reader.instrument(of: fixture.run) == nil)
    for number in [10, 20] as [Int64] {
      _ = try fixture.store.commit(WriteBatch(run: fixture.run, instrument: Self.figures(number)))
    }
    #expect(try reader.instrument(of: fixture.run) == InstrumentRecord(figures: Self.figures(20)))
  }

  @Test func aRunRefersToTheCalibrationOfItsHostThatStoodWhenItBegan() throws {
    let fixture = try StoreFixture()
    try fixture.store.record(Self.calibration(5))
    try fixture.store.record(Self.calibration(6, host: "elsewhere"))
    _ = try fixture.store.commit(WriteBatch(run: fixture.run, instrument: Self.figures(1)))
    try fixture.store.record(Self.calibration(7))
    _ = try fixture.store.commit(WriteBatch(run: fixture.run, instrument: Self.figures(2)))
    #expect(
      try fixture.reader().instrument(of: fixture.run)
        == InstrumentRecord(figures: Self.figures(2), calibration: Self.calibration(5)))
  }
}
