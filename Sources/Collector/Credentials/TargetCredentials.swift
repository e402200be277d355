import Configuration
import Measurement
import Providers

/// The secrets of a target that do not change during a run: keys, passwords, device tokens, subscriptions. They are read and
/// checked once, before anything is sent.
struct TargetCredentials: Sendable {
  /// What tokens are made from, or what is used instead.
  enum Kind: Sendable {
    /// No credential: http, the loopback service, push services without authentication.
    case none
    case apnsToken(APNsTokenSigner)
    /// PEM files of a TLS client certificate.
    case apnsCertificate(certificateFile: String, keyFile: String, properties: CertificateProperties)
    case fcm(ServiceAccount)
    /// Tokens are valid for the origin.
    case vapid(VAPIDSigner, origin: String)
    case ntfy(NtfyAuthorization)
  }

  let kind: Kind
  private let target: TargetConfiguration
  private let deviceToken: String
  private let subscription: PushSubscription?
  /// Where the notifications of a target go that the collector receives as a user agent; `nil` for any other.
  let endpoint: SubscribedEndpoint?

  /// Reads and checks the secrets.
  init(reading target: TargetConfiguration) throws(TargetCredentialError) {
    let reader = CredentialReader(target: target)
    if let caFile = target.caFile { try reader.authority(caFile) }
    self.target = target
    var deviceToken = ""
    var subscription: PushSubscription?
    var endpoint: SubscribedEndpoint?
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
      switch settings.receiver {
      case .subscription(let reference):
        subscription = try reader.parse(reference, as: "subscription") {
          (bytes) throws(CredentialError) in try PushSubscription(json: bytes)
        }
        // The configuration's endpoint may differ, as for a local service.
        subscription?.endpoint = target.endpoint.url
      case .collector: endpoint = SubscribedEndpoint(origin: target.endpoint.origin)
      }
      if let credentials = settings.credentials {
        if subscription?.isAtApple == true, !WebPushDialect.isSubjectForApple(credentials.subject) {
          throw TargetCredentialError(
            target, "subject",
            "subject \(credentials.subject.debugDescription) is not valid for Apple's push service, which takes no local host",
            remedy: "write mailto:you@your.domain or https://your.domain")
        }
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
    self.endpoint = endpoint
  }

  /// The subscription's expiration, if the browser gave one.
  var subscriptionEnd: WallTime? { subscription?.expiration }

  /// Checks that certificate and subscription are valid at an instant.
  func check(at now: WallTime) throws(TargetCredentialError) {
    if case .apnsCertificate(let file, _, let properties) = kind, let problem = properties.problem(at: now) {
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

  /// Makes one provider per variant, in their order.
  /// - Parameters:
  ///   - token: for APNs a provider token, for FCM an access token, for Web Push the value of the `Authorization` header;
  ///     `nil` for all others.
  ///   - isKept: see ``NtfyProvider``; others ignore it.
  func providers(
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

  /// The collector as the user agent that receives a Web Push target's notifications; `nil` when the configuration does not ask
  /// for it.
  /// - Parameter identities: where it is stored who the user agent is.
  func autopushAgent(_ identities: AutopushIdentityFile) -> AutopushAgent? {
    guard case .webpush(let settings) = target.settings, case .collector(let service) = settings.receiver,
      let endpoint
    else { return nil }
    var senderKey: String?
    if case .vapid(let signer, _) = kind { senderKey = signer.publicKey }
    return AutopushAgent(service: service, senderKey: senderKey, endpoint: endpoint, identities: identities)
  }

  /// The subscription to the target's own messages; `nil` when the configuration does not ask for it.
  func ntfySubscription() throws(TargetCredentialError) -> NtfySubscription? {
    guard case .ntfy(let settings) = target.settings, settings.subscribe else { return nil }
    do throws(ProviderError) {
      return try NtfySubscription(
        origin: target.endpoint.origin, topic: settings.topic, authorization: ntfyAuthorization)
    } catch {
      throw refusal(error)
    }
  }

  /// Names the key as the configuration writes it.
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
        receiver: settings.receiver, priority: settings.priority, ttl: settings.ttl,
        validateOnly: settings.validateOnly, payloadBytes: settings.payloadBytes, accessToken: token ?? "")
    case .webpush(let settings):
      func make(_ subscription: PushSubscription) throws(ProviderError) -> WebPushProvider {
        try WebPushProvider(
          subscription: subscription, ttl: settings.ttl,
          urgency: settings.urgency, topic: settings.topic,
          payloadBytes: settings.payloadBytes, authorization: token)
      }
      if let endpoint {
        return try SubscribedProvider(to: endpoint, awayTTL: target.receiptDeadline ?? .seconds(30), make)
      }
      guard let subscription else { throw Self.mixed }
      return try make(subscription)
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
        // Error messages name the host, which is therefore not a secret.
        secrets: settings.environmentValues.map(\.exposed).filter { !origin.contains($0.lowercased()) })
    case .loopback(let settings):
      return LoopbackProvider(
        origin: origin,
        deviceToken: target.device.map(LoopbackDevice.token) ?? LoopbackProvider.defaultDeviceToken,
        topic: settings.topic, pushType: settings.pushType,
        priority: settings.priority, expiration: settings.expiration, payloadBytes: settings.payloadBytes)
    }
  }

