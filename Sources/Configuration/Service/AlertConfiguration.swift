import Glibc
import Measurement

/// Section `alerts:`: who is told when an objective is breached or something changed.
public struct AlertConfiguration: Sendable, Hashable, Codable {
  public var webhook: Webhook?
  public var command: Command?

  /// A URL that takes JSON in the shape of Alertmanager's webhooks.
  public struct Webhook: Sendable, Hashable, Codable {
    /// A secret: such URLs contain tokens.
    public var url: SecretReference
    public var caFile: String?
    public var sendsResolved: Bool
    public var repeatInterval: Duration
  }

  /// A program that gets the same JSON on its standard input.
  public struct Command: Sendable, Hashable, Codable {
    /// An absolute path and arguments; no shell interprets them.
    public var arguments: [String]
  }
}

extension AlertConfiguration: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "alerts"
    let webhook = Key("webhook", .section(Webhook.self), "a URL that takes JSON")
    let command = Key(
      "command", .read("a list") { Command($0) }, "a program, by its absolute path, and its arguments")
  }

  init(_ section: Section<Keys>) {
    if section.lacks(\.webhook, \.command) {
      section.report("tells nobody", remedy: "add webhook or command below it, or delete the key")
    }
    self.init(webhook: section.webhook, command: section.command)
  }
}

extension AlertConfiguration.Webhook: ConfigurationSection {
  struct Keys: SectionKeys {
    static let title = "alerts.webhook"
    let url = Key(secret: "url", required: "url_file: hook.url", standard: "–", "or `url`")
    let caFile = Key("ca_file", .file, "trust this authority instead of the system's")
    let sendResolved = Key("send_resolved", .boolean, default: true, "tell the end of an alert")
    let repeatInterval = Key(
      "repeat", .duration(in: .seconds(60) ... .seconds(30 * 86_400)), default: .seconds(4 * 3600),
      "how often a lasting alert is told again")
  }

  init?(_ section: Section<Keys>) {
    let (url, caFile) = (section.url, section.caFile)
    let (sendsResolved, interval) = (section.sendResolved, section.repeatInterval)
    guard let url else { return nil }
    Self.check(url, section[\.url])
    self.init(url: url, caFile: caFile, sendsResolved: sendsResolved, repeatInterval: interval)
  }

  /// The problem must not quote the URL.
  private static func check(_ url: SecretReference, _ source: YAMLValue?) {
    if case .file(let file) = url, file.isUnread { return }
    guard let bytes = try? url.read() else { return }
    guard (try? Endpoint.parse(String(decoding: bytes, as: UTF8.self))) == nil else { return }
    source?.report(
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
