import Configuration
import Measurement

/// What one run of the collector shall do, beside the configuration: the command's options.
public struct CollectorOptions: Sendable {
  public var storePath: String
  public var runName: String?
  /// Which of the configuration's targets; empty for all.
  public var targetNames: [String]
  /// In place of each selected target's own schedule rate.
  public var rate: ArrivalRate?
  /// Plan no more than so many, per target.
  public var count: Int64?
  /// Plan nothing after so long, per target.
  public var duration: Duration?
  /// Whether to send faster than a provider's documentation allows.
  public var allowsAboveProviderLimit: Bool
  /// How long a run waits for what has to come over the network before it can begin: access tokens, subscriptions.
  public var patience: Duration
  /// How long a stop waits for what is under way, at most.
  public var drain: Duration

  public init(
    storePath: String, runName: String? = nil, targetNames: [String] = [], rate: ArrivalRate? = nil,
    count: Int64? = nil, duration: Duration? = nil, allowsAboveProviderLimit: Bool = false,
    patience: Duration = .seconds(30), drain: Duration = .seconds(60)
  ) {
    self.storePath = storePath
    self.runName = runName
    self.targetNames = targetNames
    self.rate = rate
    self.count = count
    self.duration = duration
    self.allowsAboveProviderLimit = allowsAboveProviderLimit
    self.patience = patience
    self.drain = drain
  }
}
