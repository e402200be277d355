import Foundation

/// What frames cost, seen from outside.
struct FrameFigures: CustomStringConvertible {
  let name: String
  let seconds: Double
  let bytes: Int
  /// µs of the thread that draws, for each frame.
  var frames: [Int]
  /// ns of the threads that draw and read.
  let drawing: Int
  let reading: Int

  var description: String {
    let sorted = frames.sorted()
    func quantile(_ share: Double) -> Int {
      sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }
    let share = Double(drawing + reading) / seconds / 1e7
    return """
      \(name): \(frames.count) frames in \(Int(seconds)) s; processor time a frame p50 \(quantile(0.5)) µs, \
      p99 \(quantile(0.99)) µs; \(frames.isEmpty ? 0 : bytes / frames.count) bytes a frame; \
      reading \(reading / 1_000_000) ms; \(String(format: "%.1f", share)) % of a core
      """
  }
}

enum Measure {
  private static let frameEnd = "\u{1B}[?2026l"

  /// ms from the start of the program to the frame that shows the first notifications, and to the one that shows their quantiles.
  static func firstFrames(_ binary: String, store: String) throws -> (data: Int, quantiles: Int) {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store])
    func elapsed(to text: String) -> Int {
      process.listen(until: .now + .seconds(10)) { process.contains(text) }
      return Int(process.started.duration(to: .now) / .milliseconds(1))
    }
    let times = (data: elapsed(to: "delivered"), quantiles: elapsed(to: "p50"))
    process.quit()
    return times
  }

  /// ms from a key to the end of the last frame that it leads to, for each of `keys`.
  static func response(_ binary: String, store: String, keys: [String]) throws -> [Double] {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store])
    process.listen(until: .now + .seconds(10)) { process.contains("p50") }
    process.listen(until: .now + .seconds(1))
    let times = keys.map { key in
      process.forgetReceived()
      let start = ContinuousClock.now
      process.type(key)
      var last = start
      var seen = 0
      // Quiet for 150 ms means that nothing more follows.
      while last.duration(to: .now) < .milliseconds(150) {
        process.listen(until: .now + .milliseconds(5)) { process.count(of: frameEnd) > seen }
        let count = process.count(of: frameEnd)
        if count > seen { (seen, last) = (count, .now) }
      }
      return start.duration(to: last) / .milliseconds(1)
    }
    process.quit()
    return times
  }

  /// The dashboard beside a collector that writes twenty times a second, while `keys` are typed in turn.
  static func live(
    _ binary: String, store: LiveStore, name: String, columns: Int, rows: Int, seconds: Int,
    keys: [String] = []
  ) throws -> FrameFigures {
    let process = try TerminalProcess(
      binary, ["dashboard", "--store", store.path], columns: columns, rows: rows)
    try pump(process, store, seconds: 4) {}
    process.forgetReceived()
    let before = process.threadTimes()
    guard let drawer = drawer(of: process, since: []) else {
      throw TerminalProcess.Failure(what: "no threads")
    }
    let start = ContinuousClock.now
    var frames: [Int] = []
    var seen = 0
    var used = drawer.nanoseconds
    var turn = 0
    try pump(process, store, seconds: seconds, keys: keys, turn: &turn) {
      let count = process.count(of: frameEnd)
      guard count > seen else { return }
      // Once it waits for the next one its time is booked.
      let now = process.threadTimes().first { $0.id == drawer.id }?.nanoseconds ?? used
      frames += Array(repeating: (now - used) / (count - seen) / 1_000, count: count - seen)
      (seen, used) = (count, now)
    }
    let elapsed = start.duration(to: .now)
    let spent = process.threadTimes().map { after in
      (after.isReader, after.nanoseconds - (before.first { $0.id == after.id }?.nanoseconds ?? 0))
    }
    let figures = FrameFigures(
      name: name, seconds: elapsed / .seconds(1), bytes: process.received.count, frames: frames,
      drawing: spent.filter { !$0.0 }.reduce(0) { $0 + $1.1 },
      reading: spent.filter { $0.0 }.reduce(0) { $0 + $1.1 })
    process.quit()
    return figures
  }

  /// A run that is over: nothing may be written, hardly anything be done.
  static func idle(_ binary: String, store: String, seconds: Int) throws -> String {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store])
    process.listen(until: .now + .seconds(3))
    process.forgetReceived()
    let before = process.threadTimes().reduce(0) { $0 + $1.nanoseconds }
    process.listen(until: .now + .seconds(seconds))
    let used = process.threadTimes().reduce(0) { $0 + $1.nanoseconds } - before
    let bytes = process.received.count
    process.quit()
    return "idle for \(seconds) s: \(bytes) bytes, \(used / 1_000) µs of processor time"
  }

  /// The thread that has used most, the reader aside: the one that draws.
  private static func drawer(of process: TerminalProcess, since: [ThreadTime]) -> ThreadTime? {
    process.threadTimes().filter { !$0.isReader }.max { $0.nanoseconds < $1.nanoseconds }
  }

  private static func pump(
    _ process: TerminalProcess, _ store: LiveStore, seconds: Int, _ look: () -> Void
  ) throws {
    var turn = 0
    try pump(process, store, seconds: seconds, keys: [], turn: &turn, look)
  }

  /// Writes every 50 ms, types a key every 600 ms and looks every millisecond or so.
  private static func pump(
    _ process: TerminalProcess, _ store: LiveStore, seconds: Int, keys: [String], turn: inout Int,
    _ look: () -> Void
  ) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var nextKey = ContinuousClock.now
    while .now < end {
      try store.write()
      if !keys.isEmpty, .now >= nextKey {
        process.type(keys[turn % keys.count])
        turn += 1
        nextKey = .now + .milliseconds(600)
      }
      let pause = ContinuousClock.now + .milliseconds(50)
      while .now < pause {
        process.listen(until: min(pause, .now + .milliseconds(2)))
        look()
      }
    }
  }
}
