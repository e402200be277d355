import Formats
import Measurement
import Store

/// The appendix: how each number was made, and how exact the instrument was.
struct MethodSection {
  private let content: ReportContent
  private let time: ReportTime

  /// Runs in the table.
  private static let mostRuns = 40

  init(_ content: ReportContent, _ time: ReportTime) {
    self.content = content
    self.time = time
  }

  var markup: Markup {
    """
    <section id="method">
    <h2>Appendix: how these numbers were made</h2>
    \(words)\(budget)\(runs)<p class="soft">Made by pushscope on \
    <time datetime="\(content.readAt.rfc3339)">\(time.day(content.readAt)), \(time.clockWithZone(content.readAt))</time>. \
    Times are \(time.zoneWords); each carries its UTC time in the file.</p>
    </section>

    """
  }

  private var words: Markup {
    """
    <dl>
    <dt>Open loop</dt><dd>Test notifications are planned by the clock and never wait for answers. Latency counts from the \
    planned moment, so time spent waiting in the sender’s own queue is part of it.</dd>
    <dt>lag, service, accept, delivery</dt><dd>Planned to sent; sent to the provider’s answer; planned to the provider’s answer; \
    planned to received by the device.</dd>
    <dt>What became of them</dt><dd>Every planned notification ends in one state and stays in the denominator: shares are of all \
    that were due. Lost: accepted, but no receipt before the deadline. Late: a receipt after it. Rejected: the provider \
    answered with an error. Failed: no answer, or no connection. Missed: not sent, because the provider had refused or asked \
    for a pause, too many were unanswered, or this host was late or stopping.</dd>
    <dt>Quantiles and intervals</dt><dd>p99 is the latency that 99 % of those with one did not exceed. The small figures are its \
    95 % confidence interval, which allows for notifications that depend on each other; “n 38 of 3600” says how many independent \
    ones they are worth. An end that the values do not determine is open (≥). Where there are too few values for any, the number \
    that it takes is shown instead of a figure.</dd>
    <dt>Charts</dt><dd>Latencies in charts are exact to 1 %. \(Self.sources(content))</dd>
    </dl>

    """
  }

  private static func sources(_ content: ReportContent) -> String {
    let rolled = content.targets.filter { $0.rolledUpTo != nil }
    if rolled.isEmpty { return "All figures come from single notifications." }
    let names =
      rolled.count == content.targets.count ? "all targets" : ListText.and(rolled.map(\.name))
    return "Of \(names), figures come from the store’s rollups: counts are exact, quantiles to three digits."
  }

  private var budget: Markup {
    let known = content.runs.filter { $0.instrument != nil }.prefix(Self.mostRuns)
    guard !known.isEmpty else { return "" }
    return """
      <h3>The instrument’s own error</h3>
      <table class="overview budget">
      <thead><tr><th scope="col">run</th><th scope="col">sent late p50</th><th scope="col">late p99</th><th scope="col">late max</th>\
      <th scope="col">event loop p99</th><th scope="col">longest commit</th><th scope="col">over 100 ms</th></tr></thead>
      <tbody>
      \(known.map(budgetRow))</tbody>
      </table>
      <p class="soft">Sent late: planned to sent, over all sends of the run. Event loop: how late the timing thread woke. Commits \
      run on another thread; those over 100 ms delay what is stored, not what is sent.</p>
      \(floors)
      """
  }

  private func budgetRow(_ run: ReportContent.Run) -> Markup {
    guard let figures = run.instrument?.figures else { return "" }
    func text(_ lag: InstrumentFigures.Lag, _ quantile: Quantile, _ value: Int64) -> String {
      lag.count < Int64(quantile.smallestCount) ? "n too small" : latency(value)
    }
    return """
      <tr><th scope="row">\(name(of: run.record))<small>\(figures.host)</small></th>\
      <td>\(text(figures.scheduleLag, .p50, figures.scheduleLag.median))</td>\
      <td>\(text(figures.scheduleLag, .p99, figures.scheduleLag.p99))</td>\
      <td>\(latency(figures.scheduleLag.maximum))</td><td>\(text(figures.loopLag, .p99, figures.loopLag.p99))</td>\
      <td>\(latency(figures.longestCommit))</td><td>\(FigureText.grouped(Int(clamping: figures.commitStalls)))</td></tr>

      """
  }

  private func latency(_ value: Int64) -> String { FigureText.unbroken(LatencyText.text(value)) }

  private func name(of run: RunRecord) -> String { run.name ?? String(run.id.description.prefix(8)) }

  /// What a service that answers at once is measured as, on the host of the last run.
  private var floors: Markup {
    guard let calibration = content.runs.last?.instrument?.calibration else {
      return "<p class=\"soft\">The floor of this host was not measured: pushscope calibrate does.</p>\n"
    }
    let rows = calibration.floors.map { floor -> Markup in
      let cells = [Quantile.p50, .p99].map { quantile -> Markup in
        let figure = floor.figures.first { $0.quantile == quantile }?.estimate.known
        return figure.map { FigureCell.markup($0.value, $0.low, $0.high) } ?? "<td>n too small</td>"
      }
      let name = floor.interval == .scheduleLag ? "lag" : floor.interval.rawValue
      return "<tr><th scope=\"row\">\(name)</th>\(cells)<td>\(FigureText.grouped(floor.counted))</td></tr>\n"
    }
    return """
      <h3>The floor of \(calibration.host)</h3>
      <p>A service that answers at once is measured like this there (\(RunText.time(calibration.at)) UTC, at \
      \(FrequencyText.text(calibration.rate))). Latencies near these say nothing of a provider.</p>
      <table class="figures">
      <thead><tr><th scope="col">interval</th><th scope="col">p50</th><th scope="col">p99</th><th scope="col">values</th></tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>

      """
  }

  private var runs: Markup {
    let rest = content.runs.count - Self.mostRuns
    let more: Markup =
      rest > 0 ? "<p class=\"soft\">\(CountText.text(rest, "more run")): pushscope runs list.</p>\n" : ""
    return """
      <h3>Runs</h3>
      <table class="events">
      <thead><tr><th scope="col">run</th><th scope="col">began (\(time.zoneWords))</th><th scope="col">length</th><th scope="col">end</th></tr></thead>
      <tbody>
      \(content.runs.prefix(Self.mostRuns).map(runRow))</tbody>
      </table>
      \(more)
      """
  }

  private func runRow(_ run: ReportContent.Run) -> Markup {
    let record = run.record
    return """
      <tr><th scope="row">\(record.name ?? "")<small>\(record.id.description)</small></th>\
      <td data-name="began"><time datetime="\(record.startedAt.rfc3339)">\(time.day(record.startedAt)), \(time.clock(record.startedAt))</time></td>\
      <td data-name="length">\(RunText.length(record))</td><td data-name="end">\(RunText.end(record, at: content.readAt))</td></tr>

      """
  }
}
