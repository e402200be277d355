import Measurement
public import Store

/// A finding in words.
public struct FindingText {
  private let record: FindingRecord
  /// The targets of which it says the same; at least one.
  private let targets: [String]
  /// Further targets of the same incident.
  private let others: [String]
  private let isOver: Bool

  public init(_ record: FindingRecord) {
    (self.record, targets, others) = (record, [Self.target(record)], [])
    isOver = !record.isOpen
  }

  /// The first finding of an incident, with the names of all targets that the incident has.
  public init(_ incident: FindingIncident) {
    let first = incident.first
    func names(_ findings: [FindingRecord]) -> [String] {
      var seen: Set<String> = []
      return findings.map(Self.target).filter { seen.insert($0).inserted }
    }
    let alike = names(incident.findings.filter { $0.kind == first.kind && $0.metric == first.metric })
    (record, targets) = (first, alike)
    others = names(incident.findings).filter { !alike.contains($0) }
    isOver = !incident.isOpen
  }

  /// Whether it is good news.
  public var isBetter: Bool { record.kind == "faster" }

  private static func target(_ record: FindingRecord) -> String {
    record.variant.isEmpty ? record.target : "\(record.target) (\(record.variant))"
  }

  /// `ios`, `ios and android`, `ios, android and web`.
  private var target: String {
    guard targets.count > 1, let last = targets.last else { return targets[0] }
    return targets.dropLast().joined(separator: ", ") + " and " + last
  }

  /// `Delivery to ios is slower`, `Delivery to ios and android was slower`, `Delivery to ios is slower; also android`.
  public var headline: String { headline(isOver: isOver) }

  /// - Parameter isOver: whether it is told in the past, as what is open is once nobody watches any longer.
  public func headline(isOver: Bool) -> String {
    let verb = isOver && !record.isNewNormal ? "was" : "is"
    let more = isOver && !record.isNewNormal ? "lost" : targets.count > 1 ? "lose" : "loses"
    let words =
      switch record.kind {
      case "slower", "faster": "\(subject) \(verb) \(record.kind)"
      case "losing": "\(target) \(more) more notifications"
      case "failing": "More requests to \(target) \(isOver ? "failed" : "fail")"
      case "refused": "More notifications to \(target) \(isOver ? "were" : "are") \(Self.refused(record))"
      default: "\(target): \(record.kind)"
      }
    return others.isEmpty ? words : "\(words); also \(others.joined(separator: ", "))"
  }

  private var subject: String {
    switch record.metric {
    case "delivery": "Delivery to \(target)"
    case "accept": "The provider’s answer for \(target)"
    default: "\(record.metric) of \(target)"
    }
  }

  /// What was refused, and what was not sent because of that, are two things that count as one share.
  static func refused(_ record: FindingRecord) -> String {
    record.refusals?.notSent == 0 ? "refused" : "refused or not sent"
  }

  /// `p99 240 ms → 1.21 s (1.10 s to 1.30 s)`, `lost 1.0 % → 6.1 % (5.0 % to 7.4 %)`, `refused 3, not sent 375: 0.0 % → 98.1 %
  /// (…)`; where several targets are named, after the name of the one that it is of.
  public var change: String {
    targets.count + others.count > 1 ? "\(targets[0]) \(ownChange)" : ownChange
  }

  private var ownChange: String {
    if let before = record.shareBefore, let after = record.shareAfter {
      let span = Self.span(record.shareLow, record.shareHigh) { Self.decimal($0 * 100, 1) + " %" }
      let name: String =
        if record.metric != "refused" {
          record.metric
        } else if let refusals = record.refusals, refusals.notSent > 0 {
          "refused \(refusals.refused), not sent \(refusals.notSent):"
        } else {
          Self.refused(record)
        }
      return
        "\(name) \(Self.decimal(before * 100, 1)) % → \(Self.decimal(after * 100, 1)) %\(span)"
    }
    guard let before = record.before, let after = record.after else { return record.metric }
    let span = Self.span(record.afterLow, record.afterHigh) { LatencyText.text($0) }
    let level = record.quantile.map { "p" + Self.decimal($0 * 100, $0 > 0.99 ? 1 : 0) + " " } ?? ""
    return "\(level)\(LatencyText.text(before)) → \(LatencyText.text(after))\(span)"
  }

