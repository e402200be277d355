import Foundation
import Measurement
import Store

/// What a screen waits for on a store of ten million rows: two targets at fifty a second for more than a day.
struct LargeStoreFigures {
  let rows: Int
  /// Where to keep the store; `nil` for one that goes.
  let file: String?

  private static let perSecond = 50
  private static let targets = ["one", "two"]
  /// What a screen of some 200 columns can show, and a little more.
  private static let points = 10_000
  private static let rollups = 4_000

  func run() throws {
    let interval = Int64(1_000_000 / Self.perSecond)
    let bench = try BenchmarkStore(
      durability: .normal, targets: Self.targets, interval: interval, file: file)
    let each = rows / Self.targets.count
    let filling = try Span.measure { try bench.fill(each, batch: 500, rollsUp: true) }
    let size = (try? FileManager.default.attributesOfItem(atPath: bench.path)[.size] as? Int) ?? 0
    print(
      "\(each * Self.targets.count) rows with rollups, written in \(String(format: "%.0f", filling.wall)) s"
        + " (\(String(format: "%.0f", filling.cpu)) s CPU), \(size >> 20) MiB: \(bench.path)\n")
    try firstLook(bench)
    let reader = try StoreReader.open(at: bench.path)
    try pan(bench, reader, each: each)
    try beside(bench, each: each)
    // A run that is closed, for whoever opens the kept store.
    if file != nil {
      try bench.store.endRun(bench.run, at: bench.plannedAt(Int64(each)), reason: .completed)
    }
  }

  /// All that the dashboard asks for before its first frame.
  private func firstLook(_ bench: BenchmarkStore) throws {
    var spans: [Span] = []
    var count = 0
    for _ in 0..<20 {
      spans.append(
        try Span.measure {
          let reader = try StoreReader.open(at: bench.path)
          let run = try reader.latestRun()
          let targets = try run.map { try reader.targets(of: $0.id) } ?? []
          let page = try reader.lastPoints(of: targets.map(\.id), limit: Self.points / max(1, targets.count))
          _ = try reader.last(Event.self, of: bench.run, limit: 1_000)
          _ = try reader.last(LogLine.self, of: bench.run, limit: 1_000)
          _ = try reader.collector()
          count = page.points.count
        })
    }
    show("first look: open, run, targets, the last \(count) points, events, log", spans)
  }

  /// Windows of every length at places all over the run, each read as a screen would.
  private func pan(_ bench: BenchmarkStore, _ reader: StoreReader, each: Int) throws {
    let end = bench.plannedAt(Int64(each))
    let whole = end.microseconds - BenchmarkStore.start.microseconds
    var generator = SystemRandomNumberGenerator()
    for (name, length) in [
      ("1 minute", Int64(60)), ("5 minutes", 300), ("1 hour", 3_600), ("6 hours", 21_600), ("1 day", 86_400),
    ] where length * 1_000_000 < whole {
      var spans: [Span] = []
      var (points, rollups) = (0, 0)
      for _ in 0..<60 {
        let offset = Int64.random(in: 0...(whole - length * 1_000_000), using: &generator)
        let from = BenchmarkStore.start.advanced(byMicroseconds: offset)
        spans.append(
          try Span.measure {
            (points, rollups) = try Self.window(
              reader, bench.targets, from: from, to: from.advanced(byMicroseconds: length * 1_000_000))
          })
      }
      show("pan, \(name): \(points) points, \(rollups) rollups", spans)
    }
    var spans: [Span] = []
    var seen = (points: 0, rollups: 0)
    for _ in 0..<20 {
      spans.append(
        try Span.measure {
          seen = try Self.window(
            reader, bench.targets, from: BenchmarkStore.start, to: end.advanced(byMicroseconds: 1))
        })
    }
    show("the whole run: \(seen.points) points, \(seen.rollups) rollups", spans)
    var counted: [Span] = []
    for _ in 0..<20 {
      counted.append(
        try Span.measure {
          _ = try reader.pointCount(
            of: bench.targets, from: BenchmarkStore.start, to: end, atMost: Self.points)
        })
    }
    show("counting up to \(Self.points) points", counted)
  }

  /// Reads a window with rows bounded by the screen: points while they are few, rollups otherwise and points at the end.
  static func window(
    _ reader: StoreReader, _ targets: [TargetID], from: WallTime, to: WallTime
  ) throws -> (points: Int, rollups: Int) {
    if try reader.pointCount(of: targets, from: from, to: to, atMost: points) < points {
      let page = try reader.points(of: targets, plannedFrom: from, to: to, limit: points)
      return (page.points.count, 0)
    }
    let seconds = (to.microseconds - from.microseconds) / 1_000_000
    let span =
      RollupSpan.allCases.first { Int(seconds) / $0.rawValue * targets.count <= rollups } ?? .hour
    let page = try reader.rollups(
      of: targets, from: from, to: to, span: span, metrics: [.delivery], limit: 2 * rollups)
    let rest = try reader.points(of: targets, plannedFrom: page.coveredTo, to: to, limit: points)
    var values = 0
    for row in page.rows {
      for bucket in row.histogram(of: .delivery) ?? PackedLatencies(bytes: []) { values += bucket.count }
    }
    return values < 0 ? (0, 0) : (rest.points.count, page.rows.count)
  }

  /// The writer goes on while a screen pans as fast as it can draw, against the writer alone, in turns.
  private func beside(_ bench: BenchmarkStore, each: Int) throws {
    var alone: [Double] = []
    var accompanied: [Double] = []
    var sequence = Int64(each)
    func write() throws -> Double {
      let span = try Span.measure {
        for _ in 0..<400 {
          var batch = WriteBatch(run: bench.run)
          for target in bench.targets {
            batch.inserted += (1...50).map { bench.plan(target, sequence + $0) }
            batch.updated += (1...50).map { bench.delivered(target, sequence + $0) }
          }
          sequence += 50
          _ = try bench.store.commit(batch)
        }
      }
      return 400 * 200 / span.wall
    }
    for _ in 0..<5 {
      alone.append(try write())
      let screen = PanningScreen(path: bench.path, targets: bench.targets)
      screen.start()
      accompanied.append(try write())
      screen.stop()
    }
    let ratio = median(accompanied) / median(alone)
    print(
      "\nwriting beside a screen that pans 30 times a second: \(Int(median(accompanied))) rows/s, alone"
        + " \(Int(median(alone))), ratio \(String(format: "%.2f", ratio))")
  }

  private func show(_ what: String, _ spans: [Span]) {
    let walls = spans.map(\.wall).sorted()
    func text(_ seconds: Double) -> String { padded(String(format: "%.2f", seconds * 1e3), 8) }
    print(
      "\(text(spans[0].wall)) ms first \(text(median(walls))) median"
        + " \(text(walls[walls.count - 1])) longest \(text(median(spans.map(\.cpu)))) CPU: \(what)")
  }
}
