import Configuration
import Measurement

/// A notification at the device, at the instant it was there.
public struct ScriptedDelivery: Sendable, Equatable {
  public var dialect = ScenarioDialect.apns
  public var index: Int
  public var id: String
  public var receivedAt: MonotonicTime
}
