import Measurement
import Store

/// What became of the notifications of one target and variant.
public struct GroupSummary: Sendable, Equatable {
  /// Empty where a target has none.
  public let variant: String
  public let counts: StateTally
  /// Further receipts with ids heard before.
  public let duplicates: Int
  /// Received after a later sequence number.
  public let outOfOrder: Int
  /// Requests that opened a connection, and waited for it.
  public let onFreshConnections: Int
  /// Planned to sent, of all that were sent, whatever became of them.
  public let scheduleLag: ValueSummary
  /// `service` and `accept`, and `delivery` where receipts are expected or came.
  public let metrics: [MetricSummary]
  /// `nil` when nothing was delivered.
  public let deliveryErrors: DeliveryErrorSummary?
}
