import HTTPClient
import Measurement
import Providers

/// Everything the timing thread needs to know of one target of a run.
public struct TransportTarget: Sendable {
  public var id: TargetID
  /// One a variant, in their order; never empty. Sequence number n goes by the one at (n − 1) modulo their number, so
  /// that variants interleave and each is seen equally often.
  public var providers: [any Provider]
  /// The store's numbers for the variants, one for each of ``providers``; empty for a target that has none.
  public var variants: [VariantID]
  /// Signs notification ids for receipts; `nil` when none are served.
  public var authenticator: ReceiptAuthenticator?
  public var arrivals: ArrivalProcess
  public var limits: ScheduleLimits
  /// How long an answer may take, connecting included.
  public var timeout: Duration
  /// PEM of the authorities to trust instead of the system's.
  public var caFile: String?
  /// What we show the peer of ourselves; `nil` for nothing.
  public var clientCertificate: ClientCertificate?
  /// How long to be silent where the provider says "too much" without saying how long.
  public var unspecifiedRetryDelay: UnspecifiedRetryDelay
  /// How to go on after errors of the service; `nil`: as if nothing had been.
  public var backoff: ErrorBackoff?
  public var credential: CredentialOwnership
  /// What a person can do about a refusal with this status and reason.
  public var advice: @Sendable (_ status: Int, _ reason: String) -> String
  /// Most streams we open at once on the connection, whatever the peer would take.
  public var maximumStreams: Int
  /// How often each HTTP/2 connection is asked for its round trip by PING; `nil`: never.
  public var pathProbe: Duration?
  /// The seed of the arrivals and of all jitter.
  public var seed: UInt64
  /// Which of the target's configurations in this run it is, from 0.
  public var generation = 0
  /// Whether only global unicast addresses may be connected to.
  public var isGlobalOnly = false

  public init(
    id: TargetID, providers: [any Provider], variants: [VariantID] = [],
    authenticator: ReceiptAuthenticator? = nil, arrivals: ArrivalProcess,
    limits: ScheduleLimits = ScheduleLimits(), timeout: Duration = .seconds(10), caFile: String? = nil,
    clientCertificate: ClientCertificate? = nil, unspecifiedRetryDelay: UnspecifiedRetryDelay = .afterTooMany,
    backoff: ErrorBackoff? = nil, credential: CredentialOwnership = .fixed,
    advice: @escaping @Sendable (_ status: Int, _ reason: String) -> String = { _, _ in "" },
    maximumStreams: Int = 1000, pathProbe: Duration? = nil, seed: UInt64
  ) {
    self.id = id
    self.providers = providers
    self.variants = variants
    self.authenticator = authenticator
    self.arrivals = arrivals
    self.limits = limits
    self.timeout = timeout
    self.caFile = caFile
    self.clientCertificate = clientCertificate
    self.unspecifiedRetryDelay = unspecifiedRetryDelay
    self.backoff = backoff
    self.credential = credential
    self.advice = advice
    self.maximumStreams = maximumStreams
    self.pathProbe = pathProbe
    self.seed = seed
  }
}

/// Who keeps the credential that a target's providers hold.
public enum CredentialOwnership: Sendable, Hashable {
  /// Nobody: it stays what it is during a run. When it is refused there is silence, and then one notification tries it again
  /// (``CredentialCircuitBreaker``).
  case fixed
  /// When it is refused, nothing is sent until there is another one (``TimingThread/replaceProviders(_:of:serial:generation:)``) or it
  /// is to be tried again (``TimingThread/tryCredentialAgain(of:generation:)``).
  case kept
  /// The credential is kept as with ``kept``, but the first one has yet to come: nothing is sent before.
  case awaited
}

/// A target's providers with a credential in them.
public struct CredentialedProviders: Sendable {
  public var providers: [any Provider]
  /// The credential's number, from 1; `nil` when it is still the same one.
  public var serial: Int?

  public init(providers: [any Provider], serial: Int?) {
    self.providers = providers
    self.serial = serial
  }
}
