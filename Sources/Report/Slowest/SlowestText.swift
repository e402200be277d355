import Analysis
import Formats
import Measurement
import Store

extension SlowestReport {
  /// A line for each notification, the findings that they belong to, and what is not among them.
  ///
  /// - Parameter today: the day whose date is left out of the findings' times.
  public func lines(today: WallTime? = nil) -> [String] {
    var lines: [String] = []
    if notifications.isEmpty {
      lines.append("no notification has a latency\(metric.map { " of \($0.rawValue)" } ?? "")")
    } else {
      var table = TextTable([
        .init("took", .right), .init("notification"), .init("planned (UTC)"), .init("why"),
      ])
      for one in notifications {
        table.append([
          LatencyText.text(one.latency.microseconds), one.name, Self.time(one.sample.plannedAt), one.words,
        ])
      }
      lines += table.lines()
      let findings = self.findings
      if !findings.isEmpty { lines.append("") }
      for finding in findings {
        let sentence = FindingSentence(finding, clock: SentenceClock(today: today, isNamed: true)).text
        lines.append(EscapedText.make("finding \(finding.id): \(sentence)"))
      }
      lines += ["", "\(notifications.count) of \(CountText.text(counted, "notification")) with a latency"]
    }
    let states = Self.states.compactMap { state in
      without[state].map { "\(CountText.grouped($0)) \(state.title)" }
    }
    if !states.isEmpty { lines.append("without one: \(states.joined(separator: ", "))") }
    if let prunedTo {
      lines.append(
        "notifications planned before \(RunText.time(prunedTo)) UTC are deleted (retention): slower ones may have been among them"
      )
    }
    return lines
  }

  public var json: JSONValue {
    .object([
      .init("metric", .string(metric?.rawValue)), .init("counted", .integer(Int64(counted))),
      .init(
        "without",
        .object(
          Self.states.compactMap { state in
            without[state].map { .init(state.name, .integer(Int64($0))) }
          })),
      .init("pruned_to", .string(prunedTo?.rfc3339)),
      .init("notifications", .array(notifications.map(\.json))),
      .init(
        "findings",
        .array(
          findings.map {
            .object([
              .init("id", .string($0.id)),
              .init("sentence", .string(FindingSentence($0, clock: .alone).text)),
            ])
          })),
    ])
  }

  /// The findings that they belong to, in the order of the notifications.
  private var findings: [FindingRecord] {
    var known: Set<String> = []
    return notifications.compactMap(\.finding).filter { known.insert($0.id).inserted }
  }

  private static let states = NotificationState.settled

  /// `2026-03-01 14:02:11.123`.
  private static func time(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(12))"
  }
}

extension SlowestReport.Notification {
  /// `ios #381`, `ios/priority=10 #381`.
  fileprivate var name: String { "\(SeriesName.text(target, variant)) #\(sample.id.sequence)" }

  /// What it waited for, then the parts of its way, its connection and its finding.
  fileprivate var words: String {
    let legs = NotificationLegs(sample, of: metric).parts.map { part in
      let length = part.isUpperLimit ? part.range?.upperBound ?? part.length : part.length
      return "\(part.leg.title) \(part.isUpperLimit ? "≤ " : "")\(LatencyText.text(length.microseconds))"
    }
    return [
      sentence.text(of: metric), legs.joined(separator: ", "), sentence.connection.map { "connection \($0)" },
      finding.map { "finding \($0.id)" },
    ].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "; ")
  }

  fileprivate var json: JSONValue {
    let legs = NotificationLegs(sample, of: metric).parts.map { part in
      JSONValue.object([
        .init("leg", .string(part.leg.rawValue)), .init("us", .integer(part.length.microseconds)),
        .init("low_us", .integer((part.range?.lowerBound ?? part.length).microseconds)),
        .init("high_us", .integer((part.range?.upperBound ?? part.length).microseconds)),
      ])
    }
    return .object(
      place.json(of: sample) + [
        .init("metric", .string(metric.rawValue)), .init("value_us", .integer(latency.microseconds)),
        .init("sentence", .string(sentence.text(of: metric))), .init("legs", .array(legs)),
        .init("context", .string(context?.text)), .init("finding", .string(finding?.id)),
      ])
  }
}
