import Measurement
import Store
import Terminal

/// What became of a whole run, in lines of text: every notification counts, whatever is kept in memory.
struct PlainSummary {

  let lines: [String]

  /// Reads the run through once.
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
      if let delivery = row.deliveryLatency {
        histograms[target, default: [:]][.delivery, default: RangedLatencies()].record(
          RangedLatencies(delivery, row.deliveryRange))
      }
    }
    var lines = [Self.heading(snapshot, zone)]
    for (index, target) in snapshot.targets.enumerated() {
      let counts = snapshot.totals.indices.contains(index) ? snapshot.totals[index] : Tally()
      let name = VisibleText.visible(target.name)
      lines.append("\(name) \(PlainLine.states(counts))")
      for metric in [Metric.delivery, .accept, .service] {
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
    let name = run.name.map { " \(VisibleText.visible($0))" } ?? ""
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
