import Measurement

/// The part at fault: the values of the `cause` column.
public enum Cause: Sendable, Hashable, Codable {
  /// This host: it sent late.
  case host
  /// What all providers' connections share.
  case uplink
  /// Opening connections to a provider.
  case connecting
  /// The way to one provider.
  case path
  case providerProcessing
  case providerDelivery
  case providerLoss
  case providerErrors
  case throttled
  case credentials
  /// Our listener, or the way of receipts to it.
  case receipts
  case device
  case deviceAsleep
  /// An undecided cause; the value says what is undecided.
  case undecided(String)

  public var text: String {
    switch self {
    case .host: "host"
    case .uplink: "uplink"
    case .connecting: "connecting"
    case .path: "path"
    case .providerProcessing: "provider-processing"
    case .providerDelivery: "provider-delivery"
    case .providerLoss: "provider-loss"
    case .providerErrors: "provider-errors"
    case .throttled: "throttled"
    case .credentials: "credentials"
    case .receipts: "receipts"
    case .device: "device"
    case .deviceAsleep: "device-asleep"
    case .undecided(let between): "undecided: \(between)"
    }
  }

  public var isDecided: Bool {
    if case .undecided = self { false } else { true }
  }
}

/// A cause with what speaks for it.
public struct Verdict: Sendable, Hashable, Codable {
  public var cause: Cause
  /// The provider, device or target that the cause names; `nil` for this host and what all share.
  public var scope: String?
  /// One clause in words and numbers.
  public var evidence: String
  /// What would decide an undecided one.
  public var wouldDecide: String?
  /// The names of the targets it concerns, ascending.
  public var targets: [String]
  /// Counts of refusals, in the order of ``targets``; `nil` unless the finding is about refusals.
  public var refusals: [Refusals.Count]?
  /// What sentences about it say; `nil` where an earlier version wrote it.
  public var facts: CauseDetails?

  public init(
    cause: Cause, scope: String?, evidence: String, wouldDecide: String?, targets: [String],
    refusals: [Refusals.Count]? = nil, facts: CauseDetails? = nil
  ) {
    self.facts = facts
    self.refusals = refusals
    self.cause = cause
    self.scope = scope
    self.evidence = evidence
    self.wouldDecide = wouldDecide
    self.targets = targets
  }
}
