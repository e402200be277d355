import HTTPServer
import NIOHPACK

extension HTTPResponse {
  /// `retry-after` in whole seconds, rounded up (RFC 9110, section 10.2.3); nothing for `nil`.
  func retrying(after pause: Duration?) -> HTTPResponse {
    guard let pause else { return self }
    var response = self
    let (seconds, rest) = pause.components
    response.headers.add(name: "retry-after", value: String(seconds + (rest > 0 ? 1 : 0)))
    return response
  }
}
