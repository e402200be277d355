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
    let outcome = try await Tool.run(
      Tool.python, ["\(Tool.scripts)/hostile_client.py", "\(port)", authorityFile], input: steps)
    guard outcome.status == 0 else {
      throw Curl.Failed(status: outcome.status, error: outcome.error + outcome.output)
    }
    return try outcome.jsonLines(as: Outcome.self)
  }
}
