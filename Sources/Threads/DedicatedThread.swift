import CLinux
import Glibc

/// Starts threads for work that blocks or keeps time. Swift tasks suit neither: their pool has one thread per core, and a
/// task that blocks takes one away from all others.
public enum DedicatedThread {
  /// Starts a detached thread that runs `body` to its end. All signals that do not report a crash are blocked in it.
  /// - Parameter name: shown by ps and top; at most 15 bytes.
  /// - Throws: ``ThreadError`` when the system has no thread left.
  public static func start(name: String, _ body: sending @escaping () -> Void) throws(ThreadError) {
    let work = Unmanaged.passRetained(Work(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, enter, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw ThreadError("cannot start the thread \"\(name)\"", code: code)
    }
    pthread_detach(thread)
  }

  private final class Work {
    let name: String
    let body: () -> Void

    init(name: String, body: @escaping () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    pointer in
    guard let pointer else { return nil }
    let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
    _ = clinux_name_thread(work.name)
    _ = clinux_block_signals()
    work.body()
    return nil
  }
}

/// A thread or a descriptor that the system did not give.
public struct ThreadError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What failed, with the system's reason.
  public var message: String
  public var remedy: String

  /// - Parameter code: an errno value.
  public init(
    _ message: String, code: Int32,
    remedy: String = "stop some programs, or raise this user's limits, and try again"
  ) {
    self.message = "\(message): \(String(cString: strerror(code)))"
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }
}
