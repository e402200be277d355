import Foundation

/// How many random cases the solver's tests try. `SOLVER_TEST_SCALE` multiplies the counts: 1 is what a change is
/// tested with, 10 and more is for a night.
enum TestScale {
  static let factor = ProcessInfo.processInfo.environment["SOLVER_TEST_SCALE"].flatMap(Double.init) ?? 1

  static func count(_ normal: Int) -> Int { max(1, Int(Double(normal) * factor)) }
}
