import AllocationCounter
import ConstraintAnimation
import Glibc

// What a slide costs: the choice that starts it, and each frame: advance to its time, draw everything. 60 views, and
// then 1000, on 120 × 40 cells.
// Prints microseconds of processor time (median, 99th percentile, worst; other programs on the machine do not count)
// and allocations over all frames after the first slides.

func measure(_ label: String, slides: Int, vertically: Bool, lines: Int = 18) throws {
  let dashboard = try Dashboard(columns: 120, rows: 40, lines: lines)
  let canvas = FrameCanvas(columns: 120, rows: 40)
  let window = dashboard.window
  var advances: [Double] = []
  var draws: [Double] = []
  advances.reserveCapacity(slides * 15)
  draws.reserveCapacity(slides * 15)
  var starts: [Double] = []
  var allocations = 0
  for slide in 0..<slides {
    let kind = Panel.allCases[(slide + 1) % 3]
    let press = processorTime()
    if vertically {
      try dashboard.manager.slideVertically(activate: kind)
    } else {
      try dashboard.manager.slideHorizontally(activate: kind)
    }
    if slide >= 6 { starts.append(processorTime() - press) }
    let start = window.time
    for frame in 1...14 {
      let before = Int(allocation_count())
      let begin = processorTime()
      let change = window.advance(to: start + .nanoseconds(frame * 1_000_000_000 / 60))
      let middle = processorTime()
      if change.needsDisplay { window.draw(on: canvas) }
      _ = window.nextDeadline
      let end = processorTime()
      if slide >= 6 {
        allocations += Int(allocation_count()) - before
        advances.append(middle - begin)
        draws.append(end - middle)
      }
    }
    window.advance(to: start + .milliseconds(300))
  }
  print("\(label): \(advances.count) frames, \(allocations) allocations")
  print("  start   \(summary(starts))")
  print("  advance \(summary(advances))")
  print("  draw    \(summary(draws))")
  print("  both    \(summary(zip(advances, draws).map { $0 + $1 }))")
}

/// Microseconds this thread has run.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func summary(_ values: [Double]) -> String {
  let sorted = values.sorted()
  func at(_ share: Double) -> String {
    let value = sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    return "\((value * 10).rounded() / 10)"
  }
  return "median \(at(0.5)) µs, p99 \(at(0.99)) µs, worst \(at(1)) µs"
}

try measure("horizontal slide", slides: 400, vertically: false)
try measure("vertical slide", slides: 400, vertically: true)
try measure("horizontal slide, 1000 views", slides: 60, vertically: false, lines: 332)
