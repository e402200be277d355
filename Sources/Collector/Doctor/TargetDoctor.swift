import Configuration
import HTTPClient
import Measurement
import Providers
import Transport

/// Checks one target in the order in which a run uses it, up to the first check that fails.
public struct TargetDoctor: Sendable {
  private let target: TargetConfiguration
  /// The target as a run would use it.
  private let configured: TargetConfiguration
  private let clock: any HostClock
  private let sends: Bool

  /// The longest wait for the peer, per check.
  static let timeout = Duration.seconds(10)

  /// - Parameter sends: also sends one notification, which FCM only validates.
  public init(_ target: TargetConfiguration, clock: any HostClock, sends: Bool) {
    configured = target
    self.target = sends ? Self.validating(target) : target
    self.clock = clock
    self.sends = sends
  }

  /// Runs the checks. Blocks while name servers and peers answer.
  public func examine(_ report: (DoctorFinding) -> Void) {
    for limit in TargetBuilder.exceededLimits(of: configured) {
      let rate = FrequencyText.text(configured.schedule.rate.perSecond)
      report(
        finding(
          .misconfigured, "rate", "the schedule asks for \(rate), and \(limit)",
          remedy: "give it a lower rate; collect refuses it without --allow-above-provider-limit"))
    }
    let credentials: TargetCredentials
    do {
      credentials = try TargetCredentials(reading: target)
      report(try keyFinding(credentials))
      if case .apnsCertificate(_, _, let certificate) = credentials.kind {
        for finding in certificateFindings(certificate) { report(finding) }
      }
    } catch {
      return report(
        DoctorFinding(
          .misconfigured, target.name, "key", error.placedMessage, remedy: error.remedy))
    }
    if isLikelyDowngraded {
      report(
        finding(
          .note, "priority", "Google delivers high priority as normal if the app shows no notification",
          remedy: "let the app show a notification for each probe, or measure priority: normal"))
    }
    if case .webpush(let settings) = target.settings, case .collector(let service) = settings.receiver {
      guard subscribes(at: service, report) else { return }
    }
    guard resolves(report), connects(credentials, report) else { return }
    if sends { send(credentials, report) }
  }

  /// Data messages with high priority: Google delivers them as normal unless the app shows a notification.
  private var isLikelyDowngraded: Bool {
    configured.variants.contains {
      if case .fcm(let settings) = $0.settings {
        settings.priority == .high && !settings.validateOnly
      } else {
        false
      }
    }
  }

  private func finding(
    _ level: DoctorFinding.Level, _ step: String, _ message: String, remedy: String = ""
  ) -> DoctorFinding {
    DoctorFinding(level, target.name, step, message, remedy: remedy)
  }

  /// Makes FCM validate the probe only, so that no device receives it.
  private static func validating(_ target: TargetConfiguration) -> TargetConfiguration {
    guard case .fcm(var settings) = target.settings else { return target }
    settings.validateOnly = true
    var target = target
    target.settings = .fcm(settings)
    target.variants = [TargetVariant(settings: .fcm(settings))]
    return target
  }

  // MARK: Credentials

  private func keyFinding(_ credentials: TargetCredentials) throws(TargetCredentialError) -> DoctorFinding {
    // Builds every variant's request once, to find those that cannot be built.
    _ = try credentials.providers(token: try signedToken(credentials) ?? "probe")
    try credentials.check(at: clock.wallNow())
    return finding(.fine, "key", Self.description(of: credentials.kind))
  }

  private static func description(of kind: TargetCredentials.Kind) -> String {
    switch kind {
    case .none: "no credentials are needed"
    case .apnsToken: "the signing key makes provider tokens"
    case .apnsCertificate(_, _, let certificate):
      "the certificate of \(certificate.commonName) and its key are valid until \(certificate.ends.rfc3339)"
    case .fcm(let account): "\(account.clientEmail) signs for project \(account.projectID)"
    case .vapid(let signer, _): "the VAPID key signs; its public key is \(signer.publicKey)"
    case .ntfy(.none): "no credentials are configured; the topic must allow anonymous access"
    case .ntfy(.token): "an access token is configured"
    case .ntfy(.basic(let username, _)): "a password for \(username) is configured"
    }
  }

  private static let soon = Duration.seconds(30 * 24 * 3600)

