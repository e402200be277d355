import Analysis
import ArgumentParser
import Configuration
import Findings
import Formats
import Measurement
import Report
import Store

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare two runs, targets, variants or stretches of time.",
    discussion: """
      A and B are runs (a UUID, a prefix of it, a name, or latest), targets of them (run/target) or variants \
      (run/target/variant). Series of the same target and variant are compared with each other, two single ones whatever \
      they are called, and targets without a variant in common as wholes. What was sent side by side in one run is compared in pairs, which is sharper.

      With --by and a key, each value of it is compared with itself: was it worse on cellular, or everywhere? With --fleet and \
      --by a label, --before and --after compare each value of the label with itself, and A and B may be values, like \
      region=eu-west.

      With --fail-if it ends with 99 where a figure is worse, and with 98 where a metric cannot tell in any of its quantiles \
      (with --by a key: where none can tell for any value).

      Example: pushscope compare before after --fail-if slower
      Example: pushscope compare latest/ios/priority=10 latest/ios/priority=5
      Example: pushscope compare --before -2h..-1h --after -1h..now --target ios
      Example: pushscope compare --before -2d..-1d --after -1d..now --by network
      Example: pushscope compare --fleet --by region --before -2d..-1d --after -1d..now
      Example: pushscope compare --fleet --by region region=eu-west region=eu-east
      """)

  @Argument(help: ArgumentHelp("The first: run, run/target or run/target/variant.", valueName: "A"))
  var first: String?

  @Argument(help: ArgumentHelp("The second, which is compared with the first.", valueName: "B"))
  var second: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Instead of A: what was planned from one time to another, -2h..-1h.", valueName: "from..to"),
    transform: TimeRangeArgument.parse)
  var before: TimeRangeArgument?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Instead of B: -1h..now.", valueName: "from..to"),
    transform: TimeRangeArgument.parse)
  var after: TimeRangeArgument?

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("With --before and --after: only this run.", valueName: "run"))
  var wantedRun: String?

  @Option(
    name: .customLong("target"),
    help: ArgumentHelp("With --before and --after: only this target (repeatable).", valueName: "name"))
  var targets: [String] = []

  @Option(
    name: .customLong("metric"),
    help: ArgumentHelp(
      "service, accept, delivery, shown, path, lost, unseen, failed, refused (repeatable; default: accept, delivery and the shares).",
      valueName: "metric"))
  var metrics: [String] = []

  @Option(
    name: .customLong("quantile"),
    help: ArgumentHelp("A quantile (repeatable; default: p50, p95 and p99).", valueName: "quantile"),
    transform: QuantileArgument.parse)
  var quantiles: [Quantile] = []

  @Option(
    help: ArgumentHelp(
      "Latencies that differ by less are the same (default: 10%).", valueName: "percent"),
    transform: ToleranceArgument.parse)
  var tolerance: Double?

  @Option(help: ArgumentHelp("slower or lossier: end with 99 where B is (repeatable).", valueName: "verdict"))
  var failIf: [ComparisonReport.Failure] = []

  @Flag(help: "Print one JSON object instead of tables.")
  var json = false

  @OptionGroup var zone: ZoneOption

  @OptionGroup var intervals: IntervalOptions

  @OptionGroup var source: SourceOptions

  func validate() throws {
    let words = Metric.allCases.map(\.rawValue) + Self.shares.map(\.rawValue)
    if let unknown = metrics.first(where: { !words.contains($0) }) {
      throw ValidationError(
        "there is no metric \"\(unknown)\"; name one of " + words.joined(separator: ", "))
    }
    if !metrics.isEmpty {
      let latencies = metrics.filter { Metric(rawValue: $0) != nil }
      if failIf.contains(.slower), latencies.isEmpty {
        throw ValidationError(
          "--fail-if slower judges latencies, and --metric names none; add one, like delivery")
      }
      if failIf.contains(.lossier), latencies.count == metrics.count {
        throw ValidationError("--fail-if lossier judges shares, and --metric names none; add one, like lost")
      }
    }
    switch (before, after) {
    case (let before?, let after?):
      guard first == nil else {
        throw ValidationError("--before and --after stand for A and B; give one or the other")
      }
      guard !before.range.overlaps(after.range) else {
        throw ValidationError(
          "--before \(before.text) and --after \(after.text) overlap; a notification can be on one side only")
      }
    case (nil, nil):
      guard second != nil else {
        throw ValidationError("give two runs or targets to compare, or --before and --after")
      }
      if wantedRun != nil || !targets.isEmpty {
        throw ValidationError(
          "--run and --target go with --before and --after; name a target of a run like latest/ios")
      }
    default: throw ValidationError("--before and --after go together; give both")
    }
  }

  private static let shares: [SeriesMetric] = [.lost, .unseen, .failed, .refused]

  private var plan: ComparisonPlan {
    var plan = ComparisonPlan(tolerance: tolerance ?? 0.1, isIndependent: intervals.independent)
    if !metrics.isEmpty {
      plan.metrics = Set(metrics.compactMap(Metric.init(rawValue:)))
      plan.shares = Set(Self.shares.filter { metrics.contains($0.rawValue) })
    }
    if !quantiles.isEmpty { plan.quantiles = Set(quantiles).sorted() }
    return plan
  }

  func run() throws {
    var plan = plan
    if let (reader, keys) = try source.breakdown(since: since, until: until) {
      if plan.metrics?.contains(.path) == true {
        throw ValidationError(
          "PINGs belong to no notification and have no value of a key; leave out --metric path")
      }
      plan.by = try zone.keys(keys)
      let isWatched = metrics.contains { name in Self.shares.contains { $0.rawValue == name && $0 != .unseen }
      }
      if plan.comparedShares != plan.shares,
        isWatched || failIf.contains(.lossier) && !metrics.contains("unseen")
      {
        throw ValidationError(
          "what got lost, failed or was refused has no receipt that reports its \(ListText.and(keys.filter(\.isReported).map(\.name))); compare lost, failed and refused without --by, or by device or target"
        )
      }
      return try report(plan, in: reader)
    }
    try zone.checkUnused()
    let reader = try source.reader(since: since, until: until)
    if let before, let after, let label = source.by.first {
      let comparisons = try LabelComparisons(before, after, of: reader, wantedRun, targets, plan)
      try ReportRun.write(lines: json ? [comparisons.json(by: label).text] : comparisons.lines)
      return try end(failIf.flatMap(comparisons.decisions))
    }
    try report(plan, in: reader)
  }

  private func report(_ plan: ComparisonPlan, in reader: any SampleSource) throws {
    let report = try ComparisonReport(
      side(first, before, reader), side(second, after, reader), plan, in: reader)
    try ReportRun.write(lines: json ? [report.json.text] : report.lines)
    try end(failIf.map(report.decision))
  }

  private func end(_ decisions: [GateDecision]) throws {
    if decisions.contains(.breached) { throw ExitCode(ExitStatus.threshold.rawValue) }
    if decisions.contains(.undecided) { throw ExitCode(ExitStatus.undecided.rawValue) }
  }

  // Runs of the time that is compared; named ones may be of any.
  private var since: WallTime? {
    guard let before, let after else { return WallTime(microseconds: 0) }
    return min(before.range.lowerBound, after.range.lowerBound)
  }

  private var until: WallTime? {
    guard let before, let after else { return nil }
    return max(before.range.upperBound, after.range.upperBound)
  }

  private func side(
    _ address: String?, _ time: TimeRangeArgument?, _ reader: any SampleSource
  ) throws -> ComparisonSide {
    guard let time else { return try ComparisonSide(address ?? "", in: reader) }
    let run = try wantedRun.map { try RunFinder.find($0, in: reader).id }
    if !targets.isEmpty { try RunFinder.check(targets: Set(targets), of: run, in: reader) }
    return try ComparisonSide(time.range, run: run, targets: targets.isEmpty ? nil : Set(targets), in: reader)
  }
}

