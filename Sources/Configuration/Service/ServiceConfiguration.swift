import Measurement

/// Section `service:`: the web endpoint with metrics, health and readiness.
public struct ServiceConfiguration: Sendable, Hashable {
  public var listen: ListenAddress
  /// `nil` for plain HTTP, which only a loopback address may have.
  public var identity: Identity?
  /// What a request must present (RFC 7617); `nil` for no authentication.
  public var authentication: Authentication?
  /// Whether `POST /-/reload` reads the configuration again.
  public var allowsReload: Bool

  /// Certificate and key of the listener.
  public struct Identity: Sendable, Hashable {
    /// PEM chain, the listener's certificate first.
    public var certificateFile: String
    /// PEM; readable by its owner only.
    public var keyFile: SecretFile

    public init(certificateFile: String, keyFile: SecretFile) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// A user name and where its password is.
  public struct Authentication: Sendable, Hashable {
    public var username: String
    public var passwordFile: SecretFile

    public init(username: String, passwordFile: SecretFile) {
      self.username = username
      self.passwordFile = passwordFile
    }
  }

  public init(
    listen: ListenAddress, identity: Identity? = nil, authentication: Authentication? = nil,
    allowsReload: Bool = false
  ) {
    self.listen = listen
    self.identity = identity
    self.authentication = authentication
    self.allowsReload = allowsReload
  }

  private static let keys = [
    "listen", "certificate_file", "key_file", "username", "password_file", "allow_reload",
  ]

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: Self.keys) else { return nil }
    let listen = map.required("listen", example: "listen: 127.0.0.1:9477")?.parsed(ListenAddress.parse)
    let identity = Self.identity(map)
    let authentication = Self.authentication(map)
    let allowsReload = map["allow_reload"]?.boolean() ?? false
    guard let listen else { return nil }
    if !listen.isLoopback {
      let hasTLS = map["certificate_file"] != nil && map["key_file"] != nil
      let hasPassword = map["username"] != nil && map["password_file"] != nil
      if !hasTLS || !hasPassword {
        let missing =
          (hasTLS ? [] : ["certificate_file and key_file"])
          + (hasPassword ? [] : ["username and password_file"])
        map["listen"]?.report(
          "is not a loopback address, so other hosts may connect: TLS and authentication are required",
          remedy: "add \(missing.joined(separator: ", ")), or listen on 127.0.0.1:\(listen.port)")
      }
    }
    self.init(
      listen: listen, identity: identity, authentication: authentication, allowsReload: allowsReload)
  }

  private static func identity(_ map: YAMLMapping) -> Identity? {
    guard map["certificate_file"] != nil || map["key_file"] != nil else { return nil }
    let certificate = map.required("certificate_file", example: "certificate_file: service.pem")?.file()
    let key = map.required("key_file", example: "key_file: service.key")?.secretFile()
    guard let certificate, let key else { return nil }
    return Identity(certificateFile: certificate, keyFile: key)
  }

  private static func authentication(_ map: YAMLMapping) -> Authentication? {
    guard map["username"] != nil || map["password_file"] != nil else { return nil }
    let username = map.required("username", example: "username: prometheus")?.string(maximumBytes: 64)
    let password = map.required("password_file", example: "password_file: service.password")?
      .secretFile(minimumBytes: 8)
    if username?.contains(":") == true {
      map["username"]?.report("contains a colon", remedy: "remove it: basic authentication has none")
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
  /// Labels that metrics and alerts have themselves, or that the exposition formats reserve.
  private static let reserved: Set<String> = [
    "target", "variant", "status", "reason", "from", "to", "objective", "device", "kind", "metric", "le",
    "quantile", "alertname",
  ]

  static func read(_ value: YAMLValue) -> [ConfiguredLabel] {
    var labels: [ConfiguredLabel] = []
    for (name, value) in value.entries() ?? [] {
      guard isName(name) else {
        value.report(
          "is not a label name",
          remedy: "use letters, digits and underscores, no digit first and not two underscores, like region")
        continue
      }
      guard !reserved.contains(name) else {
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

  /// https://prometheus.io/docs/concepts/data_model/
  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !ASCII.isDigit(first), !text.hasPrefix("__"), text.utf8.count <= 64
    else { return false }
    return text.utf8.allSatisfy { ASCII.isBase64URL($0) && $0 != UInt8(ascii: "-") }
  }
}

/// A label of all metrics.
public struct ConfiguredLabel: Sendable, Hashable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
