import Analysis
import Findings
import Formats
import FoundationEssentials
import Measurement
import Store

/// The runs of a store as text.
public enum RunsReport {
  /// A table of all runs, oldest first.
  public static func list(_ reader: any SampleSource, at now: WallTime) throws -> [String] {
    let runs = try reader.runs()
    guard !runs.isEmpty else { return ["no runs yet: pushscope collect starts one"] }
    var columns: [TextTable.Column] = [
      .init("run"), .init("started (UTC)"), .init("length", .right), .init("end"),
    ]
    for (name, _) in reached { columns.append(.init(name, .right)) }
    for state in RunsTable.states { columns.append(.init(state.name, .right)) }
    columns += [.init("targets"), .init("name")]
    var table = TextTable(columns)
    for run in runs {
      let counts = run.counts
      var cells = [run.id.description, RunText.time(run.startedAt), RunText.length(run)]
      cells.append(RunText.end(run, at: now))
      for (_, count) in reached { cells.append(CountText.grouped(count(counts))) }
      for state in RunsTable.states { cells.append(CountText.grouped(counts[state])) }
      table.append(cells + [run.targetNames.joined(separator: " "), run.name ?? ""])
    }
    return table.lines()
  }

  /// How far notifications came, in whatever state they ended. The words are those of the table `runs`.
  private static var reached: [(name: String, count: (StateCounts) -> Int)] {
    [("planned", { $0.planned }), ("sent", { $0.sent }), ("accepted", { $0.acceptedByProvider })]
  }

  /// Final states, then the others.
  private static let states: [NotificationState] = NotificationState.settled + [.inFlight, .planned]

  /// Details of one run. The states of each line add up to `planned`; quantiles and shares have intervals.
  ///
  /// - Parameters:
  ///   - method: how intervals are computed.
  ///   - now: tells whether the collector still writes.
  /// - Throws: the error of the source, ``ReportError`` when the run is deleted meanwhile.
  public static func show(
    _ run: RunRecord, in reader: any SampleSource, method: IntervalMethod = .dependent, at now: WallTime
  ) throws -> [String] {
    var facts = TextTable([.init("run"), .init(run.id.description)])
    facts.append(["name", run.name ?? "–"])
    facts.append(["collector", run.collectorID.uuidString.lowercased()])
    facts.append(["started", run.startedAt.rfc3339])
    facts.append(["ended", RunText.ended(run, at: now)])
    facts.append(["end", RunText.end(run, at: now)])
    facts.append(["length", RunText.length(run)])
    if !run.bootID.isEmpty { facts.append(["boot", run.bootID]) }
    let instrument = try reader.instrument(of: run.id)
    if let instrument { facts.append(["host", instrument.figures.host]) }

    var columns: [TextTable.Column] = [
      .init("target"), .init("provider"), .init("variant"), .init("asked", .right),
      .init("deadline", .right),
    ]
    for (name, _) in reached { columns.append(.init(name, .right)) }
    for state in states { columns.append(.init(state.title, .right)) }
    var targets = TextTable(columns)
    for target in try reader.targets(of: run.id) {
      for variant in target.variants {
        let counts = variant.counts
        var cells = [
          target.name, target.provider, variant.name.isEmpty ? "–" : variant.name,
          FrequencyText.text(target.askedRate), target.receiptDeadline.map(LatencyText.text) ?? "–",
        ]
        for (_, count) in reached { cells.append(CountText.grouped(count(counts))) }
        for state in states { cells.append(CountText.grouped(counts[state])) }
        targets.append(cells)
      }
    }
    let rates = try RatesReport.lines(of: run.id, in: reader)
    return facts.lines() + [""] + targets.lines() + (rates.isEmpty ? [] : [""] + rates)
      + (try figures(of: run, in: reader, method, at: now)) + (instrument.map { [""] + $0.lines } ?? [])
  }

  private static let quantiles: [Quantile] = [.p50, .p95, .p99]

  /// The latency that each target is judged by, of each of its variants, and how many had one in time.
  private static func figures(
    of run: RunRecord, in reader: any SampleSource, _ method: IntervalMethod, at now: WallTime
  ) throws -> [String] {
    let summary = try SummaryReport(reader, RowSelection(run: run.id), method: method, at: now)
    var table = TextTable(
      [.init("target"), .init("variant"), .init("metric")] + quantiles.map { .init($0.label, .right) }
        + [.init("in time", .right)])
    var isAlone = false
    for target in summary.runs.flatMap(\.targets) {
      for group in target.groups {
        // The share in time is of this metric, and so are the latencies beside it.
        let judged = target.record.judgedMetric
        guard let metric = group.metrics.first(where: { $0.metric == judged }), metric.share.counted > 0
        else { continue }
        let figures = metric.figures.filter { quantiles.contains($0.quantile) }
        if figures.contains(where: { $0.known != nil && $0.usesHistory == false }) { isAlone = true }
        let arrived = group.shares.first { $0.share == .inTime }?.interval
        table.append(
          [target.record.name, group.variant.isEmpty ? "–" : group.variant, metric.metric.rawValue]
            + figures.map { FigureText.figure($0) } + [arrived.map { FigureText.share($0) } ?? "–"])
        guard method == .dependent else { continue }
        let effective = figures.map(FigureText.effective)
        if effective.contains(where: { !$0.isEmpty }) {
          let weight = arrived.map {
            "n \(CountText.effective($0.effectiveCount)) of \(CountText.grouped($0.count))"
          }
          table.append(["", "", ""] + effective + [weight ?? ""])
        }
      }
    }
    guard !table.rows.isEmpty else { return [] }
    let explanation =
      method == .dependent
      ? "In brackets: 95 % confidence interval; below it n, how many independent probes would say as much"
        + (isAlone ? ", from this run alone." : ".")
      : "In brackets: 95 % confidence interval, as if probes were independent."
    return [""] + table.lines() + [explanation]
  }
}

