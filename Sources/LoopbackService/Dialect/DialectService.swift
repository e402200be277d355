import Configuration
import HTTPServer

/// How one push service speaks: what it takes, what it refuses and in which words. Lives on the service's event loop.
protocol DialectService: AnyObject {
  var dialect: ScenarioDialect { get }

  /// Holds a request against the rules, in the order in which a mistake hides the later ones.
  func check(_ request: HTTPRequest, _ context: RequestContext) -> Verdict

  /// Words the answer to a request that the server itself turned away.
  func refusal(of violation: HTTPViolation, path: String, _ context: RequestContext) -> Refusal

  func closed(connection: Int)
}

extension DialectService {
  func closed(connection: Int) {}
}
