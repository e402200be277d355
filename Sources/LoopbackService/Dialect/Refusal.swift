import HTTPServer

/// An answer with an error status, and what the script says of it.
struct Refusal: Sendable {
  var status: Int
  /// The service's own word.
  var reason: String
  var response: HTTPResponse
}
