import FoundationEssentials

/// Who publishes and subscribes.
public enum NtfyAuthorization: Sendable, Hashable, CustomStringConvertible {
  /// Topics that everybody may use.
  case none
  /// An access token, `tk_…`.
  case token(String)
  case basic(username: String, password: String)

  /// The `Authorization` header's value; `nil` for none.
  public var headerValue: String? {
    switch self {
    case .none: nil
    case .token(let token): "Bearer \(token)"
    case .basic(let username, let password):
      "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
    }
  }

  var headers: [HeaderField] { headerValue.map { [HeaderField("authorization", $0)] } ?? [] }

  /// Without token and password.
  public var description: String {
    switch self {
    case .none: "nobody"
    case .token: "token (hidden)"
    case .basic(let username, _): "\(username) (password hidden)"
    }
  }
}

extension NtfyAuthorization: CustomReflectable {
  /// Keeps `dump` from looking inside.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
