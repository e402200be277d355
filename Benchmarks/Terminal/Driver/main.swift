import ConstraintAnimation
import CursesPeer
import Glibc
import Terminal

// What a frame costs: bytes, and CPU time of the thread that paints, for each kind of change. Both sides write to a
// pseudo-terminal that a thread empties. Ours compares, encodes and writes; ncurses puts the same cells into its
// window and updates. Run once for each side, as ncurses keeps what it started with:
//
//   swift run -c release TerminalBenchmark ours|ours-truecolor|ncurses [columns rows [frames]]

let arguments = Array(CommandLine.arguments.dropFirst())
let side = arguments.first ?? "ours"
let numbers = arguments.dropFirst().compactMap { Int($0) }
let columns = numbers.first ?? 200
let rows = numbers.dropFirst().first ?? 60
let frames = numbers.dropFirst(2).first ?? 600

let terminal = curses_peer_open_terminal(Int32(columns), Int32(rows))
guard terminal >= 0, side != "ncurses" || curses_peer_start(terminal) == 0 else {
  print("no terminal to measure on")
  exit(1)
}

/// Paints the buffer's cells through ncurses; the plot's colors are entries of the 256 already.
func paintWithCurses(_ buffer: CellBuffer) {
  for y in 0..<buffer.rows {
    buffer.withRow(y) { row in
      for (x, cell) in row.enumerated() {
        curses_peer_put(
          Int32(x), Int32(y), cell.glyph, cell.foreground.color.map { Plot.index(of: $0) } ?? -1)
      }
    }
  }
  curses_peer_update()
}

print("\(side), \(columns)×\(rows), \(frames) frames a scene; CPU microseconds a frame")
print(
  padded("scene", 16) + padded("bytes/frame", 13) + padded("p50", 9) + padded("p99", 9)
    + padded("encoding p50", 14))
for scene in Scene.all(columns: columns, rows: rows) {
  let buffer = CellBuffer(columns: columns, rows: rows, colors: .ansi256)
  let colors = side == "ours-truecolor" ? ColorProfile.trueColor : .ansi256
  let writer = DiffWriter(
    columns: columns, rows: rows, profile: OutputProfile(colors: colors, synchronizesOutput: true))
  var encoding = Times()
  func show() {
    if side == "ncurses" { return paintWithCurses(buffer) }
    var rest = encoding.measure { writer.encode(buffer) }[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      rest = rest.dropFirst(max(0, write(terminal, part.baseAddress, part.count)))
    }
  }
  // The first one paints everything.
  scene.paint(buffer, 0)
  show()
  let before = curses_peer_received(terminal)
  var times = Times()
  for frame in 1...frames {
    scene.paint(buffer, frame)
    times.measure(show)
  }
  let bytes = (curses_peer_received(terminal) - before) / frames
  print(
    padded(scene.name, 16) + padded("\(bytes)", 13) + padded("\(times.quantile(0.5))", 9)
      + padded("\(times.quantile(0.99))", 9)
      + padded(side == "ncurses" ? "" : "\(encoding.quantile(0.5))", 14))
}
// Without ncurses' own farewell: nobody looks at this terminal.
fflush(nil)
_exit(0)
