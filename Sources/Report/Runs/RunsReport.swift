import Formats
import FoundationEssentials
import Measurement
import Store

/// The runs of a store, for people.
public enum RunsReport {
  /// A table of all runs, oldest first.
  public static func list(_ reader: StoreReader) throws -> [String] {
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
      var cells = [run.id.description, RunText.time(run.startedAt), RunText.length(run), RunText.end(run)]
      for (_, count) in reached { cells.append("\(count(counts))") }
      for state in RunsTable.states { cells.append("\(counts[state])") }
      table.append(cells + [run.targetNames.joined(separator: " "), run.name ?? ""])
    }
    return table.lines()
  }

  /// How far notifications came, whatever became of them after: the words of the table `runs`.
  private static var reached: [(name: String, count: (StateCounts) -> Int)] {
    [("planned", { $0.planned }), ("sent", { $0.sent }), ("accepted", { $0.acceptedByProvider })]
  }

  /// Those that notifications end in, then those that they are still in.
  private static let states: [NotificationState] =
    NotificationState.allCases.filter(\.isSettled) + [.inFlight, .planned]

  /// All that is known of one run. The states of each line add up to what was planned.
  public static func show(_ run: RunRecord, in reader: StoreReader) throws -> [String] {
    var facts = TextTable([.init("run"), .init(run.id.description)])
    facts.append(["name", run.name ?? "–"])
    facts.append(["collector", run.collectorID.uuidString.lowercased()])
    facts.append(["started", run.startedAt.rfc3339])
    facts.append(["ended", run.endedAt?.rfc3339 ?? "not yet"])
    facts.append(["end", RunText.end(run)])
    facts.append(["length", RunText.length(run)])
    facts.append(["boot", run.bootID])
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
          FigureText.rate(target.askedRate), target.receiptDeadline.map(FigureText.latency) ?? "–",
        ]
        for (_, count) in reached { cells.append("\(count(counts))") }
        for state in states { cells.append("\(counts[state])") }
        targets.append(cells)
      }
    }
    let rates = try RatesReport.lines(of: run.id, in: reader)
    return facts.lines() + [""] + targets.lines() + (rates.isEmpty ? [] : [""] + rates)
      + (instrument.map { [""] + $0.lines } ?? [])
  }
}
