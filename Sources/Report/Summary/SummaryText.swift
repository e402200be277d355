import Analysis
import Findings
import Formats
import Measurement
import Store

extension SummaryReport {
  /// The summary as lines of plain text.
  public var lines: [String] {
    guard !runs.isEmpty else { return ["no runs here"] }
    var lines: [String] = []
    for run in runs {
      lines.append(title(run.record))
      if let instrument = run.instrument { lines += instrument.lines.map { "  " + $0 } }
      for target in run.targets { lines += [""] + Self.lines(of: target) }
      lines.append("")
    }
    return lines + ObjectiveText.lines(of: objectives) + explanation
  }

  private func title(_ run: RunRecord) -> String {
    let name = run.name.map { " \"\(EscapedText.make($0))\"" } ?? ""
    return
      "run \(run.id)\(name), \(RunText.time(run.startedAt)) UTC, \(RunText.length(run)), \(RunText.end(run, at: readAt))"
  }

  private static func lines(of target: TargetSummary) -> [String] {
    var first =
      "\(target.record.name) (\(target.record.provider)): asked \(FrequencyText.text(target.record.askedRate))"
    if let rates = target.rates {
      first += ", planned \(FrequencyText.text(rates.planned)), achieved \(FrequencyText.text(rates.sent))"
      first += ", missed \(FrequencyText.text(rates.missed))"
    }
    guard !target.groups.isEmpty else { return [EscapedText.make(first), "  nothing planned"] }
    var lines = [EscapedText.make(first)]
    if let pruned = target.prunedTo {
      lines.append(
        "  single notifications before \(RunText.time(pruned)) UTC are deleted (retention): until then from rollups, which"
      )
      lines.append("  begin and end with whole seconds, minutes or hours, whichever are left")
    }
    if let end = target.rolledUpTo {
      lines.append("  from rollups up to \(RunText.time(end)) UTC: quantiles to 3 digits, counts exact")
    }
    for group in target.groups {
      let hasVariant = !group.variant.isEmpty
      if hasVariant { lines.append("  \(EscapedText.make(group.variant))") }
      lines.append((hasVariant ? "    " : "  ") + states(of: group))
      lines += table(of: group).lines(indent: hasVariant ? 4 : 2)
      lines += (unknown(of: group) + shares(of: group) + fresh(of: group) + errors(of: group) + alone(group))
        .map {
          (hasVariant ? "    " : "  ") + $0
        }
    }
    return lines
  }

  private static func states(of group: GroupSummary) -> String {
    let counts = group.counts
    let reached =
      "\(CountText.grouped(counts.planned)) planned, \(CountText.grouped(counts.sent)) sent, "
      + "\(CountText.grouped(counts.acceptedByProvider)) accepted"
    var parts: [String] = []
    for state in NotificationState.allCases where state != .planned && counts[state] > 0 {
      let share = PercentText.brief(counts[state], of: counts.due)
      parts.append("\(CountText.grouped(counts[state])) \(state.title) (\(share))")
      if state == .failed, let unsent = counts.failedBeforeSending, unsent > 0 {
        parts.append("\(CountText.grouped(unsent)) of these before sending")
      }
    }
    if counts[.planned] > 0 {
      parts.append("\(CountText.grouped(counts[.planned])) \(NotificationState.planned.title)")
    }
    if group.duplicates > 0 { parts.append(CountText.text(group.duplicates, "duplicate")) }
    if group.outOfOrder > 0 { parts.append("\(CountText.grouped(group.outOfOrder)) out of order") }
    if group.onFreshConnections > 0 {
      parts.append(
        CountText.text(group.onFreshConnections, "on a new connection", plural: "on new connections"))
    }
    return parts.isEmpty ? reached : "\(reached); \(parts.joined(separator: ", "))"
  }

