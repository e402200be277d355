import Analysis
import Configuration
import Findings
import Formats
import Measurement
import Store

extension FindingEvidence {
  /// A part for each provider, which can be sent as it is.
  public var lines: [String] {
    sections.enumerated().flatMap { place, section in
      (place == 0 ? [] : ["", "---", ""]) + lines(of: section)
    }
  }

  public var json: JSONValue {
    .object([
      .init("finding", .string(sections.first?.findings.first?.id)),
      .init("read_at", .string(readAt.rfc3339)),
      .init("configured", .boolean(isConfigured)),
      .init("providers", .array(sections.map(json))),
    ])
  }

  private func lines(of section: Section) -> [String] {
    var lines = [
      "For the engineers of \(section.provider)"
        + (section.endpoint.isEmpty ? "" : ", about \(section.endpoint)"), "",
    ]
    for finding in section.findings {
      lines.append("finding \(finding.id): \(FindingSentence(finding, clock: .alone).what)")
    }
    lines += [
      "from \(section.time.lowerBound.rfc3339) to \(section.time.upperBound.rfc3339)"
        + (section.isOpen ? " (not over yet)" : ""),
      "Times are UTC (Z) by the clock of the host that sent. \"sent\" is when a request left, \"accepted\" when the answer's headers",
      "were complete. \"received\" is by the device's clock, corrected for its offset; in brackets the range in which it lies.",
    ]
    if !isConfigured {
      lines.append(
        "What was asked for is not known here: name the configuration of the collector with --config.")
    }
    if let pruned = section.prunedTo {
      lines.append(
        "Notifications planned before \(pruned.rfc3339) are deleted (retention), and not among these.")
    }
    lines += ["", section.worst.isEmpty ? "no notification of this time is affected" : "the worst:"]
    lines += section.worst.flatMap { Self.lines(of: $0, section) }
    lines += [
      "",
      section.normal.isEmpty
        ? "no notification of this time or before it was normal"
        : section.isNormalBefore
          ? "none of this time was normal; the last normal ones before it:" : "normal ones of the same time:",
    ]
    lines += section.normal.flatMap { Self.lines(of: $0, section) }
    lines += [""] + Self.lines(of: section.controls)
    return lines.map { EscapedText.make($0) }
  }

  private static func lines(of one: Notification, _ section: Section) -> [String] {
    let width = (one.rows.map(\.name.count).max() ?? 0) + 2
    return one.rows.enumerated().map { place, row in
      (place == 0 ? "- " : "  ") + row.name + String(repeating: " ", count: width - row.name.count)
        + row.value
    }
  }

  private static func lines(of controls: [Control]) -> [String] {
    guard !controls.isEmpty else {
      return [
        "Nothing else was sent by this provider or to these devices in this time that could be compared."
      ]
    }
    var table = TextTable([
      .init("device"), .init("target"), .init("provider"), .init("metric"), .init("p50"), .init("p99"),
      .init("lost"), .init("n", .right),
    ])
    for control in controls {
      table.append([
        control.device, control.target, control.provider, control.metric.rawValue,
        text(control.median), text(control.high), control.lost.map { FigureText.share($0) } ?? "–",
        CountText.grouped(control.settled),
      ])
    }
    return ["other devices and providers in the same time, with 95 % intervals:"] + table.lines(indent: 2)
  }

  private static func text(_ figure: QuantileInterval?) -> String {
    figure.map { FigureText.quantile($0.value, low: $0.low, high: $0.high) } ?? "no value"
  }

  private func json(_ section: Section) -> JSONValue {
    .object([
      .init("provider", .string(section.provider)),
      .init("endpoint", .string(section.endpoint.isEmpty ? nil : section.endpoint)),
      .init("from", .string(section.time.lowerBound.rfc3339)),
      .init("to", .string(section.time.upperBound.rfc3339)), .init("open", .boolean(section.isOpen)),
      .init("pruned_to", .string(section.prunedTo?.rfc3339)),
      .init(
        "findings",
        .array(
          section.findings.map {
            .object([
              .init("id", .string($0.id)), .init("target", .string($0.target)),
              .init("sentence", .string(FindingSentence($0, clock: .alone).what)),
            ])
          })), .init("worst", .array(section.worst.map(\.json))),
      .init("normal", .array(section.normal.map(\.json))),
      .init("normal_before", .boolean(section.isNormalBefore)),
      .init("controls", .array(section.controls.map(\.json))),
    ])
  }
}

