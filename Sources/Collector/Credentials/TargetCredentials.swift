import Configuration
import Measurement
import Providers

/// What is secret about a target and stays the same during a run, read and checked once, before anything is sent: keys,
/// passwords, device tokens, subscriptions.
public struct TargetCredentials: Sendable {
  /// What tokens are made of, or what is shown in their place.
  public enum Kind: Sendable {
    /// Nothing to show: http, the loopback service, push services that ask for nothing.
    case none
    case apnsToken(APNsTokenSigner)
    /// PEM files of a TLS client certificate.
    case apnsCertificate(certificateFile: String, keyFile: String, facts: CertificateProperties)
    case fcm(ServiceAccount)
    /// The origin is whom a token is for.
    case vapid(VAPIDSigner, origin: String)
    case ntfy(NtfyAuthorization)
  }

  public let kind: Kind
  private let target: TargetConfiguration
  private let deviceToken: String
  private let subscription: PushSubscription?

  /// Reads and checks all of it.
  public init(reading target: TargetConfiguration) throws(TargetCredentialError) {
    let reader = CredentialReader(target: target)
    if let caFile = target.caFile { try reader.authority(caFile) }
    self.target = target
    var deviceToken = ""
    var subscription: PushSubscription?
    switch target.settings {
    case .apns(let settings):
      deviceToken = try reader.line(settings.deviceToken, as: "device_token")
      kind = try reader.apns(settings.credentials)
    case .fcm(let settings):
      deviceToken = try reader.line(
        settings.deviceToken, as: settings.receiver == .fid ? "fid" : "device_token")
      kind = .fcm(
        try reader.parse(settings.serviceAccount, as: "service_account") {
          (bytes) throws(CredentialError) in try ServiceAccount(json: bytes)
        })
    case .webpush(let settings):
      var found = try reader.parse(settings.subscription, as: "subscription") {
        (bytes) throws(CredentialError) in try PushSubscription(json: bytes)
      }
      // The configuration may name another server for the same subscription.
      found.endpoint = target.endpoint.url
      subscription = found
      if let credentials = settings.credentials {
        let signer = try reader.parse(credentials.vapidKey, as: "vapid_key") {
          (bytes) throws(CredentialError) in try VAPIDSigner(keyPEM: bytes, subject: credentials.subject)
        }
        kind = .vapid(signer, origin: target.endpoint.origin)
      } else {
        kind = .none
      }
    case .ntfy(let settings): kind = .ntfy(try reader.ntfy(settings.credentials))
    case .http, .loopback: kind = .none
    }
    self.deviceToken = deviceToken
    self.subscription = subscription
  }

  /// When the browser says that the subscription ends.
  public var subscriptionEnd: WallTime? { subscription?.expiration }

  /// Whether all of it is good at a moment: certificates and subscriptions end.
  public func check(at now: WallTime) throws(TargetCredentialError) {
    if case .apnsCertificate(let file, _, let facts) = kind, let problem = facts.problem(at: now) {
      throw TargetCredentialError(
        target, "certificate_file", "certificate_file: \"\(file)\": \(problem.message)",
        remedy: problem.remedy)
    }
    if let end = subscriptionEnd, end < now {
      let key = target.places.written("subscription")
      throw TargetCredentialError(
        target, key, "\(key): the subscription ended at \(end.rfc3339)",
        remedy: "subscribe again in the browser and save what it gives")
    }
  }

  /// One provider a variant, in the variants' order.
  ///
  /// - Parameter token: for APNs a provider token, for FCM an access token, for Web Push the `Authorization` header's
  ///   value; `nil` for all others.
  /// - Parameter isKept: see ``NtfyProvider``; others have no such thing.
  public func providers(
    token: String?, isKept: Bool = false
  ) throws(TargetCredentialError) -> [any Provider] {
    var providers: [any Provider] = []
    for variant in target.variants {
      do throws(ProviderError) {
        providers.append(try provider(for: variant.settings, token: token, isKept: isKept))
      } catch {
        throw refusal(error)
      }
    }
    return providers
  }