  private static func table(of group: GroupSummary) -> TextTable {
    let values = values(of: group)
    var table = TextTable(
      [.init(""), .init("lag", .right)] + group.metrics.map { .init($0.metric.rawValue, .right) })
    for (index, quantile) in Quantile.standard.enumerated() where isKnown(index, values) {
      table.append([quantile.label] + values.map { figure($0.figures[index]) })
      let effective = values.map { FigureText.effective($0.figures[index]) }
      if effective.contains(where: { !$0.isEmpty }) { table.append([""] + effective) }
    }
    table.append(["max"] + values.map(maximum))
    table.append(
      ["speaks for"]
        + zip(values, [false] + group.metrics.map(\.countsPings)).map { value, countsPings in
          countsPings
            ? CountText.text(value.share.counted, "PING")
            : "\(CountText.grouped(value.share.counted)) (\(PercentText.brief(value.share.counted, of: value.share.due)))"
        })
    return table
  }

  private static func values(of group: GroupSummary) -> [ValueSummary] {
    [group.scheduleLag] + group.metrics.map(\.all)
  }

  /// Whether any column has enough values for that quantile.
  private static func isKnown(_ index: Int, _ values: [ValueSummary]) -> Bool {
    values.contains { $0.figures[index].known != nil }
  }

  /// One line for all quantiles that no column has enough values for.
  private static func unknown(of group: GroupSummary) -> [String] {
    let values = values(of: group)
    let parts = Quantile.standard.enumerated().compactMap { index, quantile -> String? in
      isKnown(index, values) ? nil : "\(quantile.label): \(CountText.grouped(quantile.smallestCount))"
    }
    return parts.isEmpty ? [] : ["n too small; needed for " + parts.joined(separator: ", ")]
  }

  private static func figure(_ figure: ValueSummary.Figure) -> String {
    FigureText.figure(figure) + (figure.restsOnLimits ? limitMark : "")
  }

  private static func maximum(_ values: ValueSummary) -> String {
    guard let maximum = values.maximum else { return "" }
    let text =
      if let range = values.maximumRange, range.lowerBound < range.upperBound {
        FigureText.latency(maximum, from: range.lowerBound, to: range.upperBound)
      } else {
        LatencyText.text(maximum)
      }
    return text + (values.maximumIsLimit ? limitMark : "")
  }

  /// Mark of figures that rest on deliveries of which only an upper limit is known.
  static let limitMark = " †"

  /// The shares of what went wrong that are not 0, and that of what arrived in time, each with its interval.
  private static func shares(of group: GroupSummary) -> [String] {
    func line(_ shares: [ShareSummary]) -> String {
      shares.map {
        "\($0.title) \(FigureText.share($0.interval, isWeighed: $0.method == .dependent)) of \($0.base)"
      }.joined(separator: ", ")
    }
    let wrong = group.shares.filter { $0.share != .inTime && $0.interval.events > 0 }
    let right = group.shares.filter { $0.share == .inTime && $0.interval.count > 0 }
    return [wrong, right].filter { !$0.isEmpty }.map(line)
  }

  /// Which figures nothing is known of but what the window itself shows.
  private static func alone(_ group: GroupSummary) -> [String] {
    let metrics = group.metrics.filter { $0.all.figures.contains { $0.known != nil } }
    let without = metrics.filter { $0.all.figures.contains { $0.usesHistory == false } }.map(
      \.metric.rawValue)
    guard !without.isEmpty else { return [] }
    let which = without.count == metrics.count ? "" : " of " + without.joined(separator: ", ")
    return ["intervals\(which) from this window alone: what is slower than it is not in them"]
  }

