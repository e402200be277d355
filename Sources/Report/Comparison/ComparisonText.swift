import Analysis
import Findings
import Formats
import Measurement

extension ComparisonReport {
  /// The two sides, a table for each pair of series, and what is not compared.
  public var lines: [String] {
    var lines = ["A  \(first.title)", "B  \(second.title)"]
    for pair in pairs {
      lines += ["", title(pair)]
      if pair.latencies.isEmpty, pair.shares.isEmpty {
        lines.append(
          min(pair.settled.first, pair.settled.second) > 0
            ? "  no latency is known on both sides" : "  nothing is settled on both sides")
      } else {
        lines += table(of: pair).lines(indent: 2)
        if !plan.isIndependent, plan.by == nil, let alone = Self.alone(pair) { lines.append(alone) }
      }
      for (target, mixed) in [(pair.first, pair.mixed.first), (pair.second, pair.mixed.second)]
      where !mixed.isEmpty {
        lines.append(
          EscapedText.make(
            "  \(target): all of its variants as they were sent; name one with run/target/variant: "
              + mixed.joined(separator: "; ")))
      }
    }
    for (name, titles) in [("A", onlyFirst), ("B", onlySecond)] where !titles.isEmpty {
      lines.append(
        EscapedText.make("only in \(name): \(titles.joined(separator: plan.by == nil ? ", " : "; "))"))
    }
    return lines + [""] + explanation
  }

  private func title(_ pair: Pair) -> String {
    let names = pair.first == pair.second ? pair.first : "\(pair.first) (A), \(pair.second) (B)"
    let values = zip(plan.by?.keys ?? [], pair.values).map { ", \($0.name) \($1)" }.joined()
    return EscapedText.make(names + values)
      + ": \(CountText.grouped(pair.settled.first)) and \(CountText.grouped(pair.settled.second)) settled"
      + (pair.isPaired ? ", compared in pairs over the same time" : "")
      + (pair.prunedTo.map {
        "; single notifications before \(RunText.time($0)) UTC are deleted"
          + (plan.by == nil ? ": until then from rollups" : ", and not compared")
      } ?? "")
  }

  private func table(of pair: Pair) -> TextTable {
    var table = TextTable([
      .init(""), .init("A", .right), .init("B", .right), .init("change", .right), .init("verdict"),
    ])
    for row in pair.latencies {
      let (before, after) = (row.comparison.before, row.comparison.after)
      table.append([
        "\(row.metric.rawValue) \(row.quantile.label)",
        FigureText.quantile(before.value, low: before.low, high: before.high),
        FigureText.quantile(after.value, low: after.low, high: after.high), row.change,
        row.words(tolerance: plan.tolerance),
      ])
      if !plan.isIndependent {
        table.append(["", Self.effective(before), Self.effective(after), "", ""])
      }
    }
    for row in pair.shares {
      table.append([
        row.share.title, FigureText.share(row.comparison.before, isWeighed: !plan.isIndependent),
        FigureText.share(row.comparison.after, isWeighed: !plan.isIndependent),
        row.change, row.words,
      ])
    }
    return table
  }

  /// The effective count to print under an interval, as in a summary: `n 38 of 3600`.
  private static func effective(_ interval: QuantileInterval) -> String {
    "n \(CountText.effective(interval.effectiveCount)) of \(CountText.grouped(interval.count))"
  }

  /// Which side has no earlier windows to learn from.
  private static func alone(_ pair: Pair) -> String? {
    func isAlone(_ side: (LatencyRow) -> QuantileInterval, _ share: (ShareRow) -> ShareInterval) -> Bool {
      pair.latencies.contains { !side($0).usesHistory } || pair.shares.contains { !share($0).usesHistory }
    }
    let sides = [
      isAlone({ $0.comparison.before }, { $0.comparison.before }) ? "A" : nil,
      isAlone({ $0.comparison.after }, { $0.comparison.after }) ? "B" : nil,
    ].compactMap { $0 }
    guard !sides.isEmpty else { return nil }
    return
      "  intervals of \(ListText.and(sides)) from this window alone: what is slower than it is not in them"
  }

  private var explanation: [String] {
    let percent = PercentText.given(plan.tolerance)
    let brackets = "change: of latencies B / A, of shares B - A in points; in brackets the 95 % interval"
    let method =
      plan.isIndependent
      ? [brackets + ", probes taken for independent."]
      : [
        brackets + ", which allows for probes that depend on each other.",
        "n: how many independent probes would say as much as the settled ones.",
      ]
    let divided =
      plan.by.map { by in
        [
          "Each \(EscapedText.make(ListText.and(by.keys.map(\.name)))) is compared with itself, by these two sides alone"
            + (by.keys.contains(where: \.isOfDay) ? " (\(by.zoneName))" : "")
            + "; of twenty that are the same, one may seem to differ."
        ]
          + (plan.comparedShares == plan.shares
            ? []
            : [
              "lost, failed and refused are not compared: what has no receipt reports none of its circumstances."
            ])
      } ?? []
    return method + divided + [
      "same: all of the interval is within \(percent), of shares within 1 point. no evidence: it holds both no change and more",
      "than that. cannot tell: it is open at an end; more notifications are needed.",
    ]
  }

