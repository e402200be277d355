/// How a request to a webhook-like service looks and which answers are good.
public struct HTTPSettings: Sendable, Hashable {
  /// A header to send; its value may be a secret.
  public struct Header: Sendable, Hashable {
    /// In lower case, as HTTP/2 wants it (RFC 9113, section 8.2).
    public var name: String
    public var value: Secret

    public init(name: String, value: Secret) {
      self.name = name
      self.value = value
    }
  }

  public enum Method: String, Sendable, Hashable, CaseIterable {
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }

  public var method: Method
  /// In the order of the file.
  public var headers: [Header]
  /// What `body_file` held when the configuration was read; `nil` when none is named.
  public var body: [UInt8]?
  public var success: StatusRanges

  static let keys = ["method", "headers", "body_file", "success"]
  static let maximumBodyBytes = 256 * 1024

  public init(
    method: Method = .post, headers: [Header] = [], body: [UInt8]? = nil, success: StatusRanges = .successful
  ) {
    self.method = method
    self.headers = headers
    self.body = body
    self.success = success
  }

  init(_ map: YAMLMapping) {
    self.init(
      method: map["method"]?.choice(of: Method.self) ?? .post,
      headers: map["headers"].map(Self.headers) ?? [],
      body: map["body_file"]?.fileContents(maximumBytes: Self.maximumBodyBytes),
      success: map["success"]?.parsed(StatusRanges.parse) ?? .successful)
  }

  private static func headers(_ value: YAMLValue) -> [Header] {
    var headers: [Header] = []
    for (key, value) in value.entries() ?? [] {
      let name = key.lowercased()
      guard isToken(name) else {
        value.report("is no header name", remedy: "use letters, digits and hyphens, like x-probe")
        continue
      }
      guard !unsendable.contains(name) else {
        value.report("is not a header to set", remedy: "leave it out: the transport decides it")
        continue
      }
      guard !headers.contains(where: { $0.name == name }) else {
        value.report("is given twice", remedy: "keep one of them (upper and lower case are the same)")
        continue
      }
      if let text = value.string() { headers.append(Header(name: name, value: Secret(text))) }
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
        (48...57).contains($0) || (97...122).contains($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }
}
