/// The URL that a target's requests go to, in the parts that a connection and a request need.
///
/// Its printed form is the origin alone: paths and queries of webhooks and subscriptions are often secrets.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  public enum Scheme: String, Sendable, Hashable {
    case http, https
  }

  public var scheme: Scheme
  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  public var host: String
  public var port: Int
  /// From the slash on, query included; empty when the URL ends with the host.
  public var target: String

  public init(scheme: Scheme, host: String, port: Int, target: String = "") {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.target = target
  }

  /// Reads an absolute `https` or `http` URL without user and fragment (RFC 3986).
  public static func parse(_ text: String) throws(ValueTextError) -> Endpoint {
    let remedy = "write an absolute URL, like https://push.example.com or https://127.0.0.1:8471"
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"),
      let scheme = Scheme(rawValue: text[..<colon].lowercased())
    else { throw ValueTextError(text, "is not an https or http URL", remedy: remedy) }
    let rest = text[text.index(colon, offsetBy: 3)...]
    let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    let authority = rest[..<authorityEnd]
    if let at = authority.lastIndex(of: "@") {
      throw ValueTextError(
        "\(scheme.rawValue)://…@\(authority[authority.index(after: at)...])",
        "carries a user or password",
        remedy: "leave them out of the URL and send them as a header taken from ${ENV}")
    }
    guard let (host, port) = HostText.split(String(authority)), port != 0 else {
      throw ValueTextError(text, "names no host that can be asked", remedy: remedy)
    }
    let path = rest[authorityEnd...]
    guard !path.contains("#"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw ValueTextError(
        text, "has a fragment, or characters that a URL cannot have",
        remedy: "leave the fragment out and percent-encode the rest")
    }
    let target = path.hasPrefix("?") ? "/" + path : String(path)
    return Endpoint(
      scheme: scheme, host: host.lowercased(), port: port ?? (scheme == .https ? 443 : 80), target: target)
  }

  /// Host and port as the URL and the Host header have them; the scheme's own port is left out.
  public var authority: String {
    let isDefault = port == (scheme == .https ? 443 : 80)
    return HostText.bracketed(host) + (isDefault ? "" : ":\(port)")
  }

  /// Scheme, host and port, without path and query.
  public var origin: String { "\(scheme.rawValue)://\(authority)" }

  /// The whole URL: for the request, not for people.
  public var url: String { origin + target }

  public var description: String { origin }
}

extension Endpoint: CustomReflectable {
  /// Keeps `dump` from printing the path.
  public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
