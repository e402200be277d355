import Analysis
import Findings
import Formats
import Measurement
import Store

extension GateReport {
  /// A line for each gate and target, and one for the whole.
  public var lines: [String] {
    var table = TextTable([.init("verdict"), .init("target"), .init("gate"), .init("measured"), .init("n")])
    for result in results {
      table.append([
        result.decision.rawValue, result.target, result.gate.text(of: result.subject), result.measured,
        result.weight(isIndependent: isIndependent),
      ])
    }
    var lines = results.isEmpty ? [] : table.lines()
    for result in results {
      if let hint = result.hint { lines.append("\(EscapedText.make(result.target)): \(hint)") }
    }
    for omission in omissions {
      lines.append(
        EscapedText.make("not judged: \(omission.gate.text()) at \(omission.target), \(omission.reason)"))
    }
    return lines + [sentence]
  }

  /// `gate breached: 1 of 2 breached, 1 undecided`.
  public var sentence: String {
    guard !results.isEmpty else { return "gate undecided: no target was judged" }
    func count(_ decision: GateDecision) -> Int { results.count { $0.decision == decision } }
    let parts = [GateDecision.breached, .undecided, .met].filter { count($0) > 0 }.map {
      "\(count($0)) \($0.rawValue)"
    }
    return "gate \(decision.rawValue): \(parts.joined(separator: ", ")) of \(results.count)"
  }

  /// What a rule makes of an undecided verdict; `nil` where it changes nothing.
  public func consequence(of rule: UndecidedRule?) -> String? {
    guard let rule, outcome(undecided: rule) != decision else { return nil }
    return "by --undecided \(rule.rawValue) it counts as \(outcome(undecided: rule).rawValue)"
  }

  public var json: JSONValue {
    .object([
      .init("verdict", .string(decision.rawValue)),
      .init("runs", .array(runs.map { .string($0.id.description) })),
      .init("planned_from", .string(time?.lowerBound.rfc3339)),
      .init("planned_to", .string(time?.upperBound.rfc3339)),
      .init("independent", .boolean(isIndependent)),
      .init("gates", .array(results.map(\.json))),
      .init(
        "not_judged",
        .array(
          omissions.map {
            .object([
              .init("gate", .string($0.gate.text())), .init("target", .string($0.target)),
              .init("reason", .string($0.reason)),
            ])
          })),
    ])
  }
}

extension GateReport.Result {
  /// The figure with its interval.
  var measured: String {
    switch figure {
    case .share(let interval): FigureText.share(interval)
    case .deleted: "deleted"
    case .quantile(let figure?): FigureText.quantile(figure.value, low: figure.low, high: figure.high)
    case .quantile(nil): "no value"
    }
  }

  func weight(isIndependent: Bool) -> String {
    switch figure {
    case .share(let interval):
      FigureText.weight(
        interval.effectiveCount, of: interval.count, usesHistory: interval.usesHistory,
        isIndependent: isIndependent)
    case .quantile(let figure?):
      FigureText.weight(
        figure.effectiveCount, of: figure.count, usesHistory: figure.usesHistory,
        isIndependent: isIndependent)
    case .quantile(nil), .deleted: "n 0"
    }
  }

  /// What it takes to decide an undecided one.
  var hint: String? {
    guard decision == .undecided else { return nil }
    if settled == 0 { return "nothing is settled yet" }
    switch (gate.requirement, figure) {
    case (.share(let required, _, _), .share(let interval)):
      let needed = ShareInterval.independentCount(toProve: required)
      guard interval.events == interval.count, interval.effectiveCount < Double(needed) else { return nil }
      return
        "to show a share of \(PercentText.given(required)) takes \(CountText.grouped(needed)) independent probes without a failure"
    case (.watched(let share, let limit), .share(let interval)):
      let needed = ShareInterval.independentCount(toProve: 1 - limit)
      guard interval.count > 0 else {
        return share == .unseen
          ? "no device reported whether it showed them"
          : "none was \(share.share?.baseName ?? "planned")"
      }
      guard interval.events == 0, interval.effectiveCount < Double(needed) else { return nil }
      return
        "to show that less than \(PercentText.given(limit)) are \(share.title) takes \(CountText.grouped(needed)) independent probes of which none is"
    case (_, .deleted):
      return "retention has deleted the notifications, and why some were not sent is in no sum of them"
    case (.quantile(let quantile, _), .quantile(let figure)):
      guard figure?.high == nil else { return nil }
      return
        "an interval of \(quantile.label) takes \(CountText.grouped(quantile.smallestCount)) independent values"
    default: return nil
    }
  }

  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("gate", .string(gate.text(of: subject))), .init("target", .string(target)),
      .init("metric", .string(subject.name)), .init("verdict", .string(decision.rawValue)),
      .init("settled", .integer(Int64(settled))),
    ]
    switch (gate.requirement, figure) {
    case (.share(let required, let limit, let base), .share(let interval)):
      members += [
        .init("within_us", .integer(limit.microseconds)), .init("over", .string(base.rawValue)),
        .init("required_share", .number(required)),
      ]
      members += Self.members(of: interval, events: "within")
    case (.watched(let share, let limit), .share(let interval)):
      members += [
        .init("over", .string(share.share?.baseName)), .init("below_share", .number(limit)),
      ]
      members += Self.members(of: interval, events: "events")
    case (.watched(let share, let limit), .deleted):
      members += [
        .init("over", .string(share.share?.baseName)), .init("below_share", .number(limit)),
        .init("share", .null),
      ]
    case (.quantile(let quantile, let limit), .quantile(let figure)):
      members += [
        .init("quantile", .number(quantile.fraction)), .init("below_us", .integer(limit.microseconds)),
        .init("value_us", .integer(figure?.shownValue)), .init("low_us", .integer(figure?.low)),
        .init("high_us", .integer(figure?.high)), .init("counted", .integer(Int64(figure?.count ?? 0))),
        .init("effective_count", figure.map { .number($0.effectiveCount) } ?? .null),
        .init("history", .boolean(figure?.usesHistory ?? false)),
      ]
    default: break
    }
    return .object(members)
  }

  private static func members(of interval: ShareInterval, events: String) -> [JSONValue.Member] {
    [
      .init("share", interval.share.map { .number($0) } ?? .null), .init("share_low", .number(interval.low)),
      .init("share_high", .number(interval.high)), .init(events, .integer(Int64(interval.events))),
      .init("counted", .integer(Int64(interval.count))),
      .init("effective_count", .number(interval.effectiveCount)),
      .init("history", .boolean(interval.usesHistory)),
    ]
  }
}
