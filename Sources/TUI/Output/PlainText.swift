import Measurement
import Store
import Terminal

/// The state of a run as one line of text: for pipes, logs and screen readers. Words and their order are fixed, so
/// that scripts can read it too.
struct PlainLine {
  let snapshot: Snapshot
  let zone: LocalTime

  /// Seconds that the quantiles cover.
  static let seconds: Int64 = 60

  var text: String {
    let all = Array(snapshot.targets.indices)
    let counts = snapshot.totals.reduce(StateCounts()) { $0 + $1 }
    var words = [zone.civil(snapshot.now).hoursMinutesSeconds, phase]
    words.append(snapshot.targets.map { EscapedText.make($0.name) }.joined(separator: "+"))
    let asked = snapshot.targets.reduce(0) { $0 + $1.askedRate }
    let rates = RateHistory(snapshot: snapshot, targets: all)
    words.append("sent \(HeaderModel.rate(rates.average(seconds: 10))) asked \(HeaderModel.rate(asked))")
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
    let shown: [NotificationState] = [
      .delivered, .late, .lost, .rejected, .failed, .missed, .interrupted, .inFlight,
    ]
    let reached =
      "due \(counts.due) planned \(counts.planned) sent \(counts.sent) accepted \(counts.acceptedByProvider)"
    return
      ([reached] + shown.map { "\($0.name) \(counts[$0])" } + [
        "\(NotificationState.accepted.title) \(counts[.accepted])"
      ]).joined(separator: " ")
  }

  private func quantiles(_ targets: [Int]) -> String {
    let end = snapshot.edge
    let scale = TimeScale(columnAtLeast: 1_000_000)
    let last = end.microseconds.flooringDivision(by: scale.columnDuration)
    let window = TimeWindow(scale: scale, firstColumn: last - Self.seconds + 1, columns: Int(Self.seconds))
    let metric = ViewState().metric(in: snapshot)
    let facts = WindowStatistics(
      snapshot: snapshot, window: window, targets: targets, metric: metric, includesPending: false)
    let summary = WindowSummary(facts, snapshot, window: window, targets: targets)
    return "last \(Self.seconds) s \(metric.rawValue) n \(summary.count) "
      + WindowSummary.quantiles.map { "\($0.label) \(PlainLine.figure(summary[$0]))" }.joined(separator: " ")
  }

  /// `812 ms [780, 840] ms`, or `n too small (needs 368)`.
  static func figure(_ estimate: QuantileEstimate) -> String {
    guard let interval = estimate.interval else { return estimate.text }
    return "\(estimate.text) \(interval)"
  }
}

/// Summary of a whole run as lines of text, over all its notifications in the store.
struct PlainSummary {

  let lines: [String]

  /// Reads the run once.
  /// - Parameter target: by name; `nil` for all.
  init(_ reader: StoreReader, run: RunID, target: String?, snapshot: Snapshot, zone: LocalTime) throws {
    var histograms: [TargetID: [Metric: RangedLatencies<LatencyHistogram>]] = [:]
    let selection = RowSelection(run: run, targets: target.map { [$0] })
    try reader.forEachSample(selection) { row in
      let target = row.id.target
      if let lag = row.scheduleLag, let accept = row.acceptLatency {
        histograms[target, default: [:]][.accept, default: RangedLatencies()].record(RangedLatencies(accept))
        histograms[target, default: [:]][.service, default: RangedLatencies()].record(
          RangedLatencies(accept - lag))
      }
      if let path = row.path {
        histograms[target, default: [:]][.path, default: RangedLatencies()].record(RangedLatencies(path))
      }
      if let delivery = row.deliveryLatency {
        histograms[target, default: [:]][.delivery, default: RangedLatencies()].record(
          RangedLatencies(delivery, row.deliveryRange))
      }
    }
    var lines = [Self.heading(snapshot, zone)]
    for (index, target) in snapshot.targets.enumerated() {
      let counts = snapshot.totals.indices.contains(index) ? snapshot.totals[index] : StateCounts()
      let name = EscapedText.make(target.name)
      lines.append("\(name) \(PlainLine.states(counts))")
      for metric in [Metric.delivery, .accept, .service, .path] {
        guard let histogram = histograms[target.id]?[metric] else { continue }
        let figures = WindowSummary.quantiles.map {
          "\($0.label) \(PlainLine.figure(histogram.estimate($0)))"
        }
        lines.append("\(name) \(metric.rawValue) n \(histogram.count) \(figures.joined(separator: " "))")
      }
    }
    self.lines = lines
  }

  private static func heading(_ snapshot: Snapshot, _ zone: LocalTime) -> String {
    guard let run = snapshot.run else { return "no run" }
    let name = run.name.map { " \(EscapedText.make($0))" } ?? ""
    let begun = zone.civil(run.startedAt).dateTime
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
