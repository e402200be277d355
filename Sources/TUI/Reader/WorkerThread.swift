import Glibc

/// A plain thread. What it runs blocks in the kernel most of the time, which tasks of a shared pool must not.
enum WorkerThread {
  private final class Box {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  static func start(_ body: @escaping @Sendable () -> Void) throws(DashboardError) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        // The pointer is the one passed below; nobody else releases it.
        guard let argument else { return nil }
        let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
        box.body()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw DashboardError(
        code: .system, message: "cannot start a thread: \(String(cString: strerror(code)))",
        remedy: "close some programs and try again")
    }
    pthread_detach(thread)
  }

  /// Names the calling thread for tools that list threads; at most 15 bytes.
  ///
  /// glibc's own call is not among what Swift sees of it. A thread without a name works as well.
  static func setName(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = name.withCString { write(file, $0, strlen($0)) }
    close(file)
  }
}
