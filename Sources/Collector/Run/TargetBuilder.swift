import Configuration
import HTTPClient
import Measurement
import Providers
import Store
import Transport

/// Builds what a run needs of one selected target from its configuration, and finds what is wrong with it before anything is
/// sent.
struct TargetBuilder: Sendable {
  var configuration: TargetConfiguration
  var arrivals: ArrivalProcess
  var limits: ScheduleLimits
  /// The contents of the files that the credentials were read from.
  let contents: CredentialContents
  private let credentials: TargetCredentials
  /// Where the collector receives the target's notifications itself.
  private let service: (any SubscribableService)?

  /// - Throws: ``TargetCredentialError`` for an unusable credential, ``CollectorError`` for a schedule above a documented
  ///   limit.
  init(_ configuration: TargetConfiguration, options: CollectorOptions) throws {
    self.configuration = configuration
    var schedule = configuration.schedule
    if let rate = options.rate { schedule.rate = rate }
    arrivals = schedule.process
    let documented = options.allowsAboveProviderLimit ? [] : Self.documentedLimits(of: configuration)
    limits = ScheduleLimits(
      maxInFlight: configuration.maxInFlight, maxLag: configuration.maxLag, count: options.count,
      duration: options.duration, provider: documented)
    // Before the credentials: a file that is replaced in between is noticed afterwards.
    contents = CredentialContents(of: configuration.credentialFiles)
    credentials = try TargetCredentials(reading: configuration)
    if let topic = try credentials.ntfySubscription() {
      service = NtfyTopic(subscription: topic)
    } else {
      let identities = AutopushIdentityFile(besideStore: options.storePath, target: configuration.name)
      service = credentials.autopushAgent(identities)
    }
    // Finds settings that the provider does not accept; the token is not checked.
    _ = try credentials.providers(token: "none")
    let exceeded =
      options.allowsAboveProviderLimit ? [] : Self.exceededLimits(of: configuration, rate: arrivals.rate)
    guard exceeded.isEmpty else {
      let limits = exceeded.map(\.description).joined(separator: ", and ")
      throw CollectorError(
        .providerLimit,
        "target \(configuration.name): the schedule asks for \(FrequencyText.text(arrivals.rate.perSecond)), and \(limits); "
          + "give it a lower rate, or --allow-above-provider-limit")
    }
  }

  /// Those of a configuration that the options select, all of them or the errors of all of them, so that one start shows
  /// every error.
  /// - Parameter now: when their credentials are to be valid.
  /// - Throws: ``CollectorError``, `FileReadError`.
  static func selected(
    from configuration: PushscopeConfiguration, options: CollectorOptions, at now: WallTime
  ) throws -> [TargetBuilder] {
    let known = configuration.targets
    // A device that is named may still join.
    let isComplete = configuration.devices == nil || options.isLimited
    for name in options.targetNames where isComplete && !known.contains(where: { $0.name == name }) {
      let names = known.map(\.name).joined(separator: ", ")
      throw CollectorError(
        .unknownTarget, "\(configuration.file) has no target named \"\(name)\"; it has: \(names)")
    }
    let selected = chosen(from: configuration, options: options)
    var builders: [TargetBuilder] = []
    var problems: [any Error] = []
    for target in selected {
      do {
        let builder = try TargetBuilder(target, options: options)
        try builder.check(at: now)
        builders.append(builder)
      } catch {
        problems.append(error)
      }
    }
    if isComplete, known.isEmpty {
      throw CollectorError(
        .unknownTarget,
        "\(configuration.file) has no targets and no device has joined, so nothing would be sent; start pushscope collect without "
          + "--count and --duration, and invite one")
    }
    guard let first = problems.first else { return builders }
    guard problems.count > 1 else { throw first }
    throw CollectorError(
      (first as? CollectorError)?.code ?? .credentials, problems.map { "\($0)" }.joined(separator: "\n"))
  }

  /// The targets that the options select.
  static func chosen(from configuration: PushscopeConfiguration, options: CollectorOptions)
    -> [TargetConfiguration]
  {
    options.targetNames.isEmpty
      ? configuration.targets : configuration.targets.filter { options.targetNames.contains($0.name) }
  }

  /// The documented limits that the target's schedule exceeds.
  /// - Parameter rate: replaces the schedule's rate.
  static func exceededLimits(of configuration: TargetConfiguration, rate: ArrivalRate? = nil) -> [SendLimit] {
    documentedLimits(of: configuration).filter { $0.isExceeded(by: rate ?? configuration.schedule.rate) }
  }

  /// Checks that its credentials are valid at an instant.
  func check(at now: WallTime) throws(TargetCredentialError) { try credentials.check(at: now) }

  var description: TargetDescription {
    let names = configuration.variants.map(\.name)
    return TargetDescription(
      name: configuration.name, provider: configuration.provider.rawValue,
      receiptDeadline: configuration.receiptDeadline?.microseconds, askedRate: arrivals.rate.perSecond,
      variants: names == [""] ? [] : names, endpoint: configuration.endpoint.origin,
      device: configuration.device)
  }

