import Glibc
import Measurement
import TestKit
import Testing

@testable import Collector

/// What the collector tells the service manager, read from a socket of this test.
@Suite struct ServiceManagerTests {
  /// A service manager's end of `$NOTIFY_SOCKET`.
  private final class Receiver {
    private let descriptor: Int32

    init(path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      if path.hasPrefix("@") { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(2 + bytes.count + (path.hasPrefix("@") ? 0 : 1))
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// The messages that have come so far.
    func messages() -> [String] {
      var found: [String] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count >= 0 else { return found }
        found.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
    }
  }

  @Test(arguments: [false, true])
  func readyIsSentOnce(isAbstract: Bool) throws {
    let directory = try TemporaryDirectory()
    let path =
      isAbstract ? "@pushscope-test-\(getpid())-\(UInt32.random(in: 0 ... .max))" : directory.path + "/notify"
    let receiver = try Receiver(path: path)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": path]))
    manager.notifyReady()
    manager.notifyReady()
    manager.notify(status: "recording \u{1B}[2J")
    manager.notifyStopping()
    #expect(
      receiver.messages() == ["READY=1", "STATUS=recording ␛[2J", "STOPPING=1\nSTATUS=stopping"])
  }

  /// While a recorder runs only its own signs count: one that hangs must not be hidden by the maintenance thread.
  @Test func signsOfLifeComeFromTheRecorder() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/notify"
    let receiver = try Receiver(path: path)
    let manager = try #require(
      ServiceManager(
        environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "\(getpid())"]))
    var now = MonotonicTime(nanoseconds: 5_000_000_000)
    manager.notifyAlive(.maintenance, at: now)
    #expect(receiver.messages() == ["WATCHDOG=1"])
    manager.countRecorder(isRunning: true)
    now = now + .seconds(10)
    manager.notifyAlive(.maintenance, at: now)
    #expect(receiver.messages() == [])
    manager.notifyAlive(.recorder, at: now)
    manager.notifyAlive(.recorder, at: now + .milliseconds(999))
    #expect(receiver.messages() == ["WATCHDOG=1"])
    manager.notifyAlive(.recorder, at: now + .seconds(1))
    manager.countRecorder(isRunning: false)
    manager.notifyAlive(.maintenance, at: now + .seconds(2))
    #expect(receiver.messages() == ["WATCHDOG=1", "WATCHDOG=1"])
  }

  @Test func withoutAServiceManagerNothingIsSent() throws {
    #expect(ServiceManager(environment: [:]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]) == nil)
    // A socket that nobody reads, and a watchdog for another process.
    let manager = try #require(
      ServiceManager(
        environment: ["NOTIFY_SOCKET": "/nowhere/notify", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"]))
    manager.notifyReady()
    manager.notifyAlive(.recorder, at: MonotonicTime(nanoseconds: 0))
  }
}
