import CLinux
import Glibc

/// A real thread for work that blocks or keeps time. Tasks would do neither well: their pool has a thread a core, and
/// whoever blocks one takes it from everybody.
enum DedicatedThread {
  /// Starts a detached thread that runs `body` to its end.
  /// - Parameter name: at most 15 bytes; shown by ps and top.
  static func start(name: String, _ body: sending @escaping () -> Void) {
    let box = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    let status = pthread_create(&thread, &attributes, enter, box.toOpaque())
    precondition(status == 0, "the system has no thread left (pthread_create: \(status))")
  }

  private final class Start {
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
    let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
    _ = clinux_name_thread(start.name)
    // Signals are for the thread that waits for them.
    _ = clinux_block_signals()
    start.body()
    return nil
  }
}
