import Glibc
import TestKit

/// Socket calls of tests.
public enum LoopbackSocket {
  /// A socket that is bound but does not listen: connecting to its port is refused while it is open.
  public static func bound() -> (fd: Int32, port: Int)? {
    let fd = FreePort.makeSocket()
    return FreePort.bind(fd).map { (fd, $0) }
  }

  /// Both ends of a connection over the loopback interface; the caller closes them.
  public static func connectedPair() -> (near: Int32, far: Int32)? {
    guard let (listener, port) = silent() else { return nil }
    defer { close(listener) }
    let near = FreePort.makeSocket()
    guard FreePort.connect(near, to: port) else {
      close(near)
      return nil
    }
    let far = accept(listener, nil, nil)
    return far >= 0 ? (near, far) : nil
  }

  /// A listening socket that never sends anything.
  public static func silent() -> (fd: Int32, port: Int)? {
    guard let (fd, port) = bound() else { return nil }
    return listen(fd, 16) == 0 ? (fd, port) : nil
  }
}
