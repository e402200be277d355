import Analysis
import Findings
import Formats
import Measurement
import Store

/// A row for each target: how many arrived, how long it took.
struct OverviewSection {
  private let content: ReportContent

  init(_ content: ReportContent, _ time: ReportTime) { self.content = content }

  var markup: Markup {
    guard !content.targets.isEmpty else { return "" }
    return """
      <section>
      <h2>At a glance</h2>
      <table class="overview">
      <thead><tr><th scope="col">target</th><th scope="col">planned</th><th scope="col">\(GoodOutcome(ofTargetsExpectingReceipts: content.targets.map(\.expectsReceipts)).title)</th>\
      <th scope="col">p50</th><th scope="col">p95</th><th scope="col">p99</th></tr></thead>
      <tbody>
      \(content.targets.enumerated().map(row))</tbody>
      </table>
      <p class="soft">Latencies count from the moment a notification was planned to its receipt by the device, or to the \
      provider’s answer where no receipts are expected. Small figures are 95 % confidence intervals.</p>
      </section>

      """
  }

  private func row(_ index: Int, _ target: ReportTarget) -> Markup {
    let counts = target.total.counts
    let name: Markup =
      index < HTMLReport.mostSections ? "<a href=\"#t\(index + 1)\">\(target.name)</a>" : "\(target.name)"
    let figures = [Quantile.p50, .p95, .p99].map { quantile in
      FigureCell.markup(target.latencies?.figures.first { $0.quantile == quantile })
    }
    return """
      <tr><th scope="row">\(name) <small>\(target.provider)\(target.metric == .delivery ? "" : ", acceptance")</small></th>\
      <td>\(FigureText.grouped(counts.due))</td>\
      \(ShareCell.markup(target.total.shares.first { $0.share == .inTime }?.interval))\(figures)</tr>

      """
  }
}

/// Cells with a share and its interval.
enum ShareCell {
  /// - Parameter base: what it is a share of, where the counts are to stand there, too.
  static func markup(_ interval: ShareInterval?, base: String? = nil) -> Markup {
    guard let interval, let share = interval.share else { return "<td>–</td>" }
    let counted = "\(FigureText.grouped(interval.events)) of \(FigureText.grouped(interval.count))"
    let counts = base.map { "<small>\(FigureText.unbroken(counted)) \($0)</small>" as Markup } ?? ""
    let span = FigureText.span(interval) + " %"
    return """
      <td>\(FigureText.unbroken(PercentText.fine(share)))<small>\(FigureText.unbroken(span))</small>\(counts)</td>
      """
  }
}

/// Cells with a figure and its interval.
enum FigureCell {
  static func markup(_ figure: ValueSummary.Figure?) -> Markup {
    guard let figure else { return "<td>–</td>" }
    switch figure.estimate {
    case .known(let value, let low, let high):
      return markup(value, low, high, mark: figure.restsOnLimits ? "\u{202F}†" : "")
    case .tooFew(let needs):
      if figure.known != nil {
        // One end is open: the values determine the other only.
        let (text, weight) = (FigureText.figure(figure), FigureText.effective(figure))
        return "<td>\(FigureText.unbroken(text))<small>\(FigureText.unbroken(weight))</small></td>"
      }
      return "<td class=\"soft\">n too small<small>needs \(FigureText.grouped(needs))</small></td>"
    }
  }

  /// A latency with both ends of its interval, µs.
  static func markup(_ value: Int64, _ low: Int64, _ high: Int64, mark: String = "") -> Markup {
    let span = FigureText.span(from: low, to: high)
    return
      "<td>\(FigureText.unbroken(LatencyText.text(value)))\(mark)<small>\(FigureText.unbroken(span))</small></td>"
  }
}
