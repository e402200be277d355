/// The part at fault; the raw value is the text of the `cause` column.
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
  /// The device gets them and does not show them.
  case display
  /// An undecided cause and what it leaves open.
  case undecided(UndecidedReason)
  /// What another version wrote.
  case other(String)

  private static let decided: [Cause] = [
    .host, .uplink, .connecting, .path, .providerProcessing, .providerDelivery, .providerLoss,
    .providerErrors,
    .throttled, .credentials, .receipts, .device, .deviceAsleep, .display,
  ]

  private static let undecided = "undecided: "

  public var isDecided: Bool {
    if case .undecided = self { false } else { true }
  }
}

extension Cause: RawRepresentable, CustomStringConvertible {
  public init(rawValue: String) {
    if rawValue.hasPrefix(Self.undecided) {
      self = .undecided(UndecidedReason(rawValue: String(rawValue.dropFirst(Self.undecided.count))))
    } else {
      self = Self.decided.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }
  }

  public var rawValue: String {
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
    case .display: "display"
    case .undecided(let reason): Self.undecided + reason.rawValue
    case .other(let text): text
    }
  }

  public var description: String { rawValue }
}

/// A cause with what speaks for it.
public struct Verdict: Sendable, Hashable, Codable {
  /// What a provider refused in the stretch that was looked at, and what was not sent to it because of that.
  public struct Refusals: Sendable, Hashable, Codable {
    public var target: String
    /// Answered with a refusal.
    public var refused: Int
    /// Missed for `retry_after`, `backoff`, `provider_limit` or `credential`.
    public var notSent: Int

    public init(target: String, refused: Int, notSent: Int) {
      self.target = target
      self.refused = refused
      self.notSent = notSent
    }
  }

  public var cause: Cause
  /// The provider, device or target that the cause names; `nil` for this host and what all share.
  public var scope: String?
  /// One clause in words and numbers.
  public var evidence: String
  /// What would decide an undecided one.
  public var wouldDecide: String?
  /// The names of the targets it concerns, ascending.
  public var targets: [String]
  /// The refusals, in the order of ``targets``; `nil` unless the finding is about refusals, and where an earlier version wrote it.
  public var refusals: [Refusals]?
  /// What sentences about it say; `nil` where an earlier version wrote it.
  public var facts: CauseDetails?

  public init(
    cause: Cause, scope: String?, evidence: String, wouldDecide: String?, targets: [String],
    refusals: [Refusals]? = nil, facts: CauseDetails? = nil
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
