import Measurement

/// A metric's figures: over all notifications, and over those that waited for a connection to be opened.
public struct MetricSummary: Sendable, Equatable {
  public typealias Figure = ValueSummary.Figure

  public let metric: Metric
  public let all: ValueSummary
  /// Of requests that opened a connection; `nil` when none did.
  public let fresh: ValueSummary?

  public var share: ShareOfPlanned { all.share }
  /// µs; `nil` without values.
  public var minimum: Int64? { all.minimum }
  public var maximum: Int64? { all.maximum }
  /// Whether the figures come from all values or from a histogram of three significant digits.
  public var isExact: Bool { all.isExact }
  public var figures: [Figure] { all.figures }
}
