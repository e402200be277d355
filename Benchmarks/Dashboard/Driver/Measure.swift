import Foundation

/// What frames cost, seen from outside.
struct LiveFigures: CustomStringConvertible {
  let seconds: Double
  let frames: Int
  let bytes: Int
  /// ns of the thread that draws, and of all others.
  let drawing: Int
  let reading: Int

  var description: String {
    let perFrame = frames == 0 ? 0 : drawing / frames / 1_000
    let bytesPerFrame = frames == 0 ? 0 : bytes / frames
    let share = Double(drawing + reading) / seconds / 1e7
    return """
      live, 200×60, ten thousand in view: \(frames) frames in \(Int(seconds)) s, \(perFrame) µs of processor time \
      and \(bytesPerFrame) bytes a frame; reading \(reading / 1_000_000) ms; \(String(format: "%.1f", share)) % of a core
      """
  }
}

enum Measure {
  /// ms from the start of the program to the frame that shows the first figures.
  static func firstFrame(_ binary: String, store: String) throws -> Int {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store])
    process.listen(until: .now + .seconds(10)) { process.contains("delivered") && process.contains("p50") }
    let elapsed = process.started.duration(to: .now)
    process.quit()
    return Int(elapsed / .milliseconds(1))
  }

  /// The dashboard beside a collector that writes twenty times a second.
  static func live(_ binary: String, store: LiveStore, seconds: Int) throws -> LiveFigures {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store.path])
    try pump(process, store, seconds: 4)
    process.forgetReceived()
    let before = process.threadTimes()
    let start = ContinuousClock.now
    try pump(process, store, seconds: seconds)
    let elapsed = start.duration(to: .now)
    let after = process.threadTimes()
    let figures = LiveFigures(
      seconds: Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18,
      frames: process.count(of: "\u{1B}[?2026h"), bytes: process.received.count,
      drawing: (after.first ?? 0) - (before.first ?? 0),
      reading: after.dropFirst().reduce(0, +) - before.dropFirst().reduce(0, +))
    process.quit()
    return figures
  }

  /// A run that is over: nothing may be written, hardly anything be done.
  static func idle(_ binary: String, store: String, seconds: Int) throws -> String {
    let process = try TerminalProcess(binary, ["dashboard", "--store", store])
    process.listen(until: .now + .seconds(3))
    process.forgetReceived()
    let before = process.threadTimes().reduce(0, +)
    process.listen(until: .now + .seconds(seconds))
    let used = process.threadTimes().reduce(0, +) - before
    let bytes = process.received.count
    process.quit()
    return "idle for \(seconds) s: \(bytes) bytes, \(used / 1_000) µs of processor time"
  }

  private static func pump(_ process: TerminalProcess, _ store: LiveStore, seconds: Int) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while .now < end {
      try store.write()
      process.listen(until: .now + .milliseconds(50))
    }
  }
}
