import Glibc

/// Socket calls of tests.
enum LoopbackSocket {
  /// A port that was free just now.
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

  /// Both ends of a connection over the loopback interface; the caller closes them.
  static func connectedPair() -> (near: Int32, far: Int32)? {
    guard let (listener, port) = bound() else { return nil }
    defer { close(listener) }
    guard listen(listener, 1) == 0 else { return nil }
    let near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard connect(near, to: port) else {
      close(near)
      return nil
    }
    let far = accept(listener, nil, nil)
    return far >= 0 ? (near, far) : nil
  }

  /// A listening socket that never sends anything.
  static func silent() -> (fd: Int32, port: Int)? {
    guard let (fd, port) = bound() else { return nil }
    return listen(fd, 16) == 0 ? (fd, port) : nil
  }

  static func connects(to port: Int) -> Bool {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    return connect(fd, to: port)
  }

  private static func connect(_ fd: Int32, to port: Int) -> Bool {
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
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
