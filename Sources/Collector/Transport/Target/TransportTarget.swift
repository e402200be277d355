import Measurement
import Providers

/// Everything the timing thread needs to know of one target of a run.
public struct TransportTarget: Sendable {
  public var id: TargetID
  public var provider: any Provider
  /// Signs notification ids for receipts; `nil` when none are served.
  public var authenticator: ReceiptAuthenticator?
  public var arrivals: ArrivalProcess
  public var limits: ScheduleLimits
  /// How long an answer may take, connecting included.
  public var timeout: Duration
  /// PEM of the authorities to trust instead of the system's.
  public var caFile: String?
  /// Most streams we open at once on the connection, whatever the peer would take.
  public var maximumStreams: Int
  /// Of the arrivals and of the reconnect jitter.
  public var seed: UInt64

  public init(
    id: TargetID, provider: any Provider, authenticator: ReceiptAuthenticator? = nil,
    arrivals: ArrivalProcess, limits: ScheduleLimits = ScheduleLimits(), timeout: Duration = .seconds(10),
    caFile: String? = nil, maximumStreams: Int = 1000, seed: UInt64
  ) {
    self.id = id
    self.provider = provider
    self.authenticator = authenticator
    self.arrivals = arrivals
    self.limits = limits
    self.timeout = timeout
    self.caFile = caFile
    self.maximumStreams = maximumStreams
    self.seed = seed
  }
}
