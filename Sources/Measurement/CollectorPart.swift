/// A part of a collector that works on what was recorded. It may fail, and sending and recording go on without it.
public enum CollectorPart: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
  /// Looks for changes.
  case findings
  /// Judges objectives.
  case objectives
  /// Tells alerts.
  case alerts
  /// Forwards rows to a fleet.
  case forward

  /// What it does, for sentences: "the search for changes".
  public var words: String {
    switch self {
    case .findings: "the search for changes"
    case .objectives: "the judgment of objectives"
    case .alerts: "the delivery of alerts"
    case .forward: "the forwarding to the fleet"
    }
  }
}
