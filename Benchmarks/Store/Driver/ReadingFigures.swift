import Foundation
import Measurement
import Store

/// What screens and exports wait for on a store of a million rows.
enum ReadingFigures {
  static func run() throws {
    let bench = try BenchmarkStore(durability: .normal, targets: ["one", "two"])
    let filling = try Span.measure { try bench.fill(500_000, batch: 1_000) }
    print("  filled in \(String(format: "%.1f", filling.wall)) s")
    try show("open and read the last 10 000 points (cold connection)") {
      let reader = try StoreReader.open(at: bench.path)
      return try reader.lastPoints(of: [bench.targets[0]], limit: 10_000).points.count
    }
    let reader = try StoreReader.open(at: bench.path)
    try show("last 10 000 points of one target") {
      try reader.lastPoints(of: [bench.targets[0]], limit: 10_000).points.count
    }
    let middle = WallTime(microseconds: 1_772_366_400_000_000 + 250_000_000)
    try show("10 000 points of both by time") {
      try reader.points(
        of: bench.targets, plannedFrom: middle, to: middle.advanced(byMicroseconds: 5_000_000), limit: 20_000
      ).points.count
    }
    let revision = try reader.revision()
    try show("the last 10 000 changes") {
      try reader.changedPoints(after: revision - 10_000, limit: 10_000).rows.count
    }
    try show("runs with counts") { try reader.runs().count }
    try show("whether anything changed") { try reader.hasChanged() ? 1 : 0 }
    try show("every row streamed, one column looked at") {
      var count = 0
      var sum: Int64 = 0
      try reader.forEachSample(RowSelection()) { row in
        count += 1
        sum &+= row.acceptLatency ?? 0
      }
      return sum == 0 ? 0 : count
    }
    print("  peak memory \(peakMebibytes()) MiB")
  }

  private static func show(_ what: String, _ body: () throws -> Int) throws {
    var rows = 0
    var spans: [Span] = []
    for _ in 0..<5 { spans.append(try Span.measure { rows = try body() }) }
    func text(_ seconds: Double) -> String { padded(String(format: "%.3f", seconds * 1e3), 9) }
    print(
      "  \(text(spans[0].wall)) ms first, \(text(median(spans.map(\.wall)))) ms median,"
        + " \(text(median(spans.map(\.cpu)))) ms CPU: \(what) (\(rows))")
  }

  private static func peakMebibytes() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
  }
}
