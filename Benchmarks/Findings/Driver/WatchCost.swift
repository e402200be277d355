import Analysis
import Foundation
import Measurement
import Report
import Store
import Threads

/// What watching costs: per tick and series, to a thread that keeps time meanwhile, and over a large store.
enum WatchCost {
  /// CPU time of a tick, a second of planned time, with a quarter of the targets and with all.
  static func ticks(targets: Int) throws {
    print("a tick of the search, with 1 % of the notifications waiting 10 s for receipts:")
    for count in [max(1, targets / 4), targets] {
      let watched = try WatchedStore(targets: count)
      let reader = try StoreReader.open(at: watched.path)
      for _ in 0..<10 {
        try watched.pass(60)
        try watched.advance(reader)
      }
      var costs: [Double] = []
      for _ in 0..<60 {
        try watched.pass(1)
        costs.append(1000 * (try watched.advance(reader)))
      }
      costs.sort()
      print(
        String(
          format: "  %4d targets: median %.2f ms, longest %.2f ms, %.1f µs a target; %.1f KiB a series",
          count,
          costs[30], costs[59], 1000 * costs[30] / Double(count), watched.memoryPerSeries / 1024))
    }
  }

  /// How late a thread wakes that sleeps a millisecond at a time, while a store of many targets is written once a second,
  /// with and without a thread that looks for changes in it; in turns.
  static func lag(targets: Int, rounds: Int, seconds: Int) throws {
    print("lag of a thread that keeps time, beside \(targets) targets at 1/s: p50, p99, longest, µs")
    var lags: [Bool: [Double]] = [:]
    let watched = try WatchedStore(targets: targets)
    let reader = try StoreReader.open(at: watched.path)
    for _ in 0..<5 {
      try watched.pass(60)
      try watched.advance(reader)
    }
    for round in 0..<(2 * rounds) {
      let isWatching = round % 2 == 0
      let samples = WakeLags()
      try samples.start()
      for _ in 0..<seconds {
        let next = Date().addingTimeInterval(1)
        try watched.pass(1)
        if isWatching { try watched.advance(reader) }
        Thread.sleep(until: next)
      }
      lags[isWatching, default: []] += samples.stop()
      // Not to be caught up with by the next one.
      if !isWatching { try watched.advance(reader) }
    }
    for isWatching in [false, true] {
      let sorted = (lags[isWatching] ?? []).sorted()
      guard let last = sorted.last else { continue }
      print(
        String(
          format: "  %@: %.0f  %.0f  %.0f", isWatching ? "watched    " : "not watched",
          sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], last))
    }
  }

  /// A summary of a store, and the search for changes over all of it.
  static func store(rows: Int, targets: Int) throws {
    let watched = try WatchedStore(targets: targets)
    let seconds = rows / targets
    for _ in 0..<(seconds / 60) { try watched.pass(60) }
    let reader = try StoreReader.open(at: watched.path)
    for name in ["first", "again"] {
      let begin = Date()
      let summary = try SummaryReport(reader)
      print(
        String(
          format: "summary of %d rows, %d targets, %@: %.2f s", seconds / 60 * 60 * targets,
          summary.runs.reduce(0) { $0 + $1.targets.count }, name, Date().timeIntervalSince(begin)))
    }
    let begin = Date()
    let found = try FindingRecomputation.run(reader, to: watched.now)?.findings.count ?? 0
    let cost = Date().timeIntervalSince(begin)
    let days = Double(seconds) / 86_400 * Double(targets)
    print(
      String(
        format: "the search over all of it: %.1f s, %.0f ms a target-day at 1/s, %d findings", cost,
        1000 * cost / days, found))
  }
}

/// Measures on a thread of its own how late it wakes.
private final class WakeLags: @unchecked Sendable {
  private let lock = NSLock()
  private var lags: [Double] = []
  private var isStopping = false
  private let ended = DispatchSemaphore(value: 0)

  func start() throws {
    try DedicatedThread.start(name: "wake lags") { [self] in
      var next = Self.now()
      while !lock.withLock({ isStopping }) {
        next += 1_000_000
        var time = timespec(tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
        let late = Self.now() - next
        lock.withLock { lags.append(Double(late) / 1000) }
        // What was slept through is not made up for.
        if late > 1_000_000 { next += late / 1_000_000 * 1_000_000 }
      }
      ended.signal()
    }
  }

  /// - Returns: µs.
  func stop() -> [Double] {
    lock.withLock { isStopping = true }
    ended.wait()
    return lock.withLock { lags }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
