import Measurement

/// A run in the list of runs.
struct RunEntry: Sendable, Equatable {
  var id: RunID
  /// Given by people; escaped at sinks.
  var name: String?
  var startedAt: WallTime
  var phase: DisplayedRun.Phase
  /// Names of its targets.
  var targets: [String]
  var counts: Tally

  /// µs from its beginning to its end, or to now.
  func length(at now: WallTime) -> Int64 {
    let end: WallTime =
      switch phase {
      case .live: now
      case .silent(let since): since
      case .ended(let at, _): at
      }
    return max(0, end.microseconds - startedAt.microseconds)
  }

  /// Its name, or the part of its number that tells it from others of the same minute.
  var title: String { name ?? String("\(id)".prefix(13)) }
}
