import Foundation

// DashboardBenchmark PUSHSCOPE [--rows N] [--seconds N]
//
// Runs the real binary in a pseudo-terminal of 200×60 and looks at it from outside: how long until the first frame
// with data on a store of a million notifications, what a frame costs while a collector writes and ten thousand
// notifications are in view, and what it costs when nothing happens.
let arguments = CommandLine.arguments
func option(_ name: String, _ standard: Int) -> Int {
  guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return standard }
  return Int(arguments[place + 1]) ?? standard
}
guard arguments.count > 1, !arguments[1].hasPrefix("-") else {
  print("usage: DashboardBenchmark PATH/TO/pushscope [--rows 1000000] [--seconds 20]")
  exit(64)
}
let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pushscope-bench-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

let binary = arguments[1]
let rows = option("--rows", 1_000_000)
let seconds = option("--seconds", 20)

let large = directory.appendingPathComponent("large.sqlite").path
try LiveStore.fillEnded(large, rows: rows)
let starts = try (0..<9).map { _ in try Measure.firstFrame(binary, store: large) }.sorted()
print("first frame with data, \(rows) rows: median \(starts[4]) ms, slowest \(starts[8]) ms")

let live = try LiveStore(directory.appendingPathComponent("live.sqlite").path)
let figures = try Measure.live(binary, store: live, seconds: seconds)
print(figures.description)

try live.end()
let idle = try Measure.idle(binary, store: live.path, seconds: seconds)
print(idle)
