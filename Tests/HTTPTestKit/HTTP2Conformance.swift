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
    let outcome = try await Tool.run(
      Tool.python,
      ["\(Tool.scripts)/h2_conformance.py", "\(port)", authorityFile, "--path", path], within: .seconds(180))
    guard outcome.status == 0 else {
      throw Curl.Failed(status: outcome.status, error: outcome.error + outcome.output)
    }
    let cases = try outcome.jsonLines(as: Outcome.self)
    count = cases.count
    surprises = cases.filter { $0.ok == Self.deviations.contains($0.case) }
      .map { "\($0.case) (\($0.section)): wanted \($0.wanted), saw \($0.saw)" }
  }
}
