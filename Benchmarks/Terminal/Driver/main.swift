import ConstraintAnimation
import Glibc
import Terminal

// What painting a frame costs: bytes, microseconds, allocations, for each kind of change.
//
//   swift run -c release TerminalBenchmark [columns rows [frames [scene]]]

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let columns = arguments.first ?? 200
let rows = arguments.dropFirst().first ?? 60
let frames = arguments.dropFirst(2).first ?? 600
let onlyScene = CommandLine.arguments.dropFirst(4).first

/// This thread's own time, so that other programs on the machine do not count.
func threadMicroseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

print("\(columns)×\(rows), \(frames) frames; CPU microseconds to compare and encode, median and 99th of 100")
for profile in [ColorProfile.ansi256, .trueColor] {
  print("\n\(profile)")
  print(padded("scene", 16) + padded("bytes/frame", 13) + padded("µs p50", 9) + padded("µs p99", 9))
  for scene in Scene.all(columns: columns, rows: rows) where onlyScene.map({ $0 == scene.name }) ?? true {
    let buffer = CellBuffer(columns: columns, rows: rows, colors: profile)
    let writer = DiffWriter(
      columns: columns, rows: rows, profile: OutputProfile(colors: profile, synchronizesOutput: true))
    var bytes = 0
    var times: [Double] = []
    times.reserveCapacity(frames)
    for frame in 0...frames {
      scene.paint(buffer, frame)
      let start = threadMicroseconds()
      let count = writer.encode(buffer).count
      let time = threadMicroseconds() - start
      // The first one paints everything.
      if frame == 0 { continue }
      bytes += count
      times.append(time)
    }
    times.sort()
    let median = (times[frames / 2] * 10).rounded() / 10
    let high = (times[frames * 99 / 100] * 10).rounded() / 10
    print(
      padded(scene.name, 16) + padded("\(bytes / frames)", 13) + padded("\(median)", 9) + padded("\(high)", 9)
    )
  }
}