/// Two stretches of time, compared for each value of a label that the runs of a fleet are grouped by.
private struct LabelComparisons {
  private struct Part {
    /// `region=eu-west`.
    var label: String
    /// Some values may have nothing on a side.
    var report: Result<ComparisonReport, ReportError>
  }

  private var parts: [Part] = []

  /// - Parameters:
  ///   - wanted: only this value of the label; `nil` for all.
  ///   - targets: by name; empty for all.
  /// - Throws: `ReportError` where no value of the label can be compared, `FleetError`.
  init(
    _ before: TimeRangeArgument, _ after: TimeRangeArgument, of reader: any SampleSource, _ wanted: String?,
    _ targets: [String], _ plan: ComparisonPlan
  ) throws {
    let only = try wanted.map { try RunFinder.find($0, in: reader).id }
    let names = targets.isEmpty ? nil : Set(targets)
    if let names { try RunFinder.check(targets: names, of: only, in: reader) }
    for group in try reader.runs() where only ?? group.id == group.id {
      let label = group.name ?? group.id.description
      do {
        let report = try ComparisonReport(
          ComparisonSide(before.range, run: group.id, targets: names, in: reader),
          ComparisonSide(after.range, run: group.id, targets: names, in: reader), plan, in: reader)
        parts.append(Part(label: label, report: .success(report)))
      } catch let error as ReportError {
        parts.append(Part(label: label, report: .failure(error)))
      }
    }
    guard let first = parts.first else {
      throw CommandFailure(
        "the fleet has no runs of \(before.text) and \(after.text); name other times, or see pushscope runs list --fleet "
          + "--since -30d", exitStatus: .noInput)
    }
    if parts.allSatisfy({ (try? $0.report.get()) == nil }) { _ = try first.report.get() }
  }

  var lines: [String] {
    var lines: [String] = []
    for part in parts {
      if !lines.isEmpty { lines.append("") }
      lines.append(EscapedText.make(part.label))
      switch part.report {
      case .success(let report): lines += report.lines
      case .failure(let error): lines.append("not compared: \(error.message)")
      }
    }
    return lines
  }

  func json(by label: String) -> JSONValue {
    .object([
      .init("by", .string(label)),
      .init(
        "comparisons",
        .array(
          parts.map { part in
            let value = JSONValue.Member("label", .string(part.label))
            switch part.report {
            case .success(let report): return .object([value, .init("comparison", report.json)])
            case .failure(let error): return .object([value, .init("error", .string(error.message))])
            }
          })),
    ])
  }

  /// The decision of each value; one that is not compared cannot tell.
  func decisions(_ failure: ComparisonReport.Failure) -> [GateDecision] {
    parts.map { part in
      switch part.report {
      case .success(let report): report.decision(failure)
      case .failure: .undecided
      }
    }
  }
}

extension ComparisonReport.Failure: ExpressibleByArgument {}