  /// What is wrong about a valid certificate for this target.
  private func certificateFindings(_ certificate: CertificateProperties) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    let left = certificate.ends - clock.wallNow()
    if left < Self.soon {
      findings.append(
        finding(
          .note, "certificate", "it expires in \(CountText.text(Int64(left / .days(1)), "day"))",
          remedy: "get a new one from Apple's developer site in time"))
    }
    let host = target.endpoint.host
    if host == "api.push.apple.com", certificate.isForSandbox, !certificate.isForProduction {
      findings.append(
        finding(
          .misconfigured, "certificate", "it is for the sandbox only",
          remedy: "use it with https://api.sandbox.push.apple.com, or make a production certificate"))
    }
    if host == "api.sandbox.push.apple.com", certificate.isForProduction, !certificate.isForSandbox {
      findings.append(
        finding(
          .misconfigured, "certificate", "it is for production only",
          remedy: "use it with https://api.push.apple.com, or make a sandbox certificate"))
    }
    if case .apns(let settings) = target.settings, let topic = settings.topic,
      let bundleID = certificate.bundleID,
      topic != bundleID
    {
      findings.append(
        finding(
          .misconfigured, "certificate", "it is for the app \(bundleID), and the topic is \(topic)",
          remedy: "set topic to the certificate's app, or use the other app's certificate"))
    }
    return findings
  }

  /// The token that is signed on this machine, if any.
  private func signedToken(_ credentials: TargetCredentials) throws(TargetCredentialError) -> String? {
    do throws(CredentialError) {
      switch credentials.kind {
      case .apnsToken(let signer): return try signer.token(issuedAt: clock.wallNow())
      case .vapid(let signer, let origin):
        return try signer.authorization(for: origin, issuedAt: clock.wallNow())
      case .fcm(let account):
        _ = try account.tokenRequest(issuedAt: clock.wallNow())
        return nil
      case .none, .apnsCertificate, .ntfy: return nil
      }
    } catch {
      throw TargetCredentialError(target, "credentials", "the key \(error.message)", remedy: error.remedy)
    }
  }

  // MARK: Subscription

  /// Whether the push service takes the collector for a user agent.
  private func subscribes(at service: Endpoint, _ report: (DoctorFinding) -> Void) -> Bool {
    report(
      finding(
        .fine, "measures",
        "from the push service up to a client that is connected to it: this collector; no radio and no battery of a device"
      ))
    let greeting = AutopushGreeting(
      service: service, caFile: target.caFile, clock: clock, timeout: min(target.timeout, Self.timeout))
    switch greeting.attempt() {
    case .success(let took):
      report(
        finding(
          .fine, "subscription",
          "the push service at \(service.authority) answers hello in \(LatencyText.text(took.microseconds))"))
      return true
    case .failure(let loss):
      report(
        finding(
          .unreachable, "subscription", loss.reason,
          remedy:
            "check that \(service.authority) is the WebSocket of a push service for browsers, and ca_file"))
      return false
    }
  }

  // MARK: Connection

  private func resolves(_ report: (DoctorFinding) -> Void) -> Bool {
    let host = target.endpoint.host
    switch NameLookup.addresses(of: host) {
    case .success(let addresses):
      report(finding(.fine, "dns", "\(host) is at \(ListText.first(4, of: addresses))"))
      return true
    case .failure(let failure):
      report(
        finding(
          .unreachable, "dns", "\(host) cannot be looked up: \(failure.message)",
          remedy: "check the endpoint's spelling and this machine's name server (/etc/resolv.conf)"))
      return false
    }
  }

  private func probe(_ credentials: TargetCredentials) -> PeerProbe {
    var certificate: ClientCertificate?
    if case .apnsCertificate(let file, let key, _) = credentials.kind {
      certificate = ClientCertificate(certificateFile: file, keyFile: key)
    }
    return PeerProbe(
      clock: clock, caFile: target.caFile, clientCertificate: certificate,
      timeout: min(target.timeout, Self.timeout), isGlobalOnly: target.joined?.isGlobalOnly ?? false)
  }

  /// The finding of a connection that the peer ended after the handshake.
  private func ended(_ end: PeerProbe.ConnectionEnd, _ credentials: TargetCredentials) -> DoctorFinding {
    finding(
      .unreachable, "tls", end.words,
      remedy: Self.showsCertificate(credentials)
        ? "check that the server accepts the certificate in certificate_file"
        : "check whether the server, or a proxy before it, wants a client certificate; only apns targets can show one"
    )
  }

  private func connects(_ credentials: TargetCredentials, _ report: (DoctorFinding) -> Void) -> Bool {
    let endpoint = target.endpoint
    let probe = probe(credentials)
    let outcome = probe.connect(to: endpoint.origin + "/")
    if let failure = outcome.failure {
      // A peer that ends the connection right after the handshake may do so before libcurl calls it one.
      if failure == .request, endpoint.scheme == .https,
        let end = probe.endAfterHandshake(at: endpoint.origin + "/"), end.alert != nil
      {
        report(finding(.fine, "connect", "port \(endpoint.port) accepts connections"))
        report(ended(end, credentials))
        return false
      }
      if [.tls, .ownFiles].contains(failure) {
        report(finding(.fine, "connect", "port \(endpoint.port) accepts connections"))
      }
      report(explain(failure, outcome.message))
      return false
    }
    report(finding(.fine, "connect", "port \(endpoint.port) accepts connections"))
    reportFailingAddresses(report)
    guard endpoint.scheme == .https else { return true }
    let end = outcome.certificateEnd.map { ", and is valid until \($0)" } ?? ""
    report(finding(.fine, "tls", "the certificate is trusted\(end)"))
    if let end = probe.endAfterHandshake(at: endpoint.origin + "/") {
      report(ended(end, credentials))
      return false
    }
    if outcome.alpn == "h2" {
      report(finding(.fine, "alpn", "HTTP/2"))
      return true
    }
    let isNeeded = target.provider == .apns || target.provider == .loopback
    // Without ALPN a server may support HTTP/2, but a client cannot know.
    report(
      finding(
        isNeeded ? .unreachable : .note, "alpn",
        outcome.alpn == nil
          ? "the server negotiates no protocol (no ALPN)" : "the server does not support HTTP/2",
        remedy: isNeeded
          ? "\(target.provider.rawValue) requires HTTP/2: check the endpoint and any proxy in between"
          : "HTTP/1.1 carries one request at a time on a connection"))
    return !isNeeded
  }

  /// Names addresses that lead nowhere while another one of the same name answers, as with IPv4 and IPv6.
  private func reportFailingAddresses(_ report: (DoctorFinding) -> Void) {
    let endpoint = target.endpoint
    // libcurl asks nobody where localhost is.
    guard endpoint.host != "localhost", !(target.joined?.isGlobalOnly ?? false),
      case .success(let addresses) = NameLookup.addresses(of: endpoint.host), addresses.count > 1
    else { return }
    for failure in AddressProbe.failures(of: addresses, port: endpoint.port) {
      report(
        finding(
          .note, "address",
          "\(failure.address) accepts no connection at port \(endpoint.port) (\(failure.reason)); another address does",
          remedy:
            "check the route to it: where it is tried first and does not answer, each new connection takes 0.2 s longer"
        ))
    }
  }

  private static func showsCertificate(_ credentials: TargetCredentials) -> Bool {
    if case .apnsCertificate = credentials.kind { true } else { false }
  }

  private func explain(_ failure: PeerProbe.Failure, _ words: String) -> DoctorFinding {
    let endpoint = target.endpoint
    switch failure {
    case .dns, .connect:
      return finding(
        .unreachable, "connect", words,
        remedy: "check host and port of \(endpoint.origin), the firewall, and that the service runs")
    case .ownFiles:
      return finding(
        .misconfigured, "tls", words,
        remedy:
          "check ca_file, certificate_file and private_key_file: they must be PEM, and certificate and key must match"
      )
    case .tls:
      let isExpired = words.contains("expired")
      return finding(
        .unreachable, "tls", words,
        remedy: isExpired
          ? "the server's certificate must be renewed; if it was, check this machine's clock"
          : target.caFile == nil
            ? "if the server uses an authority of your own, name it with ca_file"
            : "check that ca_file is the authority that signed the server's certificate")
    case .request:
      return finding(
        .unreachable, "connect", words,
        remedy: "check what listens at \(endpoint.origin), and proxies in between")
    }
  }

  // MARK: One notification

  private func send(_ credentials: TargetCredentials, _ report: (DoctorFinding) -> Void) {
    if credentials.endpoint != nil {
      return report(
        finding(
          .note, "send", "nothing was sent: the endpoint is known after subscribing",
          remedy: "use --send 1, which subscribes"))
    }
    let provider: any Provider
    do {
      guard let token = token(credentials, report) else { return }
      guard let first = try credentials.providers(token: token.isEmpty ? nil : token).first else { return }
      provider = first
    } catch {
      return report(finding(.misconfigured, "send", error.placedMessage, remedy: error.remedy))
    }
    var generator = SystemRandomNumberGenerator()
    let now = clock.wallNow()
    let id = NotificationID(
      run: RunID(at: now, using: &generator), sample: SampleID(target: TargetID(rawValue: 1), sequence: 1))
    let request = provider.request(for: PushNotification(id: id, plannedAt: now))
    let outcome = probe(credentials).send(request)
    guard let response = outcome.response else {
      return report(
        finding(.unreachable, "send", outcome.message, remedy: "try again; the connection succeeded"))
    }
    compareClocks(response, report)
    switch provider.assess(response).decision {
    case .accepted:
      report(
        finding(
          .fine, "send",
          "\(response.status) in \(LatencyText.text(outcome.took.microseconds))\(Self.validated(target.settings))"
        ))
    case .rejected where (300...399).contains(response.status) && response.headers["location"] != nil:
      report(
        finding(
          .unreachable, "send",
          "redirected with \(response.status) to \(Self.origin(response.headers["location"] ?? ""))",
          remedy: "set the endpoint to it: redirects are not followed, because they would add to the latency"
        ))
    case .rejected(let word):
      let reason = RequestSecrets(of: request).hidden(in: word)
      report(
        finding(
          .unreachable, "send",
          "refused with \(response.status)\(reason.isEmpty ? "" : ": \(reason)")",
          remedy: RefusalAdvice.text(target.provider, status: response.status, reason: reason)))
    }
  }

  /// A redirect's origin, without the path, which may hold a secret.
  private static func origin(_ location: String) -> String {
    (try? Endpoint.parse(location))?.origin ?? "another path of the same server"
  }

  private static func validated(_ settings: ProviderSettings) -> String {
    if case .fcm = settings { ", validated and not delivered" } else { "" }
  }

  /// The token for a request: empty for providers without one; `nil` when there is none, which is reported.
  private func token(
    _ credentials: TargetCredentials, _ report: (DoctorFinding) -> Void
  ) -> String? {
    guard case .fcm(let account) = credentials.kind else {
      do {
        return try signedToken(credentials) ?? ""
      } catch {
        report(finding(.misconfigured, "token", error.placedMessage, remedy: error.remedy))
        return nil
      }
    }
    guard let request = try? account.tokenRequest(issuedAt: clock.wallNow()) else { return nil }
    let client = BlockingRequest(caFile: target.caFile, timeout: Self.timeout, clock: clock)
    switch client.perform(request) {
    case .failure(let failure):
      report(
        finding(
          .unreachable, "token", "the token endpoint does not answer: \(failure.message)",
          remedy: "check that \(account.tokenURI) can be reached"))
      return nil
    case .success(let answer):
      compareClocks(answer.response, report)
      switch OAuthToken.parse(answer.response) {
      case .success(let token):
        report(
          finding(
            .fine, "token", "an access token for \(LengthText.text(token.lifetime)) in \(answer.timing)"))
        return token.value
      case .failure(let refusal):
        report(
          finding(
            refusal.isFinal ? .misconfigured : .unreachable, "token",
            RequestSecrets(of: request).hidden(
              in: "no access token was given: \(refusal.status) \(refusal.reason)"),
            remedy: refusal.remedy))
        return nil
      }
    }
  }

  /// Compares this host's clock, which dates tokens, with the server's `Date`, which has whole seconds.
  private func compareClocks(_ response: PushResponse, _ report: (DoctorFinding) -> Void) {
    guard let theirs = response.headers["date"].flatMap({ HTTPDate.parse($0, now: response.receivedAt) })
    else { return }
    let ahead = response.receivedAt - theirs
    guard ahead.magnitude >= .seconds(61) else { return }
    report(
      finding(
        .misconfigured, "clock",
        "this machine's clock is \(LengthText.text(ahead.magnitude)) \(ahead > .zero ? "ahead of" : "behind") the server's",
        remedy: "set it: timedatectl set-ntp true"))
  }
}
