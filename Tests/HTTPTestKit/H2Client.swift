import Foundation

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

    enum CodingKeys: String, CodingKey {
      case event, stream, status, headers, body, code, debug, message
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
    let outcome = try await Tool.run(
      Tool.python, ["\(Tool.scripts)/h2_client.py", "\(port)", authorityFile], input: steps)
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
