import Foundation
import TestKit

/// curl's command line: an HTTP client of long standing.
public struct Curl: Sendable {
  public enum Version: String, Sendable, CaseIterable {
    case http2 = "--http2"
    case http1 = "--http1.1"
  }

  public struct Answer: Sendable, Equatable {
    public var status: Int
    /// `2` or `1.1`.
    public var version: String
    public var headers: [String: String]
    public var body: String
  }

  public struct Failed: Error, CustomStringConvertible {
    public var status: Int32
    public var error: String
    public var description: String { "curl exit \(status): \(error)" }
  }

  let authorityFile: String
  let origin: String

  public init(port: Int, authorityFile: String, host: String = "127.0.0.1") {
    self.authorityFile = authorityFile
    origin = "https://\(host):\(port)"
  }

  /// - Parameters:
  ///   - body: sent with POST unless `arguments` name another method.
  ///   - arguments: further ones, like `-X`, `PUT`.
  public func ask(
    _ path: String, _ version: Version = .http2, headers: [String] = [], body: String? = nil,
    arguments: [String] = []
  ) async throws -> Answer {
    var command = ["-sS", version.rawValue, "--cacert", authorityFile, "--max-time", "120", "-D", "-"]
    command += headers.flatMap { ["-H", $0] }
    if body != nil { command += ["--data-binary", "@-"] }
    let outcome = try await Programs.run("curl", command + arguments + [origin + path], input: body ?? "")
    guard outcome.status == 0 else { throw Failed(status: outcome.status, error: outcome.error) }
    return try Self.parse(outcome.output)
  }

  /// Takes the last answer: a 100 may have gone before.
  private static func parse(_ text: String) throws -> Answer {
    var rest = text
    while true {
      guard let end = rest.range(of: "\r\n\r\n") else {
        throw Failed(status: 0, error: "no answer in \(text)")
      }
      let lines = rest[..<end.lowerBound].components(separatedBy: "\r\n")
      let first = lines[0].split(separator: " ")
      let status = first.count > 1 ? Int(first[1]) ?? 0 : 0
      rest = String(rest[end.upperBound...])
      if status == 100 { continue }
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        let name = line[..<colon].lowercased()
        headers[name] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      let version = first[0] == "HTTP/2" ? "2" : String(first[0].dropFirst(5))
      return Answer(status: status, version: version, headers: headers, body: rest)
    }
  }
}
