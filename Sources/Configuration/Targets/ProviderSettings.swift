/// What only one kind of push service needs to know.
public enum ProviderSettings: Sendable, Hashable {
  case http(HTTPSettings)
  case loopback(LoopbackSettings)

  public var kind: ProviderKind {
    switch self {
    case .http: .http
    case .loopback: .loopback
    }
  }
}
