/// Where a server listens: a host or address, and a port.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  public var host: String
  /// 0 lets the kernel choose a free one.
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `127.0.0.1:8443`, `localhost:8443` or `[::1]:8443`.
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
