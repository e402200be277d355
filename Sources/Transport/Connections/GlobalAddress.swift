import CCurl
import CLinux
import Glibc

/// Whether an address is one of the public network: global unicast (RFC 6890 and the registries that it names).
///
/// A stranger may have chosen the name of the host, and may have it resolve to an address inside, so the address itself is looked at.
enum GlobalAddress {
  /// Networks of IPv4 that are not global, with the bits of their prefix.
  private static let special: [(network: UInt32, bits: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
    (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
  ]

  /// - Parameter address: in the host's byte order.
  static func isGlobal(v4 address: UInt32) -> Bool {
    !special.contains { network, bits in (address ^ network) >> (32 - bits) == 0 }
  }

  /// - Parameter bytes: 16, in network order.
  static func isGlobal(v6 bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return false }
    // NAT64 (RFC 6052): what counts is the IPv4 address in it.
    if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
      return isGlobal(v4: bytes[12...].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let head = bytes[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    // 2000::/3 without protocol assignments, documentation and 6to4.
    return head >> 29 == 1 && head >> 9 != 0x2001_0000 >> 9 && head != 0x2001_0DB8
      && head >> 16 != 0x2002 && head >> 12 != 0x3FFF_0000 >> 12
  }

  /// - Parameter address: of a socket that libcurl is about to open. One of IPv6 is longer than the structure that it stands in.
  static func isGlobal(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
    let place = UnsafeRawPointer(address) + offset
    switch address.pointee.family {
    case AF_INET:
      return isGlobal(v4: UInt32(bigEndian: place.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6:
      let bytes = place.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return isGlobal(v6: withUnsafeBytes(of: bytes) { Array($0) })
    default: return false
    }
  }

  /// Opens a socket for an address.
  /// - Returns: CURL_SOCKET_BAD where the system has none.
  static func openSocket(_ address: curl_sockaddr) -> curl_socket_t {
    socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
  }
}

/// libcurl's callback for a socket: only addresses of the public network get one.
public func globalSocketWanted(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, GlobalAddress.isGlobal(address) else { return CURL_SOCKET_BAD }
  return GlobalAddress.openSocket(address.pointee)
}
