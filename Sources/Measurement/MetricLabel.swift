/// The labels that metrics and alerts have themselves, or that the exposition formats reserve. Configured ones have other names.
public enum MetricLabel: String, CaseIterable, Sendable {
  case target, variant, status, reason, from, to, objective, device, kind, metric, part, alert, version
  case alertname, severity, finding
  /// The upper bound of a histogram's bucket.
  case bucket = "le"
  case quantile
}