/// Planned and achieved rates of a run.
public enum RatesReport {
  /// One line per target: `ios: asked 4/s, achieved 3.98/s, missed 1.2/min (240 due, 239 sent, 237 accepted, 233 received:
  /// 231 delivered, 2 late, 2 lost, 1 rejected, 1 failed, 1 missed, 2 in flight)`. The words are
  /// those of the CSV files. The states after the colon add up to the due notifications.
  ///
  /// - Parameter unrecorded: how long nothing has been recorded, though the run goes on. The rates are over that time too, in
  ///   which nothing is known to have been sent or missed.
  public static func lines(
    of run: RunID, in reader: any SampleSource, unrecorded: Duration? = nil
  ) throws -> [String] {
    let targets = Dictionary(
      try reader.targets(of: run).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let silence = unrecorded.map { ", nothing recorded for \(LengthText.text($0))" } ?? ""
    return try reader.rates(of: run).map { rates in
      var rates = rates
      if let unrecorded, let span = rates.span { rates.span = span + unrecorded }
      let name = EscapedText.make(targets[rates.target]?.name ?? "?")
      guard let achieved = rates.achieved, let missed = rates.missedRate else {
        return "\(name): asked \(FrequencyText.text(rates.asked)), nothing due yet" + silence
      }
      return "\(name): asked \(FrequencyText.text(rates.asked)), achieved \(FrequencyText.text(achieved)), "
        + "missed \(FrequencyText.text(missed))" + silence
        + (targets[rates.target].map { " (\(ends(of: $0)))" } ?? "")
    }
  }

  /// How far the due notifications came, then their states.
  private static func ends(of target: TargetRecord) -> String {
    let counts = target.counts
    let received = counts.received
    let expectsReceipts = target.expectsReceipts
    var reached = [
      "\(CountText.grouped(counts.planned - counts[.planned])) due", "\(CountText.grouped(counts.sent)) sent",
      "\(CountText.grouped(counts.acceptedByProvider)) accepted",
    ]
    if expectsReceipts || received > 0 { reached.append("\(CountText.grouped(received)) received") }
    if let unsent = counts.failedBeforeSending, unsent > 0 {
      reached.append("\(CountText.grouped(unsent)) failed before sending")
    }
    // States that tell whether all is well are listed even when 0.
    var always: Set<NotificationState> = [.rejected, .failed, .missed]
    if expectsReceipts { always.formUnion([.delivered, .lost]) } else { always.insert(.accepted) }
    let ends = (NotificationState.settled + [.inFlight])
      .filter { counts[$0] > 0 || always.contains($0) }.map { "\(counts[$0]) \($0.title)" }
    return "\(reached.joined(separator: ", ")): \(ends.joined(separator: ", "))"
  }
}

/// Finds a run by id, name or `latest`.
public enum RunFinder {
  /// - Parameter text: a run's UUID or the beginning of one (at least four characters), its name, or `latest`.
  public static func find(_ text: String, in reader: any SampleSource) throws -> RunRecord {
    let runs = try reader.runs()
    if text == "latest" {
      guard let latest = runs.last else {
        throw ReportError(.noSuchRun, "the store holds no runs yet", remedy: "start one: pushscope collect")
      }
      return latest
    }
    do throws(RunLookup.Failure) {
      return runs[try RunLookup.find(text, in: runs)]
    } catch  where error.candidates.isEmpty {
      throw ReportError(.noSuchRun, error.text, remedy: "see pushscope runs list")
    } catch {
      throw ReportError(
        .ambiguousRun, error.text,
        remedy: "name one of: " + error.candidates.map(\.description).joined(separator: ", "))
    }
  }

  /// The run that was recorded at an instant, the newest if there are several; `nil` if there was none.
  public static func recorded(
    at time: WallTime, now: WallTime, in reader: any SampleSource
  ) throws -> RunRecord? {
    try reader.runs().last { run in
      guard run.startedAt <= time else { return false }
      return run.phase(at: now).stoppedAt.map { time <= $0 } ?? true
    }
  }

  /// Checks that each name is a target of a selected run, so that a typing mistake is an error and not an empty report.
  public static func check(targets: Set<String>, of run: RunID?, in reader: any SampleSource) throws {
    let runs = try RowSelection(run: run).runs(in: reader)
    let known = Set(runs.flatMap(\.targetNames))
    guard let missing = targets.subtracting(known).min() else { return }
    throw ReportError(
      .noSuchTarget, "there is no target \"\(missing)\" here",
      remedy: known.isEmpty
        ? "no run has targets yet" : "name one of: " + known.sorted().joined(separator: ", "))
  }
}
