import Glibc
import Measurement

/// A push service that devices may be reached through: a host, or all hosts below a name, with a port.
///
/// Whoever joins chooses the endpoint, so this is what keeps a stranger from having the collector ask hosts of its own network.
public struct PushServicePattern: Sendable, Hashable, CustomStringConvertible {
  /// A name in lower case, or an address without brackets. With ``isWildcard`` the part after `*.`.
  public let host: String
  /// Whether it stands for every name below ``host``.
  public let isWildcard: Bool
  public let port: Int

  private static let defaultPort = 443

  /// The push services of Chrome, Firefox, Safari and Edge.
  public static let standard = [
    Self(host: "fcm.googleapis.com"), Self(host: "updates.push.services.mozilla.com"),
    Self(host: "web.push.apple.com"), Self(host: "notify.windows.com", isWildcard: true),
  ]

  private init(host: String, isWildcard: Bool = false, port: Int = defaultPort) {
    self.host = host
    self.isWildcard = isWildcard
    self.port = port
  }

  /// Parses `push.example.com`, `push.example.com:8443`, `*.example.com`, `127.0.0.1:8471` or `[::1]:8471`.
  static func parse(_ text: String) throws(ValueTextError) -> Self {
    let isWildcard = text.hasPrefix("*.")
    let rest = isWildcard ? String(text.dropFirst(2)) : text
    guard let (host, port) = HostText.split(rest), port != 0 else {
      throw ValueTextError(
        text, "is not a push service",
        remedy: "write a host, like fcm.googleapis.com, or all hosts below one, like \"*.notify.windows.com\""
      )
    }
    let pattern = Self(host: host.lowercased(), isWildcard: isWildcard, port: port ?? defaultPort)
    if isWildcard {
      let labels = host.split(separator: ".", omittingEmptySubsequences: false)
      guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), !isNumeric(labels[labels.count - 1]),
        !pattern.isAddress
      else {
        throw ValueTextError(
          text, "stands for too much",
          remedy: "write at least two labels after it, like \"*.notify.windows.com\"")
      }
    }
    return pattern
  }

  /// Whether it names an address itself, which may then be of any kind; the addresses of a name must be global ones.
  public var isAddress: Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }

  /// Whether notifications may be sent to an endpoint. Hosts of ``Endpoint`` are in lower case and ASCII.
  public func contains(_ endpoint: Endpoint) -> Bool {
    guard endpoint.scheme == .https, endpoint.port == port else { return false }
    guard isWildcard else { return endpoint.host == host }
    let end = ".\(host)"
    guard endpoint.host.hasSuffix(end), endpoint.host.utf8.count > end.utf8.count else { return false }
    return endpoint.host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
  }

  /// A name whose last label is a number is read as an address, like 127.1.
  private static func isNumeric(_ label: Substring) -> Bool { label.utf8.first.map(ASCII.isDigit) ?? true }

  public var description: String {
    (isWildcard ? "*." : "") + HostText.bracketed(host) + (port == Self.defaultPort ? "" : ":\(port)")
  }
}
