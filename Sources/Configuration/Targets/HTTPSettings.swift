import Measurement

/// A request to any HTTP endpoint, and the statuses that mean success.
public struct HTTPSettings: Sendable, Hashable {
  /// A header, whose value may be a secret.
  public struct Header: Sendable, Hashable {
    /// The name in lower case, as HTTP/2 requires it (RFC 9113, section 8.2).
    public var name: String
    /// A template: see ``HTTPSettings/placeholders``.
    public var value: Secret
  }

  /// Methods that may have a body (RFC 9110, section 9.3).
  public enum Method: String, Sendable, Hashable, CaseIterable {
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }

  public var method = Method.post
  /// The headers in file order.
  public var headers: [Header] = []
  /// Content of `body_file` when the configuration was read. A template: see ``placeholders``.
  public var body: [UInt8]?
  public var success = StatusRanges.successful
  /// Exact size of the body, which `{padding}` fills up.
  public var payloadBytes: Int?
  /// Values of the `${NAME}` references in the endpoint and in headers.
  public var environmentValues: [Secret] = []

  static let maximumBodyBytes = 256 * 1024

  /// Placeholders, in braces, of the endpoint, header values and body.
  public static let placeholders = [
    "id", "mac", "planned_ms", "planned_at", "sequence", "pushscope", "padding",
  ]
}

extension HTTPSettings {
  struct Keys: SectionKeys {
    static let title = "http"
    let method = Key("method", .choice(of: Method.self), default: HTTPSettings().method, "")
    let headers = Key(
      "headers", .read("names and values", HTTPSettings.headers), default: [], standard: "–",
      "placeholders in braces, `${NAME}`")
    let body = Key(
      "body_file",
      .read("a file, at most \(maximumBodyBytes / 1024) KiB") {
        $0.fileContents(maximumBytes: maximumBodyBytes)
      },
      "placeholders in braces")
    let success = Key(
      "success", .parsed("statuses", StatusRanges.parse), default: HTTPSettings().success,
      "that count as accepted, like `200,202-204`")
    let payloadBytes = Key(
      "payload_bytes", listOf: .integer(in: 1...maximumBodyBytes), "pads the body to exactly this size")
  }

  static func variants(_ section: Section<Keys>) -> [TargetVariant] {
    let sizes = section.payloadBytes
    let settings = HTTPSettings(
      method: section.method, headers: section.headers, body: section.body, success: section.success,
      environmentValues: ["endpoint", "headers"].flatMap { section.map[$0]?.environmentValues ?? [] })
    if let body = settings.body, let value = section[\.body] {
      Self.checkPlaceholders(in: String(decoding: body, as: UTF8.self), value)
    }
    if let value = section[\.payloadBytes],
      section.lacks(\.body) || settings.body?.names("padding") == false
    {
      value.report(
        "needs a {padding} placeholder in the body",
        remedy: "write {padding} in body_file where the body may grow")
    }
    return TargetVariant.combinations(section.map, sizes, .single, .single) { size, _, _ in
      var settings = settings
      settings.payloadBytes = size.value
      return .http(settings)
    }
  }

  /// Whether the request contains the notification's id and MAC, without which no receipt can be made.
  func containsReceiptFields(endpoint: Endpoint?) -> Bool {
    let texts =
      headers.map { Array($0.value.exposed.utf8) } + [body ?? [], Array((endpoint?.target ?? "").utf8)]
    func names(_ word: String) -> Bool { texts.contains { $0.names(word) } }
    return names("pushscope") || (names("id") && names("mac"))
  }

  /// Reports braces around a word that resembles a placeholder; other braces are literal text.
  private static func checkPlaceholders(in text: String, _ value: YAMLValue) {
    for part in text.split(separator: "{").dropFirst(text.hasPrefix("{") ? 0 : 1).prefix(1000) {
      guard let end = part.firstIndex(of: "}") else { continue }
      let word = String(part[..<end])
      guard (2...16).contains(word.utf8.count), !placeholders.contains(word),
        word.utf8.allSatisfy({ (97...122).contains($0) || $0 == 95 }),
        let meant = NearestWord.suggestion(for: word, among: placeholders)
      else { continue }
      value.report(
        "there is no placeholder {\(word)}",
        remedy: "did you mean {\(meant)}? (placeholders: \(placeholders.joined(separator: ", ")))")
    }
  }

  private static func headers(_ value: YAMLValue) -> [Header] {
    var headers: [Header] = []
    for (key, value) in value.entries() ?? [] {
      let name = key.lowercased()
      guard isToken(name) else {
        value.report("is not a header name", remedy: "use letters, digits and hyphens, like x-probe")
        continue
      }
      guard !unsendable.contains(name) else {
        value.report("cannot be set", remedy: "delete it: the transport sets this header")
        continue
      }
      guard !headers.contains(where: { $0.name == name }) else {
        value.report("is given twice", remedy: "keep one of them (upper and lower case are the same)")
        continue
      }
      guard let text = value.string() else { continue }
      checkPlaceholders(in: text, value)
      headers.append(Header(name: name, value: Secret(text)))
    }
    return headers
  }

  /// Headers that belong to the connection or to the message's framing (RFC 9113, section 8.2.2).
  private static let unsendable: Set<String> = [
    "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
  ]

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 128
      && name.utf8.allSatisfy {
        ASCII.isDigit($0) || (97...122).contains($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }
}

extension [UInt8] {
  /// Whether the text contains the placeholder.
  fileprivate func names(_ placeholder: String) -> Bool {
    let word = Array("{\(placeholder)}".utf8)
    var rest = self[...]
    while let open = rest.firstIndex(of: 0x7B) {
      rest = rest[open...]
      if rest.starts(with: word) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}

/// HTTP statuses that count as accepted, like `200-299` or `200,202-204`.
public struct StatusRanges: Sendable, Hashable, CustomStringConvertible {
  public var ranges: [ClosedRange<Int>]

  public init(_ ranges: [ClosedRange<Int>]) { self.ranges = ranges }

  /// All of 2xx.
  public static let successful = StatusRanges([200...299])

  /// Whether a status counts as accepted.
  public func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }

  /// Reads statuses and ranges of them, divided by commas; each from 200 to 599.
  public static func parse(_ text: String) throws(ValueTextError) -> StatusRanges {
    var ranges: [ClosedRange<Int>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { status($0) }
      guard (1...2).contains(bounds.count), let low = bounds[0], let high = bounds[bounds.count - 1],
        low <= high
      else {
        throw ValueTextError(
          text, "is not a set of HTTP statuses",
          remedy: "write statuses from 200 to 599, like 200-299 or 200,202")
      }
      ranges.append(low...high)
    }
    return StatusRanges(ranges)
  }

  public var description: String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  private static func status(_ text: Substring) -> Int? {
    let trimmed = text.drop { $0 == " " }
    let digits = trimmed.prefix { $0 != " " }
    guard digits.utf8.count == 3, trimmed.dropFirst(3).allSatisfy({ $0 == " " }), let status = Int(digits),
      (200...599).contains(status)
    else { return nil }
    return status
  }
}
