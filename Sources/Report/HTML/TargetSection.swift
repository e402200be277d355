import Analysis
import Findings
import Formats
import Measurement
import Store

/// Charts and tables of a target.
struct TargetSection {
  let number: Int
  let target: ReportTarget
  /// `nil` where it was never slower than before.
  let legs: LegTimes?
  let content: ReportContent
  let time: ReportTime

  var markup: Markup {
    let charts = ReportCharts(
      target: target, time: time, notes: content.connections.notes.map(\.at),
      stretches: content.findings.stretches(of: target.name, to: content.end))
    return """
      <section id="t\(number)">
      <h2>\(target.name)</h2>
      <p class="soft">\(target.provider), asked for \(FrequencyText.text(target.askedRate))\(deadline).</p>
      \(states)\(shares(target.total))\(scatter(charts))\(bands(charts))\(loss(charts))\(histogram(charts))\
      \(legs.map { LegTable(times: $0).markup } ?? "")\(tables)</section>

      """
  }

  private var deadline: String {
    target.receiptDeadline.map {
      ", receipts expected within \(FigureText.unbroken(LatencyText.text($0)))"
    }
      ?? ", no receipts expected: what is timed ends with the provider’s answer"
  }

  private var states: Markup {
    let counts = target.total.counts
    var parts = [
      "\(FigureText.grouped(counts.due)) were due", "\(FigureText.grouped(counts.sent)) sent",
      "\(FigureText.grouped(counts.acceptedByProvider)) accepted by the provider",
    ]
    for state in NotificationState.allCases where counts[state] > 0 && state != .planned {
      parts.append(
        "\(FigureText.grouped(counts[state])) \(state.title) (\(FigureText.unbroken(PercentText.brief(counts[state], of: counts.due))))"
      )
    }
    return
      "<p>\(parts.prefix(3).joined(separator: ", ")). In the end: \(parts.dropFirst(3).joined(separator: ", ")).</p>\n"
  }

  /// What arrived and what went wrong, with intervals.
  private func shares(_ group: GroupSummary) -> Markup {
    let shown = group.shares.filter {
      $0.interval.share != nil && ($0.share == .inTime || $0.interval.events > 0)
    }
    guard !shown.isEmpty else { return "" }
    let names = shown.reversed().map { "<th scope=\"col\">\($0.title)</th>" as Markup }
    let cells = shown.reversed().map { ShareCell.markup($0.interval, base: $0.base) }
    return """
      <table class="figures shares">
      <thead><tr>\(names)</tr></thead>
      <tbody>
      <tr>\(cells)</tr>
      </tbody>
      </table>

      """
  }

  private func figure(_ title: Markup, _ text: Markup, _ chart: Chart) -> Markup {
    "<figure><figcaption><h3>\(title)</h3><p>\(text)</p></figcaption>\(chart.markup)</figure>\n"
  }

  private func scatter(_ charts: ReportCharts) -> Markup {
    guard let chart = charts.scatter() else { return "<p>No notification has a latency.</p>\n" }
    let kind: Markup =
      target.dots.isComplete
      ? "A dot is a notification" : "The stronger the color, the more notifications; dots are the slowest"
    let never: Markup =
      target.total.counts.withoutLatency == 0
      ? ""
      : target.dots.isComplete
        ? " The strip on top shows what never arrived, and its bars which share that is."
        : " The bars on top show which share never arrived."
    return figure(
      "Latency over time",
      """
      \(kind): when it was planned, and how long \(what) took, on a logarithmic scale.\(never) Times are \
      \(time.zoneWords).
      """,
      chart)
  }

  private var what: Markup { target.metric == .delivery ? "delivery" : "acceptance" }

