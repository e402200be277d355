import Measurement

/// What bounds a target's schedule.
public struct ScheduleLimits: Sendable, Equatable {
  /// Beyond so many sent and unanswered, a due notification is missed.
  public var maxInFlight: Int
  /// A notification not sent so long after its planned instant is missed.
  public var maxLag: Duration
  /// Plan no more than so many; `nil` for no end.
  public var count: Int64?
  /// Plan nothing so long after the start; `nil` for no end.
  public var duration: Duration?
  /// What the provider's documentation allows; beyond it a due notification is missed (`provider_limit`).
  public var provider: [SendLimit]

  public init(
    maxInFlight: Int = 1000, maxLag: Duration = .seconds(1), count: Int64? = nil, duration: Duration? = nil,
    provider: [SendLimit] = []
  ) {
    self.maxInFlight = maxInFlight
    self.maxLag = maxLag
    self.count = count
    self.duration = duration
    self.provider = provider
  }
}
