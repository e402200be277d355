/// A push service's way of speaking, as scenario files and the script call it.
public enum ScenarioDialect: String, Sendable, Hashable, CaseIterable {
  case apns, fcm, webpush, ntfy
}
