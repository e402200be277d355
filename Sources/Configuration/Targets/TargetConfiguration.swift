/// One thing to measure: a push service, how to reach it, how often, and within which limits.
public struct TargetConfiguration: Sendable, Hashable {
  /// Letters, digits, dots, hyphens and underscores; unique in the file.
  public var name: String
  public var endpoint: Endpoint
  /// PEM of the authorities to trust instead of the system's.
  public var caFile: String?
  public var schedule: ScheduleConfiguration
  /// Beyond so many unanswered, a planned notification is missed.
  public var maxInFlight: Int
  /// Planned this long ago and not sent: missed.
  public var maxLag: Duration
  /// How long an answer may take.
  public var timeout: Duration
  /// How long a receipt may take; `nil` when none is expected.
  public var receiptDeadline: Duration?
  /// How to go on while the service is in trouble; `nil`: as if nothing had been.
  public var backoff: BackoffConfiguration?
  /// What the probes differ in, in the order in which they take turns; never empty.
  public var variants: [TargetVariant]
  /// Of the first variant; all have the same provider, endpoint and credentials.
  public var settings: ProviderSettings
  /// For messages.
  public var places = TargetLocations()

  public var provider: ProviderKind { settings.kind }

  public init(
    name: String, endpoint: Endpoint, caFile: String? = nil, schedule: ScheduleConfiguration = .gentle,
    maxInFlight: Int = 1000, maxLag: Duration = .seconds(1), timeout: Duration = .seconds(10),
    receiptDeadline: Duration? = nil, settings: ProviderSettings
  ) {
    self.name = name
    self.endpoint = endpoint
    self.caFile = caFile
    self.schedule = schedule
    self.maxInFlight = maxInFlight
    self.maxLag = maxLag
    self.timeout = timeout
    self.receiptDeadline = receiptDeadline
    self.settings = settings
    backoff = BackoffConfiguration.usual(of: settings.kind)
    variants = [TargetVariant(settings: settings)]
  }
}
