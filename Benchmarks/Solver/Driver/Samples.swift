import Foundation

/// Times of one kind of step, in microseconds.
struct Samples {
  private(set) var times: [Double] = []

  /// Repeats a step until there are `most` samples or the time is up, but at least `least`.
  init(most: Int, least: Int, microseconds budget: Double, _ step: () throws -> Double) rethrows {
    times.reserveCapacity(most)
    var spent = 0.0
    while times.count < most && (spent < budget || times.count < least) {
      let time = try step()
      times.append(time)
      spent += time
    }
  }

  var median: Double { Self.median(times) }

  /// The middle one of the means over whole periods of 120 steps: counts the rare dear step, but not another process's
  /// turn.
  var periodMean: Double {
    let means = stride(from: 0, through: times.count - 120, by: 120).map { start in
      times[start..<start + 120].reduce(0, +) / 120
    }
    return Self.median(means)
  }

  private static func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }
}

/// Microseconds on the steady clock.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func microseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = now()
  try body()
  return now() - start
}