extension FindingEvidence.Notification {
  /// The names and values of a notification, its id first.
  fileprivate var rows: [(name: String, value: String)] {
    func time(after interval: Int64?) -> String? {
      interval.map { sample.plannedAt.advanced(byMicroseconds: $0).rfc3339 }
    }
    var rows: [(name: String, value: String)] = [(idName, id), ("planned", sample.plannedAt.rfc3339)]
    if let answerID { rows.insert((answerName, answerID), at: 1) }
    if let sent = time(after: sample.scheduleLag) { rows.append(("sent", sent)) }
    if let accepted = time(after: sample.acceptLatency) { rows.append(("accepted", accepted)) }
    if let received = time(after: sample.deliveryLatency) {
      let range = sample.deliveryCertainty == .exact ? nil : sample.deliveryRange
      let bounds = range.flatMap { range in
        time(after: range.low).flatMap { low in time(after: range.high).map { " (\(low) to \($0))" } }
      }
      rows.append(("received", received + (bounds ?? "")))
    }
    if let shown = time(after: sample.shownLatency) {
      rows.append(("shown", shown))
    } else if sample.display == .unseen {
      rows.append(("shown", "not by its receipt deadline"))
    }
    rows.append(("state", "\(sample.state.title): \(sentence)"))
    let answer = [
      sample.status.map { "status \($0)" }, sample.reason.flatMap { $0.isEmpty ? nil : $0 },
      sample.httpVersion.map { "HTTP/\($0.name)" },
    ].compactMap { $0 }
    if !answer.isEmpty { rows.append(("answer", answer.joined(separator: ", "))) }
    if let bytes = sample.payloadBytes { rows.append(("body", CountText.text(bytes, "byte"))) }
    rows += fields.map { ($0.name, $0.value) }
    rows.append(("device", device))
    if let context { rows.append(("reported", context.text)) }
    return rows
  }

  /// The name under which the provider knows the notification's id.
  private var idName: String { place.target.provider == "apns" ? APNsDialect.Header.id : "id in the payload" }

  /// The name under which the provider gives an id of its own.
  private var answerName: String {
    switch ProviderKind(rawValue: place.target.provider) {
    case .apns: APNsDialect.Header.uniqueID
    case .fcm: "message name"
    case .webpush: "Location"
    case .ntfy, .http, .loopback, nil: "message id"
    }
  }

  /// The provider's id; `nil` where it gave none.
  private var answerID: String? {
    guard let id = sample.answerID else { return nil }
    if let keptUntil, keptUntil > readAt {
      return
        "not told before \(keptUntil.rfc3339), when its TTL is over: until then it lets its reader delete the message"
    }
    switch ProviderKind(rawValue: place.target.provider) {
    case .fcm: return "projects/…/messages/\(id)"
    case .webpush: return id.replacing(" ", with: "/…/")
    case .apns, .ntfy, .http, .loopback, nil: return id
    }
  }

  private var id: String { place.target.notificationID(sample.id).description }

  private var sentence: String {
    NotificationSentence(
      sample, provider: place.target.provider,
      receiptDeadline: place.target.receiptDeadline.map { .microseconds($0) }, context: context
    ).text()
  }

  fileprivate var json: JSONValue {
    .object(
      place.json(of: sample) + [
        .init("answer_id", .string(keptUntil.map { $0 > readAt } ?? false ? nil : answerID)),
        .init("device", .string(device)),
        .init("context", .string(context?.text)),
        .init("sentence", .string(sentence)),
        .init("request", .object(fields.map { .init($0.name, .string($0.value)) })),
      ])
  }
}

extension FindingEvidence.Control {
  fileprivate var json: JSONValue {
    .object([
      .init("target", .string(target)), .init("provider", .string(provider)),
      .init("device", .string(device)),
      .init("metric", .string(metric.rawValue)), .init("settled", .integer(Int64(settled))),
      .init("p50_us", .integer(median?.shownValue)), .init("p50_low_us", .integer(median?.low)),
      .init("p50_high_us", .integer(median?.high)), .init("p99_us", .integer(high?.shownValue)),
      .init("p99_low_us", .integer(high?.low)), .init("p99_high_us", .integer(high?.high)),
      .init("lost_share", lost?.share.map { .number($0) } ?? .null),
      .init("lost_low", lost.map { .number($0.low) } ?? .null),
      .init("lost_high", lost.map { .number($0.high) } ?? .null),
    ])
  }
}
