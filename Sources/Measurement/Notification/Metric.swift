/// What is timed, from where to where (docs/measurement.md).
public enum Metric: String, Sendable, Hashable, CaseIterable {
  /// Sent → accepted.
  case service
  /// Planned → accepted: schedule lag + service time.
  case accept
  /// Planned → received by the device.
  case delivery
}
