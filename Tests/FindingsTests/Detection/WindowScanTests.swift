import FindingsTestKit
import Measurement
import Testing

@testable import Findings

@Suite struct WindowScanTests {
  @Test func theBoundIsNeverLessThanTheLikelihoodRatio() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let n = 1 + 400 * random.unit()
      let other = 1 + 90_000 * random.unit()
      let share = 0.001 + 0.998 * random.unit()
      let k = n * min(1, share * 4 * random.unit())
      let nats = Likelihood.twoShares(k, n, share * other, other)
      let bound = Likelihood.twoSharesBound(k, n, share * other, other)
      #expect(bound >= nats - 1e-9, "\(k) of \(n), \(share) of \(other)")
    }
    // Close where the shares are close, so that it decides.
    let close = Likelihood.twoSharesBound(55, 100, 5_000, 10_000)
    #expect(close < 2.1 * Likelihood.twoShares(55, 100, 5_000, 10_000))
  }

  /// What is not looked at for its bound would not have been a maximum.
  @Test func maximaAreThoseOfEveryWindow() throws {
    let settings = DetectorSettings(rate: 1.0 / 15)
    let scenario = ChangeScenario("10 min x2", change: .latency(factor: 2), for: 600)
    let bins = scenario.sample(rate: 1.0 / 15, seed: 5, quietDays: 0.1, seconds: 40_000)
      .bins(.delivery, width: settings.binWidth)
    var history = BinHistory(width: settings.binWidth, isShare: false)
    for bin in bins { history.append(bin.values, at: bin.start.microseconds) }
    let layout = ScanLayout(settings, isShare: false)
    var builder = ReferenceBuilder(layout, isShare: false)
    let segments = [0..<bins.count / 2]
    let taken = builder.reference(from: segments, of: history, effect: 0.1, settings)
    var reference = try #require(taken)
    builder.measureEffects(of: &reference, segments, history)
    var scan = WindowScan(reference, layout, startingAt: 0)
    for bin in bins.indices { scan.append(bin, of: history) }

    let none = [WindowScan.Maximum](repeating: .init(nats: 0), count: layout.cells)
    var together = none
    for end in 1...bins.count { scan.raise(&together, endingAt: end, notBefore: 0) }
    #expect(together.count { $0.scale != nil } > layout.cells / 2)
    for cell in 0..<layout.cells {
      // Each end by itself, so that nothing is known of a maximum before.
      var most = 0.0
      for end in 1...bins.count {
        var alone = none
        scan.raise(&alone, endingAt: end, notBefore: 0)
        most = max(most, alone[cell].nats)
      }
      #expect(abs(together[cell].nats - most) < 1e-9)
    }
    // What is not above the floor is left as it is.
    var floors = together.map { WindowScan.Maximum(nats: $0.nats) }
    for end in 1...bins.count { scan.raise(&floors, endingAt: end, notBefore: 0) }
    #expect(floors.allSatisfy { $0.scale == nil })
  }

  /// Only the bins that differ are counted again.
  @Test(arguments: [SeriesMetric.delivery, .lost]) func aReferenceThatSlidIsThatOfItsBins(
    metric: SeriesMetric
  ) throws {
    let settings = DetectorSettings(rate: 1.0 / 15)
    let bins = ChangeScenario("slide", noise: .lossy).sample(
      rate: 1.0 / 15, seed: 1, quietDays: 0, seconds: 40_000
    )
    .bins(metric, width: settings.binWidth)
    var history = BinHistory(width: settings.binWidth, isShare: metric.isShare)
    for bin in bins { history.append(bin.values, at: bin.start.microseconds) }
    let layout = ScanLayout(settings, isShare: metric.isShare)
    var builder = ReferenceBuilder(layout, isShare: metric.isShare)
    for segments in [[0..<200], [50..<120, 130..<300], [60..<110, 140..<500]] {
      let slid = builder.reference(from: segments, of: history, effect: 0.1, settings)
      let anew = builder.separateReference(from: segments, of: history, effect: 0.1, settings)
      #expect(try #require(slid).count == segments.joined().reduce(0) { $0 + history.count($1) })
      #expect(slid?.shares == anew?.shares && slid?.events == anew?.events && slid?.upper == anew?.upper)
    }
  }

  @Test(arguments: [SeriesMetric.delivery, .lost]) func eachValueOfABinIsCountedInOneCell(
    metric: SeriesMetric
  ) throws {
    let settings = DetectorSettings(rate: 1)
    let bins = ChangeScenario("cells", noise: .lossy).sample(rate: 1, seed: 1, quietDays: 0, seconds: 7200)
      .bins(metric, width: settings.binWidth)
    var history = BinHistory(width: settings.binWidth, isShare: metric.isShare)
    for bin in bins { history.append(bin.values, at: bin.start.microseconds) }
    var builder = ReferenceBuilder(ScanLayout(settings, isShare: metric.isShare), isShare: metric.isShare)
    let taken = builder.reference(from: [bins.indices], of: history, effect: 0.1, settings)
    let reference = try #require(taken)
    let cells = reference.cells(quantile: metric.isShare ? 0 : 2, isDown: false)
    var counts = [Int](repeating: 0, count: cells.shares.count)
    for bin in bins.indices { history.count(bin, by: cells, side: .upper) { counts[$0] += $1 } }
    for (count, share) in zip(counts, cells.shares) {
      #expect(abs(Double(count) / Double(reference.count) - share) < 0.001, "\(counts), \(cells.shares)")
    }
  }
}
