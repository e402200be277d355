import Glibc
import Measurement

/// URL of a target, in the parts that a connection and a request need.
///
/// `description` is the origin only: paths and queries of webhooks and subscriptions are often secrets.
public struct Endpoint: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The schemes that notifications are sent by.
  public enum Scheme: String, Sendable, Hashable, Codable {
    case http, https
  }

  public var scheme: Scheme
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  public var host: String
  public var port: Int
  /// Path and query; empty when the URL ends with host or port.
  public var target: String

  public init(scheme: Scheme, host: String, port: Int, target: String = "") {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.target = target
  }

  /// Parses an absolute `https` or `http` URL without user and fragment (RFC 3986).
  public static func parse(_ text: String) throws(ValueTextError) -> Endpoint {
    try endpoint(in: text, userRemedy: "send them in a header instead, with a value from ${ENV}")
  }

  /// - Parameter userRemedy: where to write a user instead.
  static func endpoint(in text: String, userRemedy: String) throws(ValueTextError) -> Endpoint {
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
        "contains a user or password", remedy: userRemedy)
    }
    guard let (host, port) = HostText.split(String(authority)), port != 0 else {
      throw ValueTextError(text, "has no valid host and port", remedy: remedy)
    }
    let path = rest[authorityEnd...]
    guard !path.contains("#"), path.utf8.allSatisfy(ASCII.isVisible) else {
      throw ValueTextError(
        text, "has a fragment or characters that are invalid in a URL",
        remedy: "remove the fragment and percent-encode the rest")
    }
    let target = path.hasPrefix("?") ? "/" + path : String(path)
    return Endpoint(
      scheme: scheme, host: host.lowercased(), port: port ?? (scheme == .https ? 443 : 80), target: target)
  }

  /// Host and port as in the Host header, without the scheme's default port.
  public var authority: String {
    let isDefault = port == (scheme == .https ? 443 : 80)
    return HostText.bracketed(host) + (isDefault ? "" : ":\(port)")
  }

  /// Scheme, host and port, without path and query.
  public var origin: String { "\(scheme.rawValue)://\(authority)" }

  /// The whole URL, for requests only: it may contain secrets.
  public var url: String { origin + target }

  public var description: String { origin }
}

extension Endpoint: CustomReflectable {
  /// Keeps `dump` from printing the path.
  public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}

/// Host and port of a listener.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  public var host: String
  /// 0: a free port that the kernel chooses.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:8443`, `localhost:8443` or `[::1]:8443`.
  public static func parse(_ text: String) throws(ValueTextError) -> ListenAddress {
    guard let (host, port) = HostText.split(text), let port else {
      throw ValueTextError(
        text, "is not an address to listen on",
        remedy: "write a host and a port, like 127.0.0.1:8443 or [::1]:8443")
    }
    return ListenAddress(host: host, port: port)
  }

  public var description: String { "\(HostText.bracketed(host)):\(port)" }
}

/// `host:port` of addresses and URLs (RFC 3986, section 3.2).
enum HostText {
  /// Splits `host`, `host:port` or `[v6]:port`; `nil` for an invalid host or a port above 65535.
  static func split(_ text: String) -> (host: String, port: Int?)? {
    let host: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard isIPv6(String(host)) else { return nil }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = text[..<end]
      rest = text[end...]
      guard isName(host) else { return nil }
    }
    if rest.isEmpty { return (String(host), nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", (1...5).contains(digits.count),
      digits.utf8.allSatisfy(ASCII.isDigit),
      let port = Int(digits), port <= 65_535
    else { return nil }
    return (String(host), port)
  }

  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

  private static func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET6, text, &address) == 1
  }

  /// Letters, digits, hyphens, dots and underscores: host names and IPv4 addresses.
  private static func isName(_ text: Substring) -> Bool {
    (1...253).contains(text.utf8.count) && text.first != "-" && text.first != "."
      && text.utf8.allSatisfy(ASCII.isName)
  }
}
