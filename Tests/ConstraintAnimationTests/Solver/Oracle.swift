import ConstraintAnimation
import Foundation

/// The Python script that judges solutions by other solvers.
enum Oracle {
  struct Verdict {
    var passed: Bool
    var report: String
  }

  /// Missing oracles are skipped on a developer's machine, but in CI they must be there.
  static let isExpected: Bool =
    ProcessInfo.processInfo.environment["CI"] == "true"
    || run(["-c", "import scipy.optimize, kiwisolver"]).passed

  static let script = repository.appendingPathComponent("Benchmarks/Solver/Oracle/solver_oracle.py")

  static let repository: URL = {
    var place = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { place.deleteLastPathComponent() }
    return place
  }()

  /// Needs nothing but Python.
  static let exactScript = repository.appendingPathComponent("Benchmarks/Solver/Oracle/exact_oracle.py")

  static let hasPython: Bool =
    ProcessInfo.processInfo.environment["CI"] == "true" || run(["-c", "import fractions"]).passed

  /// Judges systems with their solutions.
  /// - Parameter script: `script`, or `exactScript` for small systems.
  static func judge(
    _ solved: [(system: LinearSystem, values: [Double])], by script: URL = script
  ) throws -> Verdict {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "solver-oracle-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
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
    try text.write(to: file, atomically: true, encoding: .utf8)
    return run([script.path, file.path])
  }

  private static func run(_ arguments: [String]) -> Verdict {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let python = ProcessInfo.processInfo.environment["PUSHSCOPE_PYTHON"] ?? "python3"
    process.arguments = [python] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch {
      return Verdict(passed: false, report: "python3 cannot be run: \(error)")
    }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Verdict(passed: process.terminationStatus == 0, report: String(decoding: output, as: UTF8.self))
  }
}