  private func apns(
    _ settings: APNsSettings, origin: String, token: String?
  ) throws(ProviderError) -> APNsProvider {
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
      pushType: settings.pushType, priority: settings.priority, expiration: settings.expiration,
      collapseID: settings.collapseID, payloadBytes: settings.payloadBytes,
      authorization: authorization)
  }

  /// Not reachable: the configuration gives all variants of a target one provider.
  private static let mixed = ProviderError(
    "provider", "differs between a target's variants", remedy: "describe two targets")
}

/// Reads the secrets of one target; its errors name the key of an unusable one.
struct CredentialReader {
  let target: TargetConfiguration

  /// - Parameter name: the key without `_file`.
  func bytes(_ reference: SecretReference, as name: String) throws(TargetCredentialError) -> [UInt8] {
    let key = reference.key(name)
    do throws(FileReadError) {
      return try reference.read()
    } catch {
      throw TargetCredentialError(target, key, "\(key): \(error.message)", remedy: error.remedy)
    }
  }

  func parse<Result>(
    _ reference: SecretReference, as name: String,
    _ parse: ([UInt8]) throws(CredentialError) -> Result
  ) throws(TargetCredentialError) -> Result {
    let bytes = try bytes(reference, as: name)
    let key = reference.key(name)
    do throws(CredentialError) {
      return try parse(bytes)
    } catch {
      throw TargetCredentialError(
        target, key, "\(key): \(reference) \(error.message)", remedy: error.remedy)
    }
  }

  /// A secret for a header or a URL: printable ASCII without spaces.
  func line(_ reference: SecretReference, as what: String) throws(TargetCredentialError) -> String {
    try parse(reference, as: what) { (bytes) throws(CredentialError) in
      guard !bytes.isEmpty, bytes.count <= 8192, bytes.allSatisfy(ASCII.isVisible) else {
        throw CredentialError(
          .malformed, "is not a single line of printable characters without spaces",
          remedy: "write only the \(what) into it")
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func apns(
    _ credentials: APNsSettings.Credentials
  ) throws(TargetCredentialError) -> TargetCredentials.Kind {
    switch credentials {
    case .token(let signingKey, let keyID, let teamID):
      return .apnsToken(
        try parse(signingKey, as: "signing_key") { (bytes) throws(CredentialError) in
          try APNsTokenSigner(keyPEM: bytes, keyID: keyID, teamID: teamID)
        })
    case .certificate(let certificateFile, let privateKeyFile):
      let properties = try plain(PlainFile(path: certificateFile), as: "certificate_file") {
        (bytes) throws(CredentialError) in try CertificateProperties(pem: bytes)
      }
      try parse(.file(privateKeyFile), as: "private_key") { (bytes) throws(CredentialError) in
        try properties.check(keyPEM: bytes)
      }
      return .apnsCertificate(
        certificateFile: certificateFile, keyFile: privateKeyFile.path, properties: properties)
    }
  }

  /// Checks the file of authorities that replaces the system's.
  func authority(_ path: String) throws(TargetCredentialError) {
    try plain(PlainFile(path: path, maximumBytes: 1024 * 1024), as: "ca_file") {
      (bytes) throws(CredentialError) in try CertificateProperties.checkAuthority(pem: bytes)
    }
  }

  /// A file without a secret.
  private func plain<Result>(
    _ file: PlainFile, as what: String, _ parse: ([UInt8]) throws(CredentialError) -> Result
  ) throws(TargetCredentialError) -> Result {
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try file.read()
    } catch {
      throw TargetCredentialError(target, what, "\(what): \(error.message)", remedy: error.remedy)
    }
    do throws(CredentialError) {
      return try parse(bytes)
    } catch {
      throw TargetCredentialError(
        target, what, "\(what): \"\(file.path)\" \(error.message)", remedy: error.remedy)
    }
  }

  func ntfy(
    _ credentials: NtfySettings.Credentials
  ) throws(TargetCredentialError) -> NtfyAuthorization {
    switch credentials {
    case .anonymous: return .none
    case .token(let token): return .token(try line(token, as: "token"))
    case .basic(let username, let password):
      return .basic(
        username: username,
        password: String(decoding: try bytes(password, as: "password"), as: UTF8.self))
    }
  }
}

/// An unusable credential, device token or subscription. Nothing has been sent then.
public struct TargetCredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The target's name.
  public var target: String
  /// The position of the setting in the configuration.
  public var place: FilePosition?
  /// What is wrong and where; never the content.
  public var message: String
  public var remedy: String

  /// - Parameter setting: the key that names it, like `signing_key`, with or without `_file`.
  init(_ target: TargetConfiguration, _ setting: String, _ message: String, remedy: String) {
    self.target = target.name
    place = target.places.place(of: setting)
    self.message = message
    self.remedy = remedy
  }

  /// `file:line:column: key: what is wrong`, without the target.
  var placedMessage: String { "\(beginning)\(message)" }

  /// `file:line:column: target name: key: what is wrong; what to do`.
  public var description: String { "\(beginning)target \(target): \(message); \(remedy)" }

  private var beginning: String { place.map { "\($0): " } ?? "" }
}