  /// An interval in brackets; an open end is written as at least or at most.
  private static func span<Value>(_ low: Value?, _ high: Value?, _ text: (Value) -> String) -> String {
    switch (low, high) {
    case (let low?, let high?): " (\(text(low)) to \(text(high)))"
    case (let low?, nil): " (at least \(text(low)))"
    case (nil, let high?): " (at most \(text(high)))"
    case (nil, nil): ""
    }
  }

  /// A cause that was found, or an undecided one with what would decide it.
  public struct Cause: Equatable {
    /// The cause as a clause: `between provider and devices (apns)`.
    public let words: String
    /// Empty where the figures of the finding say all that is known.
    public let evidence: String
    /// `nil` of a decided one.
    public let wouldDecide: String?
    public let targets: [String]

    /// `between provider and devices (apns): accept unchanged (41 ms)`.
    public var sentence: String {
      guard !evidence.isEmpty else { return words }
      let place = "between provider and device"
      let isSaid = words.hasPrefix(place) && evidence.hasPrefix(place + ": ")
      return words + (words.hasPrefix("undecided") ? "; " : ": ")
        + (isSaid ? String(evidence.dropFirst(place.count + 2)) : evidence)
    }
  }

  /// All that were found; at least one.
  public var causes: [Cause] {
    let all = record.verdicts.map { verdict in
      Cause(
        words: Self.words(verdict.cause, verdict.scope), evidence: shown(verdict.evidence),
        wouldDecide: verdict.wouldDecide.flatMap { $0.isEmpty ? nil : $0 }, targets: verdict.targets)
    }
    guard all.isEmpty else { return all }
    return [
      Cause(
        words: Self.words(record.cause, record.scope), evidence: shown(record.evidence), wouldDecide: nil,
        targets: [])
    ]
  }

  /// The first as a clause: `between provider and device`.
  public var cause: String { causes[0].words }

  /// What would decide an undecided cause.
  public var wouldDecide: String? { causes.compactMap(\.wouldDecide).first }

  /// The first in full, the others by name.
  public var account: String {
    let (first, others) = (causes[0].sentence, causes.dropFirst().map(\.words))
    return others.isEmpty ? first : "\(first); and \(others.joined(separator: "; and "))"
  }

  /// The evidence, or an empty text where it only repeats the figures of the finding.
  private func shown(_ evidence: String) -> String {
    guard let before = record.before, let after = record.after else { return evidence }
    return evidence.hasSuffix("\(LatencyText.text(before)) → \(LatencyText.text(after))")
      && evidence.hasPrefix("\(record.metric) p") ? "" : evidence
  }

  private static func words(_ cause: String, _ scope: String?) -> String {
    let scope = scope.map { " (\($0))" } ?? ""
    switch cause {
    case "": return "cause not examined yet"
    case "host": return "on this host, which sent late"
    case "uplink": return "on the way that all providers share"
    case "connecting": return "opening connections\(scope)"
    case "path": return "on the way to the provider\(scope)"
    case "provider-processing": return "processing at the provider\(scope)"
    case "provider-delivery": return "between provider and devices\(scope)"
    case "provider-loss": return "lost by the provider\(scope)"
    case "provider-errors": return "errors of the provider\(scope)"
    case "throttled": return "throttled by the provider\(scope)"
    case "credentials": return "refused credentials\(scope)"
    case "receipts": return "receipts, not the notifications: our listener or the way to it"
    case "device": return "at the device\(scope)"
    case "device-asleep": return "the device slept\(scope)"
    default: return "\(cause)\(scope)"
    }
  }

  private static func decimal(_ value: Double, _ decimals: Int) -> String {
    FixedPoint.text(Int64((value * 1_000).rounded()), scale: 1_000, decimals: decimals)
  }
}
