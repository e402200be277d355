import Measurement

/// Section `fleet:`: the ClickHouse that several collectors forward their stores to.
public struct FleetConfiguration: Sendable, Hashable {
  /// Servers of the engine, tried in turn; at least one.
  public var urls: [Endpoint]
  public var database: String
  /// Inserts rows; `nil` where nothing is forwarded.
  public var writer: User?
  /// Reads them; `nil` where nothing is read.
  public var reader: User?
  /// PEM file of the authorities to trust instead of the system's.
  public var caFile: String?

  /// A user of the engine.
  public struct User: Sendable, Hashable {
    public var name: String
    /// `nil` for an empty password.
    public var passwordFile: SecretFile?

    public init(name: String, passwordFile: SecretFile? = nil) {
      self.name = name
      self.passwordFile = passwordFile
    }
  }

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

  private static let maximumURLs = 16

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["url", "database", "writer", "reader", "ca_file"]) else {
      return nil
    }
    let url = map.required("url", example: "url: https://clickhouse.example.com:8443")
    let database = map["database"].map { $0.parsed(Self.checkedName) } ?? "pushscope"
    let writer = map["writer"].flatMap { User($0) }
    let reader = map["reader"].flatMap { User($0) }
    let caFile = map["ca_file"]?.file()
    if map["writer"] == nil, map["reader"] == nil {
      value.report("has no user", remedy: "add writer, reader or both")
    }
    guard let url, let database else { return nil }
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
    guard let endpoint = value.parsed(Endpoint.parse) else { return nil }
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

  fileprivate static func checkedName(_ text: String) throws(ValueTextError) -> String {
    let isName =
      (1...64).contains(text.utf8.count) && text.utf8.first.map { !ASCII.isDigit($0) } == true
      && text.utf8.allSatisfy { ASCII.isBase64URL($0) && $0 != UInt8(ascii: "-") }
    guard isName else {
      throw ValueTextError(
        text, "is not a name", remedy: "use letters, digits and underscores, no digit first, at most 64")
    }
    return text
  }
}

extension FleetConfiguration.User {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["user", "password_file"]) else { return nil }
    let name = map.required("user", example: "user: pushscope_writer")?.parsed(FleetConfiguration.checkedName)
    let password = map["password_file"]?.secretFile()
    guard let name else { return nil }
    self.init(name: name, passwordFile: password)
  }
}
