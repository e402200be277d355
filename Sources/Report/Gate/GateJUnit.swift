import Findings
import Formats
import Measurement
import Store

extension GateReport {
  /// What an undecided gate counts as.
  public enum UndecidedRule: String, Sendable, CaseIterable {
    case pass, fail
  }

  /// The report in the XML that CI services read from test runners: a test case for each gate and target. A breached one has
  /// a `failure`, an undecided one an `error`, or what the rule makes of it.
  public func jUnit(undecided rule: UndecidedRule? = nil) -> String {
    let failures = results.count { $0.outcome(rule) == .failure }
    let errors = results.count { $0.outcome(rule) == .error }
    let seconds = FixedPoint.text(
      time.map { ($0.upperBound - $0.lowerBound).inSeconds } ?? 0, decimals: 3)
    let started = time.map { " timestamp=\"\($0.lowerBound.rfc3339)\"" } ?? ""
    let all = "tests=\"\(results.count + omissions.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"pushscope\" \(all) time=\"\(seconds)\">",
      "  <testsuite name=\"pushscope gate\" \(all) skipped=\"\(omissions.count)\" time=\"\(seconds)\"\(started)>",
      "    <properties>",
    ]
    for run in runs { lines.append("      <property name=\"run\" value=\"\(run.id)\"/>") }
    lines.append("    </properties>")
    for result in results { lines += result.jUnit(rule, isIndependent: isIndependent, seconds: seconds) }
    for omission in omissions {
      lines += [
        "    <testcase classname=\"\(escaped(omission.target))\" name=\"\(escaped(omission.gate.text()))\" time=\"0\">",
        "      <skipped message=\"\(escaped(omission.reason))\"/>",
        "    </testcase>",
      ]
    }
    lines += ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }
}

private func escaped(_ text: String) -> String { MarkupText.escaped(text) }

extension GateReport.Result {
  fileprivate enum Outcome: String {
    case success, failure, error
  }

  fileprivate func outcome(_ rule: GateReport.UndecidedRule?) -> Outcome {
    switch decision {
    case .met: .success
    case .breached: .failure
    case .undecided:
      switch rule {
      // What nothing was recorded of is not passed.
      case .pass?: settled > 0 ? .success : .error
      case .fail?: .failure
      case nil: .error
      }
    }
  }

  fileprivate func jUnit(
    _ rule: GateReport.UndecidedRule?, isIndependent: Bool, seconds: String
  ) -> [String] {
    let outcome = outcome(rule)
    let said = "\(measured), \(weight(isIndependent: isIndependent))"
    var lines = [
      "    <testcase classname=\"\(escaped(target))\" name=\"\(escaped(gate.text(of: subject)))\" time=\"\(seconds)\">"
    ]
    if outcome != .success {
      lines.append(
        "      <\(outcome.rawValue) type=\"\(decision.rawValue)\" message=\"\(escaped(said))\">"
          + escaped([decision.rawValue, hint].compactMap { $0 }.joined(separator: ": "))
          + "</\(outcome.rawValue)>")
    }
    lines += [
      "      <system-out>\(escaped("\(decision.rawValue): \(said)"))</system-out>", "    </testcase>",
    ]
    return lines
  }
}