  /// Counts of deliveries by their error.
  private static func errors(of group: GroupSummary) -> [String] {
    guard let errors = group.deliveryErrors else { return [] }
    var parts: [String] = []
    if errors.exact > 0 { parts.append("\(CountText.grouped(errors.exact)) none (one clock)") }
    if errors.bounded.share.counted > 0, let maximum = errors.bounded.maximum {
      let shown = errors.bounded.figures.filter { $0.quantile == .p50 || $0.quantile == .p99 }.map {
        "\($0.quantile.label) \(FigureText.figure($0))"
      }
      parts.append(
        "\(CountText.grouped(errors.bounded.share.counted)) within ± \(shown.joined(separator: ", ")), max \(LatencyText.text(maximum))"
      )
    }
    var lines = parts.isEmpty ? [] : ["delivery error: " + parts.joined(separator: "; ")]
    if errors.limits > 0 {
      let share = PercentText.brief(errors.limits, of: errors.deliveries)
      lines.append(
        "\(CountText.text(errors.limits, "delivery", plural: "deliveries")) (\(share)) \(errors.limits == 1 ? "has" : "have") "
          + "an error as large as the value; † marks what rests on any"
      )
    }
    if errors.exact < errors.deliveries {
      lines.append(
        "intervals of delivery reach from what it was at least to what it was at most, errors included")
    }
    return lines
  }

  /// Requests that opened a connection, with their median where there are enough of them.
  private static func fresh(of group: GroupSummary) -> [String] {
    // The path is that of the connection, whoever opened it.
    let parts = group.metrics.filter { $0.metric != .path }.compactMap { metric -> String? in
      guard let fresh = metric.fresh, fresh.share.counted > 0, let median = fresh.figures.first else {
        return nil
      }
      return "\(metric.metric.rawValue) p50 \(figure(median)), max \(maximum(fresh))"
    }
    return parts.isEmpty
      ? [] : ["\(CountText.grouped(group.onFreshConnections)) opened a connection:"] + parts.map { "  " + $0 }
  }

  private var explanation: [String] {
    let isExact = runs.allSatisfy { run in
      run.targets.allSatisfy { $0.groups.allSatisfy { $0.metrics.allSatisfy(\.isExact) } }
    }
    let paths = runs.flatMap(\.targets).flatMap(\.groups).flatMap(\.metrics).filter { $0.metric == .path }
    var lines = [
      "lag: planned to sent. service: sent to the provider's answer. accept: planned to the provider's answer, lag and",
      "service together. delivery: planned to received by the device. Under overload accept grows and service need not:",
      "what waits for its turn in the collector's own queue is late for its user, though the provider never saw it wait.",
    ]
    if !paths.isEmpty {
      lines += [
        "path: round trip of a PING on the target's connections"
          + (paths.allSatisfy(\.countsPings) ? ", each counted once" : ", as notifications carry it")
          + "; service includes one.",
        "It ends at whoever ends the connection, such as a provider's front end.",
      ]
    }
    lines += intervals(isExact)
    if !isExact {
      lines.append(
        "Of many values, quantiles come from histograms of 3 significant digits (--exact: from all of them).")
    }
    return lines
  }

  private func intervals(_ isExact: Bool) -> [String] {
    let exact = isExact ? "Quantiles are exact, from all values." : ""
    guard method == .dependent else {
      return [
        "In brackets: 95 % confidence interval of the quantile, whatever the distribution, as if probes were independent."
      ] + (exact.isEmpty ? [] : [exact])
    }
    return [
      "In brackets: 95 % confidence interval. Below it n, how many independent probes would say as much: what slows one",
      "probe slows its neighbors too. ≥ and ≤: the values determine one end only. --independent takes them for independent.",
    ] + (exact.isEmpty ? [] : [exact])
  }
}

extension ShareSummary {
  /// The name of the share for people.
  var title: String { share == .refused ? SeriesMetric.refused.title : name.replacing("_", with: " ") }

  /// The name of the share in JSON: `lost`, `unseen`, `failed`, `refused`, `in_time`.
  var name: String {
    switch share {
    case .lost: SeriesMetric.lost.rawValue
    case .unseen: SeriesMetric.unseen.rawValue
    case .failed: SeriesMetric.failed.rawValue
    case .refused: SeriesMetric.refused.rawValue
    case .inTime: "in_time"
    case .within(let limit, _, _): "within \(LatencyText.text(limit))"
    }
  }

  /// What it is a share of, in the words of the states.
  var base: String { share.baseName }
}
