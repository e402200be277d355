import Glibc

/// A TCP port of 127.0.0.1 that nobody listens on. Somebody may take it before we do; a demonstration can live with
/// that and says so when it happens.
enum FreePort {
  static func take() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { generic in
        bind(descriptor, generic.baseAddress, length) == 0
          && getsockname(descriptor, generic.baseAddress, &length) == 0
      }
    }
    guard descriptor >= 0, isBound else {
      throw CommandFailure(
        "no free port on 127.0.0.1: \(String(cString: strerror(errno))); see what else is running",
        exitStatus: .unavailable)
    }
    return Int(address.sin_port.bigEndian)
  }
}
