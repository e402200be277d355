import Glibc

/// The few socket calls that tests need beside libcurl.
enum LoopbackSocket {
  /// A port that was free a moment ago.
  static func freePort() -> Int? {
    guard let (fd, port) = bound() else { return nil }
    close(fd)
    return port
  }

  /// A socket that is bound but does not listen: connecting to its port is refused while it is open.
  static func bound() -> (fd: Int32, port: Int)? {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(fd, pointer, size) == 0 ? getsockname(fd, pointer, &size) : -1
      }
    }
    return code == 0 ? (fd, Int(UInt16(bigEndian: address.sin_port))) : nil
  }

  static func connects(to port: Int) -> Bool {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
