import Glibc
import Measurement

/// Section `alerts:`: who is told when an objective is breached or something changed.
public struct AlertConfiguration: Sendable, Hashable {
  public var webhook: Webhook?
  public var command: Command?

  /// A URL that takes JSON in the shape of Alertmanager's webhooks.
  public struct Webhook: Sendable, Hashable {
    /// A secret: such URLs contain tokens.
    public var url: SecretReference
    /// PEM file of the authorities to trust instead of the system's.
    public var caFile: String?
    public var sendsResolved: Bool
    /// How often a lasting alert is sent again.
    public var repeatInterval: Duration

    public init(
      url: SecretReference, caFile: String? = nil, sendsResolved: Bool = true,
      repeatInterval: Duration = .seconds(4 * 3600)
    ) {
      self.url = url
      self.caFile = caFile
      self.sendsResolved = sendsResolved
      self.repeatInterval = repeatInterval
    }
  }

  /// A program that gets the same JSON on its standard input.
  public struct Command: Sendable, Hashable {
    /// An absolute path and arguments; no shell interprets them.
    public var arguments: [String]

    public init(arguments: [String]) { self.arguments = arguments }
  }

  public init(webhook: Webhook? = nil, command: Command? = nil) {
    self.webhook = webhook
    self.command = command
  }

  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["webhook", "command"]) else { return nil }
    if map["webhook"] == nil, map["command"] == nil {
      value.report("tells nobody", remedy: "add webhook or command below it, or delete the key")
    }
    self.init(
      webhook: map["webhook"].flatMap { Webhook($0) }, command: map["command"].flatMap { Command($0) })
  }
}

extension AlertConfiguration.Webhook {
  init?(_ value: YAMLValue) {
    let keys = YAMLMapping.secretKeys("url") + ["ca_file", "send_resolved", "repeat"]
    guard let map = value.mapping(keys: keys) else { return nil }
    let url = map.secret("url", example: "url_file: hook.url")
    let caFile = map["ca_file"]?.file()
    let sendsResolved = map["send_resolved"]?.boolean() ?? true
    let interval = map["repeat"].map { $0.duration(in: .seconds(60) ... .seconds(30 * 86_400)) }
    guard let url else { return nil }
    Self.check(url, map)
    self.init(
      url: url, caFile: caFile, sendsResolved: sendsResolved,
      repeatInterval: (interval ?? nil) ?? .seconds(4 * 3600))
  }

  /// The problem must not quote the URL.
  private static func check(_ url: SecretReference, _ map: YAMLMapping) {
    if case .file(let file) = url, file.isUnread { return }
    guard let bytes = try? url.read() else { return }
    guard (try? Endpoint.parse(String(decoding: bytes, as: UTF8.self))) == nil else { return }
    (map["url_file"] ?? map["url"])?.report(
      "does not hold an https or http URL",
      remedy: "write one line like https://hooks.example.com/abc into it")
  }

  /// The URL, read now: its file may have been replaced.
  /// - Returns: `nil` when it cannot be read or is no URL.
  public func currentURL() -> Endpoint? {
    (try? url.read()).flatMap { try? Endpoint.parse(String(decoding: $0, as: UTF8.self)) }
  }
}

extension AlertConfiguration.Command {
  private static let maximumArguments = 64

  init?(_ value: YAMLValue) {
    guard let elements = value.sequence() else { return nil }
    let arguments = elements.prefix(Self.maximumArguments).compactMap { $0.string() }
    guard elements.count <= Self.maximumArguments else {
      value.report("has more than \(Self.maximumArguments) arguments", remedy: "call a script that has them")
      return nil
    }
    guard let program = arguments.first, arguments.count == elements.count else {
      if elements.isEmpty { value.report("is empty", remedy: "write [ /usr/local/bin/page, --stdin ]") }
      return nil
    }
    guard program.hasPrefix("/") else {
      elements[0].report(
        "is not an absolute path", remedy: "write the program's whole path: no shell looks for it")
      return nil
    }
    var status = stat()
    guard stat(program, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(program, X_OK) == 0 else {
      elements[0].report(
        "is not a program that this user may run", remedy: "correct the path, or run: chmod +x on it")
      return nil
    }
    self.init(arguments: Array(arguments))
  }
}
