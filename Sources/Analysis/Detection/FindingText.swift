import Measurement
public import Store

/// The figures of a finding with their intervals, and its causes with their evidence: what stands behind ``FindingSentence``.
public struct FindingText {
  private let record: FindingRecord

  public init(_ record: FindingRecord) { self.record = record }

  /// What was refused, and what was not sent because of that, are two things that count as one share.
  static func refused(_ record: FindingRecord) -> String {
    record.refusals?.notSent == 0 ? "refused" : "refused or not sent"
  }

  /// `p99 240 ms → 1.21 s (1.10 to 1.30 s)`, `lost 1.0 % → 6.1 % (5.0 to 7.4 %)`, `refused 3, not sent 375: 0 % → 98.1 %
  /// (…)`.
  public var change: String {
    if let before = record.shareBefore, let after = record.shareAfter {
      let span = Self.span(record.shareLow, record.shareHigh, PercentText.fine) { low, high in
        "\(PercentText.fineNumber(low)) to \(PercentText.fine(high))"
      }
      let name: String =
        if record.metric.word != .refused {
          record.metric.rawValue
        } else if let refusals = record.refusals, refusals.notSent > 0 {
          "refused \(CountText.grouped(refusals.refused)), not sent \(CountText.grouped(refusals.notSent)):"
        } else {
          Self.refused(record)
        }
      return "\(name) \(PercentText.fine(before)) → \(PercentText.fine(after))\(span)"
    }
    guard let before = record.before, let after = record.after else { return record.metric.rawValue }
    let span = Self.span(record.afterLow, record.afterHigh, LatencyText.text, LatencyText.interval)
    let level = record.quantile.map { Quantile.label(of: $0) + " " } ?? ""
    return "\(level)\(LatencyText.text(before)) → \(LatencyText.text(after))\(span)"
  }

  /// An interval in brackets; an open end is written as at least or at most.
  private static func span<Value>(
    _ low: Value?, _ high: Value?, _ text: (Value) -> String, _ interval: (Value, Value) -> String
  ) -> String {
    switch (low, high) {
    case (let low?, let high?): " (\(interval(low, high)))"
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
    private let isDecided: Bool

    fileprivate init(
      _ cause: Measurement.Cause?, _ scope: String?, evidence: String, wouldDecide: String? = nil,
      targets: [String] = []
    ) {
      words = FindingText.words(cause, scope)
      self.evidence = evidence
      self.wouldDecide = wouldDecide
      self.targets = targets
      isDecided = cause?.isDecided ?? true
    }

    /// `between provider and devices (apns): accept unchanged (41 ms)`.
    public var sentence: String {
      guard !evidence.isEmpty else { return words }
      let place = "between provider and device"
      let isSaid = words.hasPrefix(place) && evidence.hasPrefix(place + ": ")
      return words + (isDecided ? ": " : "; ")
        + (isSaid ? String(evidence.dropFirst(place.count + 2)) : evidence)
    }
  }

  /// Those that were found of the finding's target; at least one.
  public var causes: [Cause] { causes { _ in true } }

  /// The first, and decided ones beside it: what is undecided beside another cause is about another change.
  public var leadingCauses: [Cause] { causes(\.cause.isDecided) }

  /// The first, and those beside it that concern the finding's target.
  private func causes(_ isShown: (Verdict) -> Bool) -> [Cause] {
    let verdicts = record.verdicts.enumerated().filter { place, verdict in
      place == 0 || verdict.targets.contains(record.target) && isShown(verdict)
    }
    let all = verdicts.map { _, verdict in
      Cause(
        verdict.cause, verdict.scope, evidence: shown(verdict.evidence),
        wouldDecide: verdict.wouldDecide.flatMap { $0.isEmpty ? nil : $0 }, targets: verdict.targets)
    }
    guard all.isEmpty else { return all }
    return [Cause(record.cause, record.scope, evidence: shown(record.evidence))]
  }

  /// The evidence, or an empty text where it only repeats the figures of the finding.
  private func shown(_ evidence: String) -> String {
    guard let before = record.before, let after = record.after else { return evidence }
    return evidence.hasSuffix("\(LatencyText.text(before)) → \(LatencyText.text(after))")
      && evidence.hasPrefix("\(record.metric) p") ? "" : evidence
  }

  private static func words(_ cause: Measurement.Cause?, _ scope: String?) -> String {
    guard let cause else { return "cause not examined yet" }
    let scope = scope.map { " (\($0))" } ?? ""
    return switch cause {
    case .host: "on this host, which sent late"
    case .uplink: "on the network that all providers share"
    case .connecting: "opening connections\(scope)"
    case .path: "on the network to the provider\(scope)"
    case .providerProcessing: "processing at the provider\(scope)"
    case .providerDelivery: "between provider and devices\(scope)"
    case .providerLoss: "lost by the provider\(scope)"
    case .providerErrors: "errors of the provider\(scope)"
    case .throttled: "throttled by the provider\(scope)"
    case .credentials: "refused credentials\(scope)"
    case .receipts: "receipts, not the notifications: our listener or the network to it"
    case .device: "at the device\(scope)"
    case .deviceAsleep: "the device slept\(scope)"
    case .display: "the device does not show them\(scope)"
    case .undecided, .other: "\(cause)\(scope)"
    }
  }
}
