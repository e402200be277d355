import Analysis
import Measurement
import Store
import Terminal

/// The state of a run as one line of text: for pipes, logs and screen readers. Words and their order are fixed, so
/// that scripts can read it too.
struct PlainLine {
  let snapshot: Snapshot
  /// Taken for ``order(of:)``; `nil` while there are none.
  let figures: WindowFigures?
  let zone: LocalTime

  /// Seconds that the quantiles cover.
  static let seconds = 60

  var text: String {
    let all = Array(snapshot.targets.indices)
    let counts = snapshot.totals.reduce(StateCounts()) { $0 + $1 }
    var words = [zone.civil(snapshot.now).hoursMinutesSeconds, phase]
    words.append(snapshot.targets.map { EscapedText.make($0.name) }.joined(separator: "+"))
    let asked = snapshot.targets.reduce(0) { $0 + $1.askedRate }
    let rates = RateHistory(snapshot: snapshot, targets: all)
    words.append("sent \(FrequencyText.text(rates.average(seconds: 10))) asked \(FrequencyText.text(asked))")
    words.append(PlainLine.states(counts))
    words.append(quantiles(all))
    return words.joined(separator: " ")
  }

  private var phase: String {
    switch snapshot.run?.phase {
    case .live: "live"
    case .silent(let since): "collector gone for \(Age(since: since, now: snapshot.now))"
    case .ended(_, let reason): reason.isEmpty ? "ended" : "ended (\(reason))"
    case nil: "no run"
    }
  }

  /// Every count and every state, also those that are 0, in the words of the CSV files. The state `accepted` comes last,
  /// because its title has several words.
  static func states(_ counts: StateCounts) -> String {
    let shown = NotificationState.settledColumns + [.inFlight]
    let reached =
      "due \(counts.due) planned \(counts.planned) sent \(counts.sent) accepted \(counts.acceptedByProvider)"
    return
      ([reached] + shown.map { "\($0.name) \(counts[$0])" } + [
        "\(NotificationState.accepted.title) \(counts[.accepted])"
      ]).joined(separator: " ")
  }

  /// The figures of the last minute that are planned to be in a line.
  static func order(of snapshot: Snapshot) -> FiguresOrder {
    let scale = TimeScale(columnAtLeast: .seconds(1))
    let end = scale.column(of: snapshot.edge) + 1
    let window = TimeWindow(scale: scale, firstColumn: end - Int64(seconds), columns: seconds)
    return FiguresOrder(places: [FiguresOrder.Place(window, targets: Array(snapshot.targets.indices))])
  }

  private func quantiles(_ targets: [Int]) -> String {
    let metric = ViewState().metric(in: snapshot)
    let summary =
      figures?.figures(of: targets)?.summary(of: metric)
      ?? WindowSummary(metric: metric, count: 0, isExact: true) { _ in nil }
    return "last \(Self.seconds) s \(metric.rawValue) n \(summary.count) " + PlainLine.figures(summary)
  }

  /// `p50 812 ms (780 to 840 ms)`, `p99 n too small (needs 368)`, …
  static func figures(_ summary: WindowSummary) -> String {
    WindowSummary.quantiles.map { quantile in
      let figure = summary[quantile]
      return ([quantile.label, figure.text()] + (figure.interval.map { ["(\($0))"] } ?? [])).joined(
        separator: " ")
    }.joined(separator: " ")
  }
}

/// Lines of a report that are not wider than a page.
enum PlainText {
  static let columns = 100

  /// Continued lines begin with two spaces, so that they can be joined again.
  static func wrapped(_ text: String) -> [String] {
    guard text.count > columns else { return [text] }
    let lines = FittedText.wrapped(text, columns: columns - 2)
    return lines.enumerated().map { $0.offset == 0 ? $0.element : "  \($0.element)" }
  }
}

/// Summary of a whole run as lines of text, over all its notifications in the store.
struct PlainSummary {

  let lines: [String]

  /// - Parameter snapshot: with the targets that are wanted.
  init(_ reader: any DashboardSource, snapshot: Snapshot, zone: LocalTime) throws {
    var lines = [Self.heading(snapshot, zone)]
    for (index, target) in snapshot.targets.enumerated() {
      let counts = snapshot.totals.indices.contains(index) ? snapshot.totals[index] : StateCounts()
      let name = EscapedText.make(target.name)
      lines.append("\(name) \(PlainLine.states(counts))")
      guard let window = try SeriesReader(reader).window(of: [target.id]) else { continue }
      let statistics = try SeriesReader(reader).statistics(of: window, shares: [])
      let pings = try reader.pings(of: [target.id], in: window.time)
      for metric in [Metric.delivery, .shown, .accept, .service, .path] {
        let isPath = metric == .path && !pings.isEmpty
        let summary = WindowSummary(
          metric: metric, isPath ? SeriesStatistics(in: window.time, pings: pings) : statistics)
        guard summary.count > 0 else { continue }
        lines.append("\(name) \(metric.rawValue) n \(summary.count) \(PlainLine.figures(summary))")
      }
    }
    self.lines = lines
  }

  private static func heading(_ snapshot: Snapshot, _ zone: LocalTime) -> String {
    guard let run = snapshot.run else { return "no run" }
    let name = run.name.map { " \(EscapedText.make($0))" } ?? ""
    let begun = "\(zone.civil(run.startedAt).dateTime) \(zone.name(at: run.startedAt))"
    switch run.phase {
    case .live: return "run \(run.id)\(name) began \(begun), goes on"
    case .silent(let since):
      return "run \(run.id)\(name) began \(begun), collector last heard of \(zone.civil(since).dateTime)"
    case .ended(let at, let reason):
      let end = "ended \(zone.civil(at).dateTime)"
      return "run \(run.id)\(name) began \(begun), \(end)\(reason.isEmpty ? "" : " (\(reason))")"
    }
  }
}
