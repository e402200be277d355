import AllocationCounter
import ConstraintAnimation
import Foundation

// SolverBenchmark measure SECONDS WORKLOAD [CONSTRAINT]...   one line of figures; the constraints are added again
// SolverBenchmark movable WORKLOAD                           required equalities that bear another constant
// SolverBenchmark values WORKLOAD                            the bits of all values along a fixed walk
// SolverBenchmark stacks                                     the slowest of ratatui's stacks of 2 to 40 panes

func measure(_ path: String, budget: Double, movable: [Int]) throws {
  let workload = try Workload(path: path)
  var run = try Run(workload)
  run.clear()
  let before = allocation_live_bytes()
  try run.build()
  let memory = allocation_live_bytes() - before

  let builds = try Samples(most: 400, least: 2, microseconds: budget) {
    run.clear()
    return try microseconds { try run.build() }
  }
  let (width, height) = (workload.edits[workload.size.0].first, workload.edits[workload.size.1].first)
  var frame = 0
  var allocations = 0
  var frames = 0
  let slides = try Samples(most: 12000, least: 240, microseconds: budget) {
    let phase = Double(frame % 120) / 60
    let t = phase <= 1 ? phase : 2 - phase
    let x = width * (t * t * (3 - 2 * t))
    frame += 1
    let count = allocation_count()
    let time = try microseconds { try run.suggest(workload.slide, x, x) }
    if frame > 1200 {
      allocations += allocation_count() - count
      frames += 1
    }
    return time
  }
  try run.suggest(workload.slide, 0, 0)
  var seed: UInt32 = 1
  func next() -> Double {
    seed = seed &* 1_664_525 &+ 1_013_904_223
    return Double(seed >> 8) / 16_777_216
  }
  let sizes = try Samples(most: 12000, least: 240, microseconds: budget) {
    let (a, b) = ((width * (0.5 + next())).rounded(.down), (height * (0.5 + next())).rounded(.down))
    return try microseconds { try run.suggest(workload.size, a, b) }
  }
  try run.suggest(workload.size, width, height)

  var adds = 0.0
  var returns = 0.0
  var moves = 0.0
  for index in movable {
    var turn = 0
    let share = budget / Double(movable.count)
    adds += try Samples(most: 2000, least: 2, microseconds: share) {
      turn += 1
      return try microseconds { try run.addAgain(index, shift: turn & 1 == 1 ? 1 : 0) }
    }.median
    if turn & 1 == 1 { try run.addAgain(index, shift: 0) }
    returns += try Samples(most: 2000, least: 2, microseconds: share) {
      try microseconds { try run.removeAndAdd(index) }
    }.median
    turn = 0
    moves += try Samples(most: 2000, least: 2, microseconds: share) {
      turn += 1
      return try microseconds { try run.setConstant(index, shift: turn & 1 == 1 ? 1 : 0) }
    }.median
    try run.setConstant(index, shift: 0)
  }
  let share = Double(max(movable.count, 1))
  let figures: [(String, Double)] = [
    ("build", builds.median), ("slide", slides.median), ("slideMean", slides.periodMean),
    ("resize", sizes.median), ("resizeMean", sizes.periodMean), ("readd", adds / share),
    ("return", returns / share), ("setConstant", moves / share), ("memory", Double(memory)),
    ("allocations", frames > 0 ? Double(allocations) / Double(frames) : 0),
  ]
  print("{" + figures.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
}

/// Up to eight required equalities, spread over the file, that can have their constant moved by one and back.
func printMovable(_ path: String) throws {
  let workload = try Workload(path: path)
  let priorities = workload.priorities()
  let equalities = workload.constraints.indices.filter {
    workload.constraints[$0].relation == .equal && priorities[workload.constraints[$0].strength] == 1000
  }
  var run = try Run(workload)
  try run.build()
  var found: [Int] = []
  let step = max(1, equalities.count / 8)
  for index in stride(from: step / 2, to: equalities.count, by: step).map({ equalities[$0] })
  where found.count < 8 {
    do {
      try run.addAgain(index, shift: 1)
      try run.addAgain(index, shift: 0)
      found.append(index)
    } catch is SolverError {
      run.clear()
      try run.build()
    }
  }
  print(found.map(String.init).joined(separator: " "))
}

func printValues(_ path: String) throws {
  let workload = try Workload(path: path)
  var run = try Run(workload)
  try run.build()
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  func mix(_ values: [Double]) {
    for value in values { hash = (hash ^ value.bitPattern) &* 0x100_0000_01b3 }
  }
  mix(run.values)
  let width = workload.edits[workload.size.0].first
  for step in 1...40 {
    try run.suggest(workload.slide, Double(step * 7 % 40), Double(step * 7 % 40))
    mix(run.values)
    try run.suggest(workload.size, width * Double(step * 11 % 17 + 9) / 17, Double(step * 5 % 60 + 20))
    mix(run.values)
  }
  print(String(hash, radix: 16))
}

func printStacks() throws {
  var slowest = (microseconds: 0.0, panes: 0, rows: 0)
  for panes in 2...40 {
    for rows in [panes * 3, panes * 3 - 1, panes * 3 + 1] {
      let time = try microseconds { try solveStack(panes: panes, rows: rows) }
      if time > slowest.microseconds { slowest = (time, panes, rows) }
    }
  }
  print(
    String(
      format: "{\"milliseconds\":%.3f,\"panes\":%ld,\"rows\":%ld}", slowest.microseconds / 1000,
      slowest.panes,
      slowest.rows))
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("measure", 3...):
  try measure(
    arguments[2], budget: (Double(arguments[1]) ?? 1) * 1e6, movable: arguments[3...].compactMap { Int($0) })
case ("movable", 2): try printMovable(arguments[1])
case ("values", 2): try printValues(arguments[1])
case ("stacks", 1): try printStacks()
default:
  print(
    "usage: SolverBenchmark measure SECONDS WORKLOAD [CONSTRAINT]... | movable WORKLOAD | values WORKLOAD | stacks"
  )
  exit(2)
}
