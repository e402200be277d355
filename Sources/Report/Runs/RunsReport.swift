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
    var table = TextTable([
      .init("run"), .init("started (UTC)"), .init("length", .right), .init("end"), .init("planned", .right),
      .init("delivered", .right), .init("accepted", .right), .init("lost", .right), .init("rejected", .right),
      .init("failed", .right), .init("missed", .right), .init("targets"), .init("name"),
    ])
    for run in runs {
      let counts = run.counts
      table.append([
        run.id.description, RunText.time(run.startedAt), RunText.length(run), RunText.end(run),
        "\(counts.planned)", "\(counts[.delivered])", "\(counts.acceptedByProvider)", "\(counts[.lost])",
        "\(counts[.rejected])", "\(counts[.failed])", "\(counts[.missed])",
        run.targetNames.joined(separator: " "), run.name ?? "",
      ])
    }
    return table.lines()
  }

  /// All that is known of one run.
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

    var targets = TextTable(
      [
        .init("target"), .init("provider"), .init("variant"), .init("asked", .right),
        .init("deadline", .right),
        .init("planned", .right), .init("sent", .right),
      ] + NotificationState.allCases.filter(\.isSettled).map { .init($0.name, .right) })
    for target in try reader.targets(of: run.id) {
      for variant in target.variants {
        let counts = variant.counts
        targets.append(
          [
            target.name, target.provider, variant.name.isEmpty ? "–" : variant.name,
            FigureText.rate(target.askedRate), target.receiptDeadline.map(FigureText.latency) ?? "–",
            "\(counts.planned)", "\(counts.sent)",
          ] + NotificationState.allCases.filter(\.isSettled).map { "\(counts[$0])" })
      }
    }
    let rates = try RatesReport.lines(of: run.id, in: reader)
    return facts.lines() + [""] + targets.lines() + (rates.isEmpty ? [] : [""] + rates)
      + (instrument.map { [""] + $0.lines } ?? [])
  }
}
