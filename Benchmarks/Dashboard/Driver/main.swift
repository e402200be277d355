import Foundation

// DashboardBenchmark PUSHSCOPE [--rows N] [--store FILE] [--seconds N] [--only large|live|idle]
//
// Runs the real binary in a pseudo-terminal and looks at it from outside: how long until the first frame with data and
// until a pan or a zoom is answered on a large store (one of N rows is made, or FILE is taken), what a frame costs
// while a collector writes and ten thousand notifications are in view, and what it costs when nothing happens.
let arguments = CommandLine.arguments
func text(_ name: String) -> String? {
  guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
  return arguments[place + 1]
}
func option(_ name: String, _ standard: Int) -> Int { text(name).flatMap { Int($0) } ?? standard }
guard arguments.count > 1, !arguments[1].hasPrefix("-") else {
  print(
    "usage: DashboardBenchmark PATH/TO/pushscope [--rows 1000000 | --store FILE] [--seconds 20] [--only large|live|idle]"
  )
  exit(64)
}
let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pushscope-bench-\(getpid())")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }

let binary = arguments[1]
let rows = option("--rows", 1_000_000)
let seconds = option("--seconds", 20)

let only = text("--only")
func say(_ line: some CustomStringConvertible) {
  // At once, also through a pipe.
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
let left = "\u{1B}[D"
let right = "\u{1B}[C"
let up = "\u{1B}[A"

if only == nil || only == "large" {
  let large =
    try text("--store")
    ?? {
      let path = directory.appendingPathComponent("large.sqlite").path
      try LiveStore.fillEnded(path, rows: rows)
      return path
    }()
  let kind = text("--store") ?? "\(rows) rows"
  let starts = try (0..<9).map { _ in try Measure.firstFrames(binary, store: large) }
  for (what, times) in [
    ("data", starts.map(\.data).sorted()), ("quantiles", starts.map(\.quantiles).sorted()),
  ] {
    say("first frame with \(what), \(kind): median \(times[4]) ms, slowest \(times[8]) ms")
  }

  /// Back and forth over the whole recording, from a close look to all of it.
  let tour = [
    left, left, left, right, "-", left, "-", "-", left, left, "-", "-", "-", left, right, "+", "+", "+",
  ]
  let responses = try Measure.response(binary, store: large, keys: tour).sorted()
  say(
    String(
      format: "pan and zoom, %@: median %.0f ms, slowest %.0f ms (the last frame that a key leads to)", kind,
      responses[responses.count / 2], responses[responses.count - 1]))
}

let live = try LiveStore(directory.appendingPathComponent("live.sqlite").path)
for (columns, rows) in [(200, 60), (400, 120)] where only == nil || only == "live" {
  let size = "\(columns)×\(rows)"
  say(
    try Measure.live(
      binary, store: live, name: "live, \(size)", columns: columns, rows: rows, seconds: seconds))
  say(
    try Measure.live(
      binary, store: live, name: "panels slide, \(size)", columns: columns, rows: rows, seconds: seconds,
      keys: ["2", "3", "1"]))
  say(
    try Measure.live(
      binary, store: live, name: "pan, \(size)", columns: columns, rows: rows, seconds: seconds,
      keys: [left, left, right]))
  let walk = (0..<seconds).flatMap { _ in [left, up] }
  say(
    try Measure.live(
      binary, store: live, name: "crosshair walks, \(size)", columns: columns, rows: rows, seconds: seconds,
      keys: ["i"] + walk))
  // With Alt the pointer drags a box over nearly all of the plot.
  let drag = "\u{1B}[<8;15;4M\u{1B}[<40;\(columns - 8);\(rows / 2)M\u{1B}[<8;\(columns - 8);\(rows / 2)m"
  say(
    try Measure.live(
      binary, store: live, name: "much is selected, \(size)", columns: columns, rows: rows, seconds: seconds,
      keys: [drag] + Array(repeating: "", count: 2 * seconds)))
  say(
    try Measure.live(
      binary, store: live, name: "percentiles, \(size)", columns: columns, rows: rows, seconds: seconds,
      keys: ["B"] + Array(repeating: "", count: 2 * seconds)))
}
try live.end()
if only == nil || only == "idle" {
  say(try Measure.idle(binary, store: live.path, seconds: max(seconds, 60)))
}
