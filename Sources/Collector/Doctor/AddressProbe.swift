import Glibc
import Measurement

/// Tries each address of a host. libcurl takes the first one that accepts a connection, so that an address that accepts none shows
/// in nothing but the time that new connections take.
enum AddressProbe {
  /// An address without a connection, and why.
  struct Failure: Equatable {
    var address: String
    var reason: String
  }

  /// Addresses that are tried at most.
  private static let limit = 4

  /// - Parameters:
  ///   - addresses: in numbers, as ``NameLookup`` has them.
  ///   - timeout: how long each of them may take.
  /// - Returns: those that accept no connection at `port`. Blocks for `timeout` for each of them.
  static func failures(
    of addresses: [String], port: Int, timeout: Duration = .seconds(2)
  ) -> [Failure] {
    addresses.prefix(limit).compactMap { address in
      reason(address, port: port, timeout: timeout).map { Failure(address: address, reason: $0) }
    }
  }

  /// - Returns: why no connection can be made; `nil` where one can.
  private static func reason(_ address: String, port: Int, timeout: Duration) -> String? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &list) == 0, let entry = list?.pointee else { return nil }
    defer { freeaddrinfo(list) }
    let descriptor = socket(entry.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? nil : words(errno) }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    if connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 { return nil }
    // A host without that family tries none of its addresses.
    if [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(errno) { return nil }
    guard errno == EINPROGRESS else { return words(errno) }
    var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    var count: Int32
    repeat {
      count = poll(&waited, 1, Int32(clamping: timeout.milliseconds))
    } while count < 0 && errno == EINTR
    guard count > 0 else { return "no answer in \(LengthText.text(timeout))" }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code != 0 else { return nil }
    return words(code)
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