  func observed(as registration: RegisteredTarget) -> ObservedRun.Target {
    let description = description
    return ObservedRun.Target(
      registration: registration, variants: description.variants, askedRate: description.askedRate,
      receiptDeadline: description.receiptDeadline)
  }

  /// Whether the collector subscribes to the target's messages, which then need a MAC.
  var hearsItself: Bool { service != nil }

  /// - Parameter reportsDisplay: whether its device has reported that it showed a notification.
  func ledgerTarget(id: TargetID, reportsDisplay: Bool) -> LedgerTarget {
    LedgerTarget(
      id: id, receiptDeadline: configuration.receiptDeadline?.microseconds, reportsDisplay: reportsDisplay,
      isSubscribed: hearsItself)
  }

  /// - Parameters:
  ///   - readiness: has the providers of targets whose credentials are renewed.
  ///   - variants: the store's ids, in the order of the description's names.
  func transportTarget(
    id: TargetID, seed: UInt64, authenticator: ReceiptAuthenticator?, readiness: Readiness,
    variants: [VariantID], generation: Int = 0
  ) throws -> TransportTarget {
    var target = TransportTarget(
      id: id, providers: try readiness.providers[id] ?? credentials.providers(token: nil), variants: variants,
      authenticator: configuration.joined.flatMap { authenticator?.device(keyHash: $0.keyHash) }
        ?? authenticator, arrivals: arrivals, limits: limits, timeout: configuration.timeout,
      caFile: configuration.caFile, clientCertificate: clientCertificate,
      backoff: configuration.backoff.map {
        ErrorBackoff(first: $0.first, longest: $0.longest, probeEvery: $0.probeEvery)
      },
      credential: readiness.credential(of: id), advice: advice, pathProbe: configuration.pathProbe,
      seed: seed &+ UInt64(bitPattern: id.rawValue) &+ UInt64(generation) << 48)
    target.generation = generation
    target.isGlobalOnly = configuration.joined?.isGlobalOnly ?? false
    return target
  }

  private var advice: @Sendable (_ status: Int, _ reason: String) -> String {
    { [provider = configuration.provider] in RefusalAdvice.text(provider, status: $0, reason: $1) }
  }

  private var clientCertificate: ClientCertificate? {
    guard case .apnsCertificate(let certificateFile, let keyFile, _) = credentials.kind else { return nil }
    return ClientCertificate(certificateFile: certificateFile, keyFile: keyFile)
  }

  // MARK: Credentials and subscriptions

  /// The credential to renew for the target; `nil` when it uses none that expires.
  func credential(id: TargetID, clock: any HostClock) -> TargetServices.Credential? {
    let client = CredentialRegistry.Client(
      target: id, providers: { [credentials] in (try? credentials.providers(token: $0)) ?? [] },
      advice: advice)
    switch (credentials.kind, configuration.settings) {
    case (.apnsToken(let signer), .apns(let settings)):
      return .init(
        identity: .apns(settings.credentials), source: SignedCredential.apns(signer), rule: .apns,
        client: client)
    case (.vapid(let signer, let origin), .webpush(let settings)):
      return .init(
        identity: .vapid(settings.credentials, origin: origin),
        source: SignedCredential.vapid(signer, origin: origin), rule: .vapid, client: client)
    case (.fcm(let account), .fcm(let settings)):
      return .init(
        identity: .fcm(settings.serviceAccount),
        source: OAuthCredential(
          account: account,
          client: BlockingRequest(caFile: configuration.caFile, timeout: configuration.timeout, clock: clock)),
        rule: .oauth, client: client)
    default: return nil
    }
  }

  /// What to subscribe to, if anything.
  func subscription(
    id: TargetID, seed: UInt64, authenticator: ReceiptAuthenticator?, bootID: String
  ) -> TargetServices.Subscription? {
    guard let service, let authenticator else { return nil }
    var providers: (@Sendable (Bool) -> [any Provider])?
    if credentials.endpoint == nil {
      providers = { [credentials] in (try? credentials.providers(token: nil, isKept: !$0)) ?? [] }
    }
    return TargetServices.Subscription(
      subject: Subscriber.Subject(
        target: id, name: configuration.name, service: service, authenticator: authenticator,
        caFile: configuration.caFile, bootID: bootID,
        seed: seed &+ UInt64(bitPattern: id.rawValue)),
      providers: providers, endpoint: credentials.endpoint)
  }

  // MARK: Limits

  private static func documentedLimits(of target: TargetConfiguration) -> [SendLimit] {
    let host = target.endpoint.host
    switch target.settings {
    case .apns:
      let background = target.variants.count {
        if case .apns(let settings) = $0.settings { settings.pushType == .background } else { false }
      }
      return DocumentedLimits.apns(
        host: host, backgroundShare: Double(background) / Double(max(1, target.variants.count)))
    case .fcm(let settings): return DocumentedLimits.fcm(host: host, validateOnly: settings.validateOnly)
    case .ntfy: return DocumentedLimits.ntfy(host: host)
    case .webpush(let settings):
      guard case .collector(let service) = settings.receiver else { return [] }
      return DocumentedLimits.webPush(service: service)
    case .http, .loopback: return []
    }
  }
}
