import Glibc

/// The `host:port` part that addresses and URLs have in common (RFC 3986, section 3.2).
enum HostText {
  /// Splits `host`, `host:port` or `[v6]:port`; `nil` when the host is neither a name nor an address, or the port
  /// not a number up to 65535.
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
      digits.utf8.allSatisfy({ (48...57).contains($0) }),
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
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
          || $0 == 95
      }
  }
}
