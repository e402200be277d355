import Glibc

/// This thread's own time, so that other programs on the machine do not count.
func threadMicroseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Times of many frames.
struct Times {
  private var values: [Double] = []

  mutating func measure<Result>(_ body: () -> Result) -> Result {
    let start = threadMicroseconds()
    defer { values.append(threadMicroseconds() - start) }
    return body()
  }

  /// The value that `share` of all are not above, to a tenth.
  func quantile(_ share: Double) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)] * 10).rounded() / 10
  }
}

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
