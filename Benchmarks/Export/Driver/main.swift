import Foundation
import Glibc

// ExportBenchmark compare [ROWS] [ROUNDS]       our export against sqlite3 -csv on the same view, turn by turn
// ExportBenchmark fill FILE ROWS                a store with so many samples
// ExportBenchmark export FILE TABLE FORMAT      one export to /dev/null: rows, allocations, peak memory

func compare(rows: Int, rounds: Int) throws {
  let directory = FileManager.default.temporaryDirectory.path + "/pushscope-export-\(getpid())"
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  let small = directory + "/small.sqlite"
  let store = directory + "/store.sqlite"
  try StoreFilling.fill(small, rows: 1000)
  try StoreFilling.fill(store, rows: rows)

  let ours = Subprocess.ours
  let contenders = [
    Contender(
      "sqlite3 -csv, sample_view", "sqlite3",
      ["-readonly", "-csv", "-header", store, "SELECT * FROM sample_view"]),
    Contender(
      "sqlite3 -csv, bare table", "sqlite3", ["-readonly", "-csv", "-header", store, "SELECT * FROM sample"]),
    Contender("export samples, CSV", ours, ["export", store, "samples", "csv"]),
    Contender("export samples, JSON Lines", ours, ["export", store, "samples", "jsonl"]),
    Contender("export summary", ours, ["export", store, "summary", "csv"]),
    Contender("export histogram", ours, ["export", store, "histogram", "csv"]),
  ]
  var times = contenders.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, contender) in contenders.enumerated() { times[index].append(try contender.run().seconds) }
  }
  print("\(rows) rows, median of \(rounds) rounds taken in turn, whole processes, output to /dev/null")
  let peer = median(times[0])
  for (contender, times) in zip(contenders, times) {
    let time = median(times)
    print("  \(padded(contender.name, 30)) \(decimal(time, 3)) s   \(decimal(time / peer, 3)) of the first")
  }
  for table in ["samples", "summary"] {
    let few = try Contender("", ours, ["export", small, table, "csv"]).run().figures
    let many = try Contender("", ours, ["export", store, table, "csv"]).run().figures
    print(
      "  \(table): peak memory \(few.peakKilobytes) kB for 1000 rows, \(many.peakKilobytes) kB for \(rows);"
        + " allocations \(few.allocations) and \(many.allocations)")
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func decimal(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

var arguments = CommandLine.arguments.dropFirst()
switch arguments.popFirst() {
case "compare", nil:
  try compare(
    rows: arguments.popFirst().flatMap { Int($0) } ?? 1_000_000,
    rounds: arguments.popFirst().flatMap { Int($0) } ?? 5)
case "fill":
  try StoreFilling.fill(arguments.removeFirst(), rows: Int(arguments.removeFirst()) ?? 1_000_000)
case "export":
  try OneExport.run(
    arguments.removeFirst(), table: arguments.removeFirst(), format: arguments.removeFirst())
case let word?:
  print("no such command: \(word)")
  exit(64)
}
