import FindingsTestKit
import Foundation
import Measurement

/// Promised against found: of a series at rest the size that its detector names, and what is found of changes of that size and of half
/// of it.
enum PromiseFigures {
  private struct Kind {
    var name: String
    var usual: PowerEvaluation.Usual
  }

  private static let kinds =
    PowerEvaluation.Spread.allCases.map { Kind(name: "slower, \($0.rawValue)", usual: .latency($0)) }
    + [0.001, 0.01].map { Kind(name: "losing, \(100 * $0) % usual", usual: .losses($0)) }

  /// Notifications a second, and seconds recorded.
  private static let series: [(rate: Double, age: Double)] = [
    (20, 720), (1, 720), (1.0 / 15, 7200), (20, 2.1 * 86_400), (1, 2.5 * 86_400), (1.0 / 15, 2.5 * 86_400),
    (1.0 / 240, 2.5 * 86_400),
  ]

  /// Seconds.
  private static let lengths: [Int64] = [20, 60, 300, 1200, 3600, 14_400]

  /// - Parameter part: of a kind's or a series' name.
  static func print(changes: Int, part: String) {
    Swift.print(
      "the smallest change that is promised to be found in nine of ten cases: found of \(changes), of half its size at most half"
    )
    var (kept, all) = (0, 0)
    for (rate, age) in series {
      for kind in kinds {
        let ageText = age < 86_400 ? "\(Int(age / 60)) min" : String(format: "%.1f d", age / 86_400)
        let name = "\(rateText(rate)) for \(ageText), \(kind.name)"
        guard part.isEmpty || name.contains(part) else { continue }
        // What is recorded costs most of the time at high rates: several changes are made to each series.
        let histories = rate * age > 1e6 ? max(1, changes / 20) : max(1, changes / 5)
        let figures = PowerEvaluation(kind.usual, rate: rate, age: age).figures(
          histories: histories, changes: changes / histories,
          lengths: lengths.filter { Double($0) <= age && rate * Double($0) <= 72_000 }.map {
            $0 * 1_000_000
          })
        for figure in figures {
          guard figure.changes > 0 else { continue }
          let (whole, half) = (figure.share(figure.found), figure.share(figure.foundOfHalf))
          let isKept = whole >= 0.9 && half <= 0.5
          all += 1
          kept += isKept ? 1 : 0
          let isShare = kind.name.hasPrefix("losing")
          Swift.print(
            name.padding(toLength: 44, withPad: " ", startingAt: 0),
            String(format: "%6d s", figure.length / 1_000_000),
            isShare
              ? String(format: "%5.1f points", 100 * figure.size)
              : String(format: "      x%.2f", 1 + figure.size),
            String(format: "found %5.1f %%, half %5.1f %%", 100 * whole, 100 * half),
            String(
              format: "after %.0f s (promised %.0f)", ChangeEvaluation.median(figure.delays) ?? .nan,
              ChangeEvaluation.median(figure.promisedDelays) ?? .nan),
            figure.silent > 0 ? "nothing promised of \(figure.silent) of \(histories)" : "",
            isKept ? "" : "NOT KEPT")
        }
      }
    }
    Swift.print("promises kept: \(kept) of \(all)")
  }

  private static func rateText(_ rate: Double) -> String {
    rate >= 1
      ? "\(Int(rate))/s"
      : rate * 60 >= 1 ? "\(Int((rate * 60).rounded()))/min" : "1 in \(Int((1 / rate / 60).rounded())) min"
  }
}

extension PowerEvaluation.Figure {
  fileprivate func share(_ count: Int) -> Double { Double(count) / Double(max(1, changes)) }
}
