import Configuration
import HTTPServer
import Measurement

/// Where a device opens the collector's page.
public struct InvitationPlace: Sendable {
  /// Scheme, host and port.
  public var origin: String
  /// Whether only browsers on this host can open it.
  public var isLocal: Bool

  /// - Parameter local: whether the device is a browser on this host.
  /// - Throws: ``CollectorError`` where the configuration has no such place, `HTTPServerError` for an unusable certificate.
  public static func of(_ configuration: PushscopeConfiguration, local: Bool) throws -> InvitationPlace {
    guard let devices = configuration.devices else {
      throw CollectorError(
        .noDevices,
        "\(configuration.file) has no section devices; add one: devices: { subject: mailto:you@your.domain }")
    }
    if let listen = devices.listen, local || configuration.collector.receipts == nil {
      return InvitationPlace(origin: "http://localhost:\(listen.port)", isLocal: true)
    }
    guard let receipts = configuration.collector.receipts, !local else {
      throw CollectorError(
        .noDevices,
        "\(configuration.file) has no devices.listen, which serves browsers on this host; add a line like listen: 127.0.0.1:8480"
      )
    }
    if let url = receipts.publicURL { return InvitationPlace(origin: url.origin, isLocal: false) }
    let identity = try ServerIdentity(
      certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    guard let name = identity.dnsName else {
      throw CollectorError(
        .noDevices,
        "the certificate of collector.receipts has no DNS name by which devices could reach it; add a line like "
          + "public_url: https://push.example.com:\(receipts.listen.port), or use a certificate with a name")
    }
    let address = Endpoint(scheme: .https, host: name, port: receipts.listen.port)
    return InvitationPlace(origin: address.origin, isLocal: false)
  }

  /// What keeps a device from opening it, as far as it shows from this host, and what to do.
  public struct Problem: Sendable {
    public var message: String
    public var remedy: String
  }

  /// - Returns: `nil` where it can be opened.
  public func problem(clock: any HostClock) -> Problem? {
    let probe = PeerProbe(clock: clock, caFile: nil, clientCertificate: nil, timeout: .seconds(5))
    let outcome = probe.connect(to: origin + DevicePage.path)
    switch outcome.failure {
    case nil: return nil
    case .tls, .ownFiles:
      return Problem(
        message: "the certificate of \(origin) is not one that devices trust (\(outcome.message))",
        remedy:
          "use a certificate of a public authority for collector.receipts, or devices.listen and --local with a browser on "
          + "this host")
    case .dns, .connect, .request:
      return Problem(
        message: "\(origin) cannot be reached from here (\(outcome.message))",
        remedy: isLocal
          ? "start pushscope collect: it serves the page"
          : "see that the name, the port and the firewall let devices reach this host, or set collector.receipts.public_url"
      )
    }
  }

  /// The URL that lets a device join.
  /// - Parameter token: base64url.
  public func url(token: String) -> String { "\(origin)/device#\(token)" }
}
