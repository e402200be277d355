import ConstraintAnimation
import TestKit

/// The Python script that judges solutions by other solvers.
enum Oracle {
  struct Verdict {
    var passed: Bool
    var report: String
  }

  /// Missing oracles are skipped on a developer's machine, but in continuous integration they must be there.
  static let isExpected = Python.has("scipy.optimize, kiwisolver")

  static let script = Programs.repository + "/Benchmarks/Solver/Oracle/solver_oracle.py"

  /// Needs nothing but Python.
  static let exactScript = Programs.repository + "/Benchmarks/Solver/Oracle/exact_oracle.py"

  static let hasPython = Python.has("fractions")

  /// Judges systems with their solutions.
  /// - Parameter script: `script`, or `exactScript` for small systems.
  static func judge(
    _ solved: [(system: LinearSystem, values: [Double])], by script: String = script
  ) throws -> Verdict {
    var text = ""
    for (index, entry) in solved.enumerated() {
      let constraints = entry.system.constraints.map { constraint in
        let terms = constraint.terms.map { "[\($0.coefficient),\($0.variable)]" }.joined(separator: ",")
        let relation =
          switch constraint.relation {
          case .equal: "="
          case .lessThanOrEqual: "<"
          case .greaterThanOrEqual: ">"
          }
        return "[\(constraint.priority),\"\(relation)\",\(constraint.constant),[\(terms)]]"
      }.joined(separator: ",")
      let values = entry.values.map { "\($0)" }.joined(separator: ",")
      text += "{\"id\":\(index),\"variables\":\(entry.system.variableCount),"
      text += "\"constraints\":[\(constraints)],\"values\":[\(values)]}\n"
    }
    let directory = try TemporaryDirectory("solver-oracle")
    let outcome = try Programs.run(
      Programs.python, [script, directory.write("systems.jsonl", text)], within: .seconds(600))
    return Verdict(passed: outcome.status == 0, report: outcome.output + outcome.error)
  }
}