  /// The stream in which the target's own messages come back; `nil` when the configuration asks for none.
  public func ntfySubscription() throws(TargetCredentialError) -> NtfySubscription? {
    guard case .ntfy(let settings) = target.settings, settings.subscribe else { return nil }
    do throws(ProviderError) {
      return try NtfySubscription(
        origin: target.endpoint.origin, topic: settings.topic, authorization: ntfyAuthorization)
    } catch {
      throw refusal(error)
    }
  }

  /// Names the key as the configuration has it.
  private func refusal(_ error: ProviderError) -> TargetCredentialError {
    let key = target.places.written(error.setting)
    return TargetCredentialError(target, key, "\(key) \(error.message)", remedy: error.remedy)
  }

  private var ntfyAuthorization: NtfyAuthorization {
    if case .ntfy(let authorization) = kind { authorization } else { .none }
  }

  private func provider(
    for settings: ProviderSettings, token: String?, isKept: Bool
  ) throws(ProviderError) -> any Provider {
    let origin = target.endpoint.origin
    switch settings {
    case .apns(let settings):
      return try apns(settings, origin: origin, token: token)
    case .fcm(let settings):
      guard case .fcm(let account) = kind else { throw Self.mixed }
      return try FCMProvider(
        origin: origin, projectID: account.projectID, deviceToken: deviceToken,
        receiver: FCMReceiver(rawValue: settings.receiver.rawValue) ?? .token,
        priority: FCMPriority(rawValue: settings.priority.rawValue) ?? .high, ttl: settings.ttl,
        validateOnly: settings.validateOnly, payloadBytes: settings.payloadBytes, accessToken: token ?? "")
    case .webpush(let settings):
      guard let subscription else { throw Self.mixed }
      return try WebPushProvider(
        subscription: subscription, ttl: settings.ttl,
        urgency: WebPushUrgency(rawValue: settings.urgency.rawValue) ?? .high, topic: settings.topic,
        payloadBytes: settings.payloadBytes, authorization: token)
    case .ntfy(let settings):
      return try NtfyProvider(
        origin: origin, topic: settings.topic, priority: settings.priority, authorization: ntfyAuthorization,
        payloadBytes: settings.payloadBytes, isKept: isKept)
    case .http(let settings):
      if let bytes = settings.payloadBytes {
        try HTTPProvider.check(body: settings.body ?? [], payloadBytes: bytes)
      }
      return HTTPProvider(
        url: target.endpoint.url, method: settings.method.rawValue,
        headers: settings.headers.map { HeaderField($0.name, $0.value.exposed) }, body: settings.body ?? [],
        payloadBytes: settings.payloadBytes, success: settings.success.ranges,
        // The host is told in every message.
        secrets: settings.environmentValues.map(\.exposed).filter { !origin.contains($0.lowercased()) })
    case .loopback(let settings):
      return LoopbackProvider(
        origin: origin, topic: settings.topic, pushType: settings.pushType.rawValue,
        priority: settings.priority, expiration: settings.expiration, payloadBytes: settings.payloadBytes)
    }
  }

  private func apns(
    _ settings: APNsSettings, origin: String, token: String?
  ) throws(ProviderError) -> APNsProvider {
    let expiration: APNsExpiration =
      switch settings.expiration {
      case .once: .once
      case .at(let seconds): .at(seconds)
      case .after(let duration): .after(duration)
      }
    let authorization: APNsAuthorization
    if case .apnsCertificate = kind {
      authorization = .certificate
    } else if let token {
      authorization = .bearer(token)
    } else {
      throw ProviderError("credentials", "have given no token yet", remedy: "make one first")
    }
    return try APNsProvider(
      origin: origin, deviceToken: deviceToken, topic: settings.topic,
      pushType: APNsPushType(rawValue: settings.pushType.rawValue) ?? .alert, priority: settings.priority,
      expiration: expiration, collapseID: settings.collapseID, payloadBytes: settings.payloadBytes,
      authorization: authorization)
  }

  /// All variants of a target have one provider; the configuration sees to it.
  private static let mixed = ProviderError(
    "provider", "differs between a target's variants", remedy: "describe two targets")
}
