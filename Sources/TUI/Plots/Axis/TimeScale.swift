/// How much time a column of cells stands for. The steps are such that round times fall on whole columns.
struct TimeScale: Sendable, Hashable, Comparable {
  /// Index into `steps`.
  private let index: Int

  private static let steps: [Int64] = {
    let second: Int64 = 1_000_000
    let fractions: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500].map { $0 * 1_000 }
    let seconds: [Int64] = [1, 2, 3, 5, 10, 15, 20, 30].map { $0 * second }
    let minutes: [Int64] = [1, 2, 3, 5, 10, 15, 20, 30].map { $0 * 60 * second }
    let hours: [Int64] = [1, 2, 3, 6].map { $0 * 3600 * second }
    return fractions + seconds + minutes + hours
  }()

  private init(index: Int) { self.index = min(max(index, 0), TimeScale.steps.count - 1) }

  /// The finest scale whose columns last at least `microseconds`; the coarsest when none does.
  init(columnAtLeast microseconds: Int64) {
    self.init(index: TimeScale.steps.firstIndex { $0 >= microseconds } ?? .max)
  }

  /// µs.
  var columnDuration: Int64 { TimeScale.steps[index] }

  /// The next finer scale; itself at the end.
  var finer: TimeScale { TimeScale(index: index - 1) }

  /// The next coarser scale; itself at the end.
  var coarser: TimeScale { TimeScale(index: index + 1) }

  static func < (left: TimeScale, right: TimeScale) -> Bool { left.index < right.index }
}
