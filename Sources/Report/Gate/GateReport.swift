import Analysis
import Findings
import Measurement
import Store

/// What gates say about the targets of a recording. Each target is judged by itself, over all of its variants.
public struct GateReport: Sendable {
  /// One gate at one target.
  public struct Result: Sendable {
    public let gate: Gate
    public let target: String
    let subject: Gate.Subject
    public let decision: GateDecision
    public let figure: Figure
    /// How many notifications of the target are settled.
    public let settled: Int

    /// The metric that was judged; `nil` of a share that is watched.
    public var metric: Metric? { subject.metric }
  }

  /// The figure that the decision was made by.
  public enum Figure: Sendable {
    case share(ShareInterval)
    /// Retention has deleted what the share could be told from.
    case deleted
    /// `nil` without any value.
    case quantile(QuantileInterval?)
  }

  /// A gate that is for nothing that a target has.
  public struct Omission: Sendable, Equatable {
    public let gate: Gate
    public let target: String
    public let reason: String
  }

  public let runs: [RunRecord]
  /// The planned time that was judged: from the first to the last notification of any target.
  public let time: Range<WallTime>?
  public let results: [Result]
  public let omissions: [Omission]
  /// Whether probes were taken for independent.
  public let isIndependent: Bool

  /// Breached if any is, else undecided if any is. Without a result undecided.
  public var decision: GateDecision {
    if results.contains(where: { $0.decision == .breached }) { return .breached }
    return results.isEmpty || results.contains { $0.decision == .undecided } ? .undecided : .met
  }

  /// Whether the gates are undecided only because too little was recorded, not because nothing was.
  public var isDecidable: Bool { results.contains { $0.settled > 0 } }

  /// Whether the gates let pass.
  public func outcome(undecided rule: UndecidedRule?) -> GateDecision {
    guard decision == .undecided else { return decision }
    switch rule {
    case .pass?: return isDecidable ? .met : .undecided
    case .fail?: return .breached
    case nil: return .undecided
    }
  }

  /// - Throws: ``ReportError`` where nothing was recorded that could be judged.
  public func requireRows() throws(ReportError) {
    guard !isDecidable else { return }
    if results.isEmpty, let omission = omissions.first {
      throw ReportError(
        .nothingSettled, "\(omission.target) cannot be judged by \(omission.gate.text()): \(omission.reason)",
        remedy: "judge accept, service, failed or refused, or name other targets")
    }
    throw ReportError(
      .nothingSettled, "nothing is settled in what was selected, so there is nothing to judge",
      remedy: "select other times or runs, or wait until timeouts and receipt deadlines have passed")
  }

  /// Judges all rows of a selection that are settled.
  /// - Throws: `StoreError`.
  public init(
    _ gates: [Gate], _ reader: StoreReader, _ selection: RowSelection, isIndependent: Bool = false
  ) throws {
    let entries = try TargetDirectory(reader, selection).entries
    var names: [String] = []
    for entry in entries where !names.contains(entry.target.name) { names.append(entry.target.name) }
    var results: [Result] = []
    var omissions: [Omission] = []
    var time: Range<WallTime>?
    for name in names {
      let targets = entries.map(\.target).filter { $0.name == name }
      let expectsReceipts = targets.contains(where: \.expectsReceipts)
      let judged = gates.compactMap { gate in
        gate.subject(expectsReceipts: expectsReceipts).map { (gate: gate, subject: $0) }
      }
      omissions += gates.filter { $0.subject(expectsReceipts: expectsReceipts) == nil }.map {
        Omission(gate: $0, target: name, reason: "it expects no receipts")
      }
      let series = SeriesReader(reader)
      let window = try series.window(
        of: targets.map(\.id), since: selection.since, until: selection.until)
      let statistics = try window.map { window in
        try series.statistics(
          of: window, metrics: Set(judged.compactMap { $0.subject.metric }),
          shares: Set(judged.compactMap { $0.gate.share(of: $0.subject) }), usesHistory: !isIndependent)
      }
      if let window {
        time =
          time.map {
            min($0.lowerBound, window.time.lowerBound)..<max($0.upperBound, window.time.upperBound)
          } ?? window.time
      }
      results += judged.map { gate, subject in
        let (figure, decision) = gate.judge(subject, statistics, isIndependent: isIndependent)
        return Result(
          gate: gate, target: name, subject: subject, decision: decision, figure: figure,
          settled: statistics?.counts.settled ?? 0)
      }
    }
    runs = try selection.runs(in: reader).filter { run in entries.contains { $0.run.id == run.id } }
    self.time = time
    self.results = results
    self.omissions = omissions
    self.isIndependent = isIndependent
  }
}

extension Gate.Subject {
  fileprivate var metric: Metric? {
    guard case .metric(let metric) = self else { return nil }
    return metric
  }
}

extension Gate {
  /// The share that is counted for the gate; `nil` where a quantile is asked for.
  fileprivate func share(of subject: Subject) -> SeriesShare? {
    switch (subject, requirement) {
    case (.share(let share), _): share.share
    case (.metric(let metric), .share(_, let limit, let base)):
      .within(limit.microseconds, of: metric, base: base)
    case (.metric, _): nil
    }
  }

  /// - Parameter statistics: `nil` where nothing is settled.
  fileprivate func judge(
    _ subject: Subject, _ statistics: SeriesStatistics?, isIndependent: Bool
  ) -> (figure: GateReport.Figure, decision: GateDecision) {
    if case .quantile(let quantile, let limit) = requirement {
      let value = subject.metric.flatMap {
        statistics?.interval(of: quantile, $0, isIndependent: isIndependent)
      }
      return (.quantile(value), GateDecision(quantile: value, below: limit.microseconds))
    }
    var interval = ShareInterval(independent: 0, of: 0)
    if let statistics, let share = share(of: subject) {
      guard let found = statistics.interval(of: share, isIndependent: isIndependent) else {
        return (.deleted, .undecided)
      }
      interval = found
    }
    return switch requirement {
    case .share(let required, _, _): (.share(interval), GateDecision(share: interval, atLeast: required))
    case .watched(_, let limit): (.share(interval), GateDecision(share: interval, below: limit))
    case .quantile: (.quantile(nil), .undecided)
    }
  }
}
