import Foundation
import Measurement
import Store

/// The store's writer with rollups against the same without, in turns, at a rate per second of planned time.
struct RollupContest {
  /// Rows of each target.
  let count: Int

  func run(rounds: Int) throws {
    for (perSecond, batch, targets) in [(1_000, 50, 1), (100, 5, 10), (20, 5, 1)] {
      var with: [Span] = []
      var without: [Span] = []
      let rows = count / targets
      let names = (0..<targets).map { "target \($0)" }
      for _ in 0..<rounds {
        without.append(try round(rows, names, perSecond: perSecond, batch: batch, rollsUp: false))
        with.append(try round(rows, names, perSecond: perSecond, batch: batch, rollsUp: true))
      }
      let (a, b) = (median(with.map(\.wall)), median(without.map(\.wall)))
      let (c, d) = (median(with.map(\.cpu)), median(without.map(\.cpu)))
      print(
        "  \(padded("\(targets)", 2)) targets at \(padded("\(perSecond)", 4))/s: rows/s with rollups"
          + " \(padded("\(Int(Double(2 * rows * targets) / a))", 7)), without"
          + " \(padded("\(Int(Double(2 * rows * targets) / b))", 7)),"
          + " ratio \(String(format: "%.2f, by CPU %.2f", b / a, d / c))")
    }
  }

  private func round(
    _ rows: Int, _ names: [String], perSecond: Int, batch: Int, rollsUp: Bool
  ) throws -> Span {
    let bench = try BenchmarkStore(
      durability: .normal, targets: names, interval: Int64(1_000_000 / perSecond))
    return try Span.measure { try bench.fill(rows, batch: batch, rollsUp: rollsUp) }
  }
}
