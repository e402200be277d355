import Measurement

/// A place in a target's schedule.
struct PlannedNotification: Sendable, Equatable {
  var sequence: Int64
  var planned: MonotonicTime
}