  private func bands(_ charts: ReportCharts) -> Markup {
    guard let bands = charts.bands() else { return "" }
    let gaps: Markup =
      bands.hasGaps
      ? " p99 is left out of steps with fewer than \(ReportCharts.valuesForP99) values." : ""
    return figure(
      "Half, 90 % and 99 %",
      """
      In steps of \(LengthText.text(bands.step.microseconds)): <span class="key median"></span>median, \
      <span class="key inner"></span>up to p90, <span class="key outer"></span>up to p99.\(gaps)
      """, bands.chart)
  }

  private func loss(_ charts: ReportCharts) -> Markup {
    let counts = target.total.counts
    guard let loss = charts.loss() else {
      return "<p>Nothing was lost, late, refused, failed or left unsent.</p>\n"
    }
    let keys = ReportCharts.losses.filter { counts[$0] > 0 }.map { state -> Markup in
      "<span class=\"item\"><span class=\"key s-\(state.name)\"></span>\(FigureText.grouped(counts[state])) \(state.title)</span> "
    }
    return figure(
      "What \(GoodOutcome(ofTargetsExpectingReceipts: [target.expectsReceipts]).opposite)",
      "Share of the notifications planned in each step of \(LengthText.text(loss.step.microseconds)), from zero: \(keys)",
      loss.chart)
  }

  private func histogram(_ charts: ReportCharts) -> Markup {
    guard let chart = charts.histogram() else { return "" }
    return figure(
      "Distribution",
      "How often each latency occurred, on a logarithmic scale. Lines are quantiles, with their intervals shaded.",
      chart)
  }

  private var tables: Markup {
    var result = table(target.total, title: "Latencies")
    for group in target.variants { result += table(group, title: "Variant \(group.variant)") }
    return result
  }

  private func table(_ group: GroupSummary, title: String) -> Markup {
    let values = [group.scheduleLag] + group.metrics.map(\.all)
    let names = ["lag"] + group.metrics.map(\.metric.rawValue)
    let rows = Quantile.standard.enumerated().map { index, quantile -> Markup in
      guard values.contains(where: { $0.figures[index].known != nil }) else { return "" }
      return
        "<tr><th scope=\"row\">\(quantile.label)</th>\(values.map { FigureCell.markup($0.figures[index]) })</tr>\n"
    }
    let maxima = values.map { value -> Markup in
      let text = value.maximum.map { FigureText.unbroken(LatencyText.text($0)) } ?? "–"
      return "<td>\(text)\(value.maximumIsLimit ? "\u{202F}†" : "")</td>"
    }
    let shares = values.map { value -> Markup in
      let share = FigureText.unbroken(PercentText.brief(value.share.counted, of: value.share.due))
      return "<td>\(FigureText.grouped(value.share.counted))<small>\(share)</small></td>"
    }.enumerated().map { index, cell -> Markup in
      // After the lag.
      guard index > 0, group.metrics[index - 1].countsPings else { return cell }
      return "<td>\(FigureText.grouped(values[index].share.counted))<small>PINGs</small></td>"
    }
    return """
      <h3>\(title)</h3>
      <table class="figures">
      <thead><tr><th scope="col"><span class="hidden">quantile</span></th>\(names.map { "<th scope=\"col\">\($0)</th>" as Markup })</tr></thead>
      <tbody>
      \(rows)<tr><th scope="row">max</th>\(maxima)</tr>
      <tr><th scope="row">values</th>\(shares)</tr>
      </tbody>
      </table>
      \(limits(group))
      """
  }

  private func limits(_ group: GroupSummary) -> Markup {
    guard let errors = group.deliveryErrors, errors.exact < errors.deliveries else { return "" }
    return """
      <p class="soft">\(FigureText.grouped(errors.exact)) of \(FigureText.grouped(errors.deliveries)) deliveries were timed on one \
      clock. \(FigureText.grouped(errors.bounded.share.counted)) have a bounded error, which is part of the intervals; of \
      \(FigureText.grouped(errors.limits)) only an upper limit is known († rests on any of them).</p>

      """
  }
}
