import Measurement

/// Section `service:`: the web endpoint with metrics, health and readiness.
public struct ServiceConfiguration: Sendable, Hashable {
  public var listen: ListenAddress
  /// `nil` for plain HTTP, which only a loopback address may have.
  public var identity: Identity?
  /// What a request must present (RFC 7617); `nil` for no authentication.
  public var authentication: Authentication?
  public var allowsReload = false

  /// Certificate and key of the listener.
  public struct Identity: Sendable, Hashable {
    public var certificateFile: String
    public var keyFile: SecretFile
  }

  /// A user name and where its password is.
  public struct Authentication: Sendable, Hashable {
    public var username: String
    public var passwordFile: SecretFile
  }
}

extension ServiceConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "service"
    let listen = Key(
      "listen", .address, required: "listen: 127.0.0.1:9477",
      "like `127.0.0.1:9477`; another than a loopback address needs the next four")
    let certificateFile = Key(
      "certificate_file", .file, required: "certificate_file: service.pem", standard: "–",
      "PEM, the listener's certificate first")
    let keyFile = Key(
      "key_file", .secretFile(), required: "key_file: service.key", standard: "–", "PEM")
    let username = Key(
      "username", .text(maximumBytes: 64), required: "username: prometheus", standard: "–",
      "for basic authentication")
    let passwordFile = Key(
      "password_file", .secretFile(minimumBytes: 8), required: "password_file: service.password",
      standard: "–", "at least 8 bytes")
    let allowReload = Key(
      "allow_reload", .boolean, default: false, "`POST /-/reload` reads the configuration again")
  }

  init?(_ section: Section<Keys>) {
    let listen = section.listen
    let identity = Self.identity(section)
    let authentication = Self.authentication(section)
    let allowsReload = section.allowReload
    guard let listen else { return nil }
    if !listen.isLoopback {
      let hasTLS = !section.lacks(\.certificateFile) && !section.lacks(\.keyFile)
      let hasPassword = !section.lacks(\.username) && !section.lacks(\.passwordFile)
      if !hasTLS || !hasPassword {
        let missing =
          (hasTLS ? [] : ["certificate_file and key_file"])
          + (hasPassword ? [] : ["username and password_file"])
        section[\.listen]?.report(
          "is not a loopback address, so other hosts may connect: TLS and authentication are required",
          remedy: "add \(missing.joined(separator: ", ")), or listen on 127.0.0.1:\(listen.port)")
      }
    }
    self.init(
      listen: listen, identity: identity, authentication: authentication, allowsReload: allowsReload)
  }

  private static func identity(_ section: Section<Keys>) -> Identity? {
    guard section[\.certificateFile] != nil || section[\.keyFile] != nil else { return nil }
    let (certificate, key) = (section.certificateFile, section.keyFile)
    guard let certificate, let key else { return nil }
    return Identity(certificateFile: certificate, keyFile: key)
  }

  private static func authentication(_ section: Section<Keys>) -> Authentication? {
    guard section[\.username] != nil || section[\.passwordFile] != nil else { return nil }
    let (username, password) = (section.username, section.passwordFile)
    if username?.contains(":") == true {
      section[\.username]?.report("contains a colon", remedy: "remove it: basic authentication has none")
    }
    guard let username, let password else { return nil }
    return Authentication(username: username, passwordFile: password)
  }
}

extension ListenAddress {
  /// Whether only programs on this host can connect: `localhost`, 127.0.0.0/8 and ::1.
  public var isLoopback: Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// Section `labels:`: labels that every metric and alert of this collector has.
enum LabelSection {
  static let maximumCount = 20

  static func read(_ value: YAMLValue) -> [ConfiguredLabel] {
    var labels: [ConfiguredLabel] = []
    for (name, value) in value.entries() ?? [] {
      // https://prometheus.io/docs/concepts/data_model/
      guard name.isIdentifier, !name.hasPrefix("__"), name.utf8.count <= 64 else {
        value.report(
          "is not a label name",
          remedy: "use letters, digits and underscores, no digit first and not two underscores, like region")
        continue
      }
      guard MetricLabel(rawValue: name) == nil else {
        value.report("is a label that metrics have already", remedy: "choose another name")
        continue
      }
      guard labels.count < maximumCount else {
        value.report("is one label too many", remedy: "give at most \(maximumCount)")
        break
      }
      if let text = value.string(maximumBytes: 256) {
        labels.append(ConfiguredLabel(name: name, value: text))
      }
    }
    return labels
  }
}

/// A label of all metrics.
public struct ConfiguredLabel: Sendable, Hashable, Codable {
  public var name: String
  public var value: String
}