  /// The report as JSON, with names and units as in the exports.
  public var json: JSONValue {
    .object([
      .init("a", .string(first.title)), .init("b", .string(second.title)),
      .init("tolerance", .number(plan.tolerance)),
      .init("share_tolerance", .number(ComparisonPlan.shareTolerance)),
      .init("independent", .boolean(plan.isIndependent)),
      .init("by", .array((plan.by?.keys ?? []).map { .string($0.name) })),
      .init(
        "compared",
        .array(
          pairs.map { pair in
            .object([
              .init("a", .string(pair.first)), .init("b", .string(pair.second)),
              .init(
                "value",
                .object(zip(plan.by?.keys ?? [], pair.values).map { .init($0.name, .string($1)) })),
              .init("a_variants", .array(pair.mixed.first.map { .string($0) })),
              .init("b_variants", .array(pair.mixed.second.map { .string($0) })),
              .init("paired", .boolean(pair.isPaired)),
              .init("pruned_to", .string(pair.prunedTo?.rfc3339)),
              .init("settled_a", .integer(Int64(pair.settled.first))),
              .init("settled_b", .integer(Int64(pair.settled.second))),
              .init("latencies", .array(pair.latencies.map(\.json))),
              .init("shares", .array(pair.shares.map(\.json))),
            ])
          })),
      .init("only_a", .array(onlyFirst.map { .string($0) })),
      .init("only_b", .array(onlySecond.map { .string($0) })),
    ])
  }
}

extension ComparisonReport.LatencyRow {
  /// Whether a side has too few values for the figure.
  private var lacksFigure: Bool {
    comparison.before.isUndetermined || comparison.after.isUndetermined
  }

  /// `×1.62 (1.50 to 1.74)`; an open end is `…`, and `–` stands where a side has too few values.
  var change: String {
    if lacksFigure { return "–" }
    let (low, high) = comparison.ratioInterval
    return "×\(Self.factor(comparison.ratio)) (\(Self.factor(low)) to \(Self.factor(high)))"
  }

  private static func factor(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return "…" }
    return FixedPoint.text(value, decimals: value < 0.0995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
  }

  func words(tolerance: Double) -> String {
    switch verdict {
    case .lower: "faster"
    case .higher: "slower"
    case .same: "same within \(PercentText.given(tolerance))"
    case .noEvidence: "no evidence"
    case .cannotTell:
      "cannot tell (effective n \(CountText.effective(min(comparison.before.effectiveCount, comparison.after.effectiveCount))))"
    }
  }

  fileprivate var json: JSONValue {
    let (low, high) = comparison.ratioInterval
    let difference = comparison.after.value - comparison.before.value
    return .object([
      .init("metric", .string(metric.rawValue)), .init("quantile", .number(quantile.fraction)),
      .init("a", Self.json(comparison.before)), .init("b", Self.json(comparison.after)),
      .init("difference_us", .integer(lacksFigure ? nil : difference)),
      .init("ratio", lacksFigure ? .null : .number(comparison.ratio)),
      .init("ratio_low", low > 0 ? .number(low) : .null),
      .init("ratio_high", .number(high)), .init("verdict", .string(verdict.word("faster", "slower"))),
    ])
  }

  private static func json(_ interval: QuantileInterval) -> JSONValue {
    .object([
      .init("value_us", .integer(interval.shownValue)), .init("low_us", .integer(interval.low)),
      .init("high_us", .integer(interval.high)), .init("counted", .integer(Int64(interval.count))),
      .init("effective_count", .number(interval.effectiveCount)),
      .init("history", .boolean(interval.usesHistory)),
    ])
  }
}

extension ComparisonReport.ShareRow {
  /// `+0.30 points (-0.10 to +0.70)`.
  var change: String {
    guard let difference = comparison.difference else { return "–" }
    return PercentText.points(difference)
      + " (\(PercentText.pointsNumber(comparison.low)) to \(PercentText.pointsNumber(comparison.high)))"
  }

  var words: String {
    switch verdict {
    case .lower: "less lossy"
    case .higher: "lossier"
    case .same: "same within 1 point"
    case .noEvidence: "no evidence"
    case .cannotTell: "cannot tell"
    }
  }

  fileprivate var json: JSONValue {
    .object([
      .init("share", .string(share.rawValue)), .init("a", Self.json(comparison.before)),
      .init("b", Self.json(comparison.after)),
      .init("difference", comparison.difference.map { .number($0) } ?? .null),
      .init("difference_low", .number(comparison.low)), .init("difference_high", .number(comparison.high)),
      .init("verdict", .string(verdict.word("less_lossy", "lossier"))),
    ])
  }

  private static func json(_ interval: ShareInterval) -> JSONValue {
    .object([
      .init("share", interval.share.map { .number($0) } ?? .null), .init("share_low", .number(interval.low)),
      .init("share_high", .number(interval.high)), .init("events", .integer(Int64(interval.events))),
      .init("counted", .integer(Int64(interval.count))),
      .init("effective_count", .number(interval.effectiveCount)),
      .init("history", .boolean(interval.usesHistory)),
    ])
  }
}

extension ComparisonVerdict {
  fileprivate func word(_ lower: String, _ higher: String) -> String {
    switch self {
    case .lower: lower
    case .higher: higher
    case .same: "same"
    case .noEvidence: "no_evidence"
    case .cannotTell: "cannot_tell"
    }
  }
}
