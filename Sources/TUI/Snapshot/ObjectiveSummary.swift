import Measurement
import Store

/// What the collector's objectives and alerts amount to, for one line.
struct ObjectiveSummary: Sendable, Equatable {
  /// Objectives of the collector's configuration.
  var count = 0
  var met = 0
  /// Names of the breached ones, in the configuration's order.
  var breached: [String] = []
  /// Alerts that could not be delivered so far.
  var undelivered = 0

  init() {}

  /// - Parameter alive: the last sign of life of the collector. Objectives that it had not looked at by then belong to another
  ///   configuration.
  /// - Throws: `StoreError`.
  init(_ reader: any DashboardSource, alive: WallTime?) throws {
    let objectives = try reader.objectives().filter { objective in
      alive.map { $0 - objective.evaluatedAt < Self.stale } ?? true
    }
    count = objectives.count
    met = objectives.count { $0.verdict == .met }
    breached = objectives.filter { $0.verdict == .breached }.map(\.name)
    undelivered = try reader.undeliveredAlerts()
  }

  /// Longer than the pauses of who looks at them.
  private static let stale = Duration.minutes(2)
}
