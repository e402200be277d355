/// How much time a column of cells stands for. The steps are such that round times fall on whole columns.
struct TimeScale: Sendable, Hashable, Comparable {
  /// Index into `steps`.
  private let index: Int

  private static let steps: [Int64] = [
    1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000, 5_000_000, 10_000_000, 15_000_000, 30_000_000,
    60_000_000, 120_000_000, 300_000_000, 600_000_000, 900_000_000, 1_800_000_000,
    3_600_000_000, 7_200_000_000,
  ]

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
