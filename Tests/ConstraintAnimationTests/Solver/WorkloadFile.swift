import ConstraintAnimation
import Foundation
import TestKit

/// A system from the benchmark's files, whose format `Benchmarks/Solver/README.md` describes. The edits come first.
struct WorkloadFile {
  var system: LinearSystem
  /// The places of the two constraints a slide changes, and of the two a resize changes.
  var slide: (Int, Int)
  var size: (Int, Int)

  init(_ name: String) throws {
    let text = try String(
      contentsOfFile: Programs.repository + "/Benchmarks/Solver/Workloads/\(name).txt", encoding: .utf8)
    var lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }[...]
    func number(_ word: String) -> Double { Double(word) ?? .nan }
    func integer(_ word: String) -> Int { Int(word) ?? -1 }
    let variableCount = integer(lines.removeFirst()[1])
    var strengths: [Double] = []
    var constraints: [LinearSystem.Constraint] = []
    for _ in 0..<integer(lines.removeFirst()[1]) {
      let words = lines.removeFirst()
      strengths.append(number(words[2]))
      constraints.append(
        .init(terms: [(integer(words[1]), 1)], relation: .equal, constant: number(words[3]), priority: 0))
    }
    for _ in 0..<integer(lines.removeFirst()[1]) {
      let words = lines.removeFirst()
      strengths.append(number(words[1]))
      let terms = (0..<integer(words[4])).map {
        (variable: integer(words[6 + 2 * $0]), coefficient: number(words[5 + 2 * $0]))
      }
      let relation: SolverRelation =
        words[2] == "=" ? .equal : words[2] == "<" ? .lessThanOrEqual : .greaterThanOrEqual
      constraints.append(.init(terms: terms, relation: relation, constant: -number(words[3]), priority: 0))
    }
    let order = Set(strengths).subtracting([1_001_001_000]).sorted(by: >)
    for (index, strength) in strengths.enumerated() {
      constraints[index].priority = order.firstIndex(of: strength).map { 999 - $0 } ?? 1000
    }
    system = LinearSystem(variableCount: variableCount, constraints: constraints)
    let slide = lines.removeFirst()
    let size = lines.removeFirst()
    self.slide = (integer(slide[1]), integer(slide[2]))
    self.size = (integer(size[1]), integer(size[2]))
  }
}

/// How many random cases the solver's tests try. `SOLVER_TEST_SCALE` multiplies the counts: 1 is what a change is
/// tested with, 10 and more is for a night.
enum TestScale {
  static let factor = ProcessInfo.processInfo.environment["SOLVER_TEST_SCALE"].flatMap(Double.init) ?? 1

  static func count(_ normal: Int) -> Int { max(1, Int(Double(normal) * factor)) }
}
