import Measurement

/// Whether a collector is at work on the store.
struct CollectorStatus: Sendable, Equatable {
  var isRunning: Bool
  /// The run it records; `nil` while it is idle.
  var run: RunID?
  /// Whether it stays after a run, so that another one can be started.
  var staysAfterRun: Bool

  var isIdle: Bool { isRunning && run == nil }
}
