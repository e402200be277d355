import Measurement

/// Section `fleet:`: the ClickHouse that several collectors forward their stores to.
public struct FleetConfiguration: Sendable, Hashable, Codable {
  /// Servers of the engine, tried in turn; at least one.
  public var urls: [Endpoint]
  public var database: String
  /// Inserts rows; `nil` where nothing is forwarded.
  public var writer: User?
  /// Reads them; `nil` where nothing is read.
  public var reader: User?
  public var caFile: String?

  public init(
    urls: [Endpoint], database: String = "pushscope", writer: User? = nil, reader: User? = nil,
    caFile: String? = nil
  ) {
    self.urls = urls
    self.database = database
    self.writer = writer
    self.reader = reader
    self.caFile = caFile
  }

  /// A user of the engine.
  public struct User: Sendable, Hashable, Codable {
    public var name: String
    /// `nil` for an empty password.
    public var passwordFile: SecretFile?

    public init(name: String, passwordFile: SecretFile? = nil) {
      self.name = name
      self.passwordFile = passwordFile
    }
  }

  private static let maximumURLs = 16
  private static let maximumAuthorityBytes = 1024 * 1024
}

extension FleetConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "fleet"
    let url = Key(
      "url", .read("a URL or a list") { $0 }, required: "url: https://clickhouse.example.com:8443",
      "servers, tried in turn; `https`, or `http` on a loopback address")
    let database = Key(
      "database", .parsed("a name", FleetConfiguration.checkedDatabase), default: "pushscope",
      "letters, digits and underscores")
    let writer = Key(
      "writer", .section(User.self), "the user that inserts; without it nothing is forwarded")
    let reader = Key("reader", .section(User.self), "the user that reads")
    let caFile = Key(
      "ca_file", .read("a file", FleetConfiguration.authorities),
      "trust this authority instead of the system's")
  }

  init?(_ section: Section<Keys>) {
    let (url, database, caFile) = (section.url, section.database, section.caFile)
    let (writer, reader) = (section.writer, section.reader)
    if section.lacks(\.writer, \.reader) {
      section.report("has no user", remedy: "add writer, reader or both")
    }
    if let writer, let reader, writer.name == reader.name, writer != reader {
      section[\.reader]?.report(
        "is the user of writer with another password_file", remedy: "give reader a user of its own")
    }
    guard let url else { return nil }
    let elements = url.isSequence ? url.sequence() ?? [] : [url]
    if url.isSequence, elements.isEmpty {
      url.report("is empty", remedy: "write the URL of at least one server")
    }
    if elements.count > Self.maximumURLs {
      url.report("has more than \(Self.maximumURLs) servers", remedy: "name some of them")
    }
    let urls = elements.prefix(Self.maximumURLs).compactMap { Self.server($0) }
    guard !urls.isEmpty else { return nil }
    self.init(urls: urls, database: database, writer: writer, reader: reader, caFile: caFile)
  }

  private static func server(_ value: YAMLValue) -> Endpoint? {
    guard let endpoint = value.parsed(Self.endpoint) else { return nil }
    if endpoint.target.contains("?") {
      value.report("has a query", remedy: "write scheme, host, port and perhaps a path")
      return nil
    }
    guard endpoint.scheme == .https || ListenAddress(host: endpoint.host, port: endpoint.port).isLoopback
    else {
      value.report(
        "is not encrypted, and passwords would go to another host",
        remedy: "write https:// and the port of the engine's HTTPS interface, usually 8443")
      return nil
    }
    return endpoint
  }

  private static func endpoint(_ text: String) throws(ValueTextError) -> Endpoint {
    try Endpoint.endpoint(
      in: text,
      userRemedy: "name the user as writer.user or reader.user, and its password's file as password_file")
  }

  /// Databases that the engine has for itself.
  private static let engineDatabases = ["system", "information_schema", "_temporary_and_external_tables"]

  private static func checkedDatabase(_ text: String) throws(ValueTextError) -> String {
    let name = try checkedName(text)
    guard !engineDatabases.contains(name.lowercased()) else {
      throw ValueTextError(
        text, "is a database of the engine itself", remedy: "name another; fleet setup makes it")
    }
    return name
  }

  /// Reads the path of a PEM file with a certificate (RFC 7468, section 5). What is damaged inside it is found when it is used.
  private static func authorities(_ value: YAMLValue) -> String? {
    guard let path = value.file(maximumBytes: maximumAuthorityBytes) else { return nil }
    // What the service manager gives is not there when the configuration is only checked.
    let file = PlainFile(path: path, maximumBytes: maximumAuthorityBytes)
    guard let bytes = try? file.read() else { return path }
    let certificate = /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----\s[A-Za-z0-9+\/=\s]+-----END/
    guard String(decoding: bytes, as: UTF8.self).contains(certificate) else {
      value.report(
        "\"\(path.visiblePath)\" has no certificate", remedy: "name a PEM file of the authorities to trust")
      return nil
    }
    return path
  }

  fileprivate static func checkedName(_ text: String) throws(ValueTextError) -> String {
    guard text.isIdentifier, text.utf8.count <= 64 else {
      throw ValueTextError(
        text, "is not a name", remedy: "use letters, digits and underscores, no digit first, at most 64")
    }
    return text
  }
}

extension FleetConfiguration.User: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "fleet.writer"
    static let introduction = "`fleet.reader` has the same keys."
    let user = Key(
      "user", .parsed("a name", FleetConfiguration.checkedName), required: "user: pushscope_writer",
      "letters, digits and underscores")
    let passwordFile = Key(
      "password_file", .read("a secret's file", FleetConfiguration.User.passwordFile),
      "without it the password is empty")
  }

  init?(_ section: Section<Keys>) {
    let (name, passwordFile) = (section.user, section.passwordFile)
    guard let name else { return nil }
    self.init(name: name, passwordFile: passwordFile)
  }

  /// Reads the path of a file with a password that can be sent.
  private static func passwordFile(_ value: YAMLValue) -> SecretFile? {
    guard let file = value.secretFile() else { return nil }
    guard !file.isUnread else { return file }
    do throws(FleetPasswordError) {
      _ = try Self(name: "", passwordFile: file).password()
      return file
    } catch {
      value.report(error.message, remedy: error.remedy)
      return nil
    }
  }

  /// Reads the password; `nil` for an empty one. It goes into a header's value (RFC 9110, section 5.5), where control characters and
  /// white space at its beginning do not arrive, and the engine takes it for UTF-8.
  public func password() throws(FleetPasswordError) -> String? {
    guard let passwordFile else { return nil }
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try passwordFile.read()
    } catch {
      throw FleetPasswordError(message: error.message, remedy: error.remedy)
    }
    let problem: String
    if let text = String(validating: bytes, as: UTF8.self) {
      if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
        problem = "has control characters or several lines"
      } else if bytes.first == 0x20 {
        problem = "begins with a space"
      } else {
        return text
      }
    } else {
      problem = "is not UTF-8"
    }
    throw FleetPasswordError(
      message: "the password in \"\(passwordFile.path.visiblePath)\" \(problem)",
      remedy: "write it in one line of plain text")
  }
}

/// Why the password of a fleet's user cannot be sent.
public struct FleetPasswordError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, and with which file.
  public let message: String
  public let remedy: String

  public var description: String { "\(message); \(remedy)" }
}
