import TestKit

/// Tests/Support/h2_client.py: python-h2 driven step by step, strict about what the peer sends and willing to break
/// rules itself.
public struct H2Client: Sendable {
  /// One line of what it saw.
  public struct Event: Decodable, Sendable, Equatable {
    public var event: String
    public var stream: Int?
    public var status: Int?
    public var headers: [String: String]?
    public var body: String?
    public var code: Int?
    public var lastStream: Int?
    public var debug: String?
    public var maxStreams: Int?
    public var message: String?
    /// Of an acknowledged PING: milliseconds since it was sent.
    public var after: Int?

    enum CodingKeys: String, CodingKey {
      case event, stream, status, headers, body, code, debug, message, after
      case lastStream = "last_stream"
      case maxStreams = "max_streams"
    }
  }

  let port: Int
  let authorityFile: String

  public init(port: Int, authorityFile: String) {
    self.port = port
    self.authorityFile = authorityFile
  }

  /// - Parameter steps: a JSON array of steps, as the script explains them.
  public func run(_ steps: String) async throws -> [Event] {
    let outcome = try await Programs.run(
      Programs.python, ["\(Programs.scripts)/h2_client.py", "\(port)", authorityFile], input: steps)
    guard outcome.status == 0 else {
      throw Curl.Failed(status: outcome.status, error: outcome.error + outcome.output)
    }
    return try outcome.jsonLines(as: Event.self)
  }
}

extension [H2Client.Event] {
  /// Streams' answers in the order in which they were complete.
  public var answers: [H2Client.Event] { filter { $0.event == "answer" } }

  public var resets: [H2Client.Event] { filter { $0.event == "reset" } }

  public var goAways: [H2Client.Event] { filter { $0.event == "goaway" } }

  /// SETTINGS_MAX_CONCURRENT_STREAMS as the server told it, in order.
  public var streamLimits: [Int] { compactMap { $0.event == "settings" ? $0.maxStreams : nil } }
}

/// Tests/Support/h2_conformance.py: what RFC 9113 and RFC 7541 ask of a server, in one process, a connection a case.
public struct HTTP2Conformance: Sendable {
  private struct Outcome: Decodable {
    var `case`: String
    var section: String
    var wanted: String
    var ok: Bool
    var saw: [String]
  }

  /// What docs/http2-conformance.md gives the reasons for.
  private static let deviations: Set<String> = ["http2/5.1/6", "http2/5.1/9"]
  public static let caseCount = 143

  /// How many cases there were.
  public let count: Int
  /// Cases that do not hold and are no deviations, and deviations that are none any more.
  public let surprises: [String]

  /// Runs all cases against a server.
  public init(port: Int, authorityFile: String, path: String) async throws {
    let outcome = try await Programs.run(
      Programs.python,
      ["\(Programs.scripts)/h2_conformance.py", "\(port)", authorityFile, "--path", path],
      within: .seconds(180))
    guard outcome.status == 0 else {
      throw Curl.Failed(status: outcome.status, error: outcome.error + outcome.output)
    }
    let cases = try outcome.jsonLines(as: Outcome.self)
    count = cases.count
    surprises = cases.filter { $0.ok == Self.deviations.contains($0.case) }
      .map { "\($0.case) (\($0.section)): wanted \($0.wanted), saw \($0.saw)" }
  }
}

/// Tests/Support/hostile_client.py: many connections, some of which mean ill.
public struct HostileClient: Sendable {
  /// What one step came to, as the script explains it.
  public struct Outcome: Decodable, Sendable, Equatable {
    public var opened: Int?
    public var statuses: [Int?]?
    public var sent: [Int]?
    public var answers: [Int]?
    public var closed: Int?
  }

  let port: Int
  let authorityFile: String

  public init(port: Int, authorityFile: String) {
    self.port = port
    self.authorityFile = authorityFile
  }

  /// - Parameter steps: a JSON array of steps, as the script explains them.
  public func run(_ steps: String) async throws -> [Outcome] {
    let outcome = try await Programs.run(
      Programs.python, ["\(Programs.scripts)/hostile_client.py", "\(port)", authorityFile], input: steps)
    guard outcome.status == 0 else {
      throw Curl.Failed(status: outcome.status, error: outcome.error + outcome.output)
    }
    return try outcome.jsonLines(as: Outcome.self)
  }
}
