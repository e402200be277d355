import Measurement

/// What became of a target's plan so far: the asked, achieved and missed rates are differences of two of these over
/// time.
public struct ScheduleCounts: Sendable, Equatable {
  /// Notifications whose planned instant has come.
  public var due: Int64 = 0
  /// Of these, handed to the transport (and not given back).
  public var sent: Int64 = 0
  /// Of these, failed before they were sent: there was no connection.
  public var failedUnsent: Int64 = 0
  public var missedLag: Int64 = 0
  public var missedInFlight: Int64 = 0
  public var missedRetryAfter: Int64 = 0
  public var missedStopping: Int64 = 0
  public var missedProviderLimit: Int64 = 0
  public var missedCredential: Int64 = 0
  public var missedBackoff: Int64 = 0

  public init() {}

  public var missed: Int64 {
    missedLag + missedInFlight + missedRetryAfter + missedStopping + missedProviderLimit + missedCredential
      + missedBackoff
  }

  mutating func count(_ reason: MissedReason) {
    switch reason {
    case .lag: missedLag += 1
    case .inFlight: missedInFlight += 1
    case .retryAfter: missedRetryAfter += 1
    case .stopping: missedStopping += 1
    case .providerLimit: missedProviderLimit += 1
    case .credential: missedCredential += 1
    case .backoff: missedBackoff += 1
    }
  }
}
