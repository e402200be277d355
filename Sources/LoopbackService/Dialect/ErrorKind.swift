/// What an error means, whoever words it: how a scenario written in one service's words is spoken in another's.
enum ErrorKind: Sendable, Hashable {
  case malformed, untrusted, forbidden, unknown, gone, tooLarge, tooMany, broken, unavailable

  /// `nil` for statuses without a common meaning.
  init?(status: Int) {
    switch status {
    case 400: self = .malformed
    case 401: self = .untrusted
    case 403: self = .forbidden
    case 404: self = .unknown
    case 410: self = .gone
    case 413: self = .tooLarge
    case 429: self = .tooMany
    case 500: self = .broken
    case 503: self = .unavailable
    default: return nil
    }
  }
}
