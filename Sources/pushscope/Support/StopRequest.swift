import Foundation
import UnixSignals

/// Waits for a reason to stop: SIGINT, SIGTERM, SIGHUP unless it was ignored at the start (`nohup`), or the end of standard
/// input where asked.
///
/// After the first reason the command drains and closes in order. A second SIGINT or SIGTERM ends the process at once. A
/// SIGHUP never does: a terminal that closes sends one, and its shell another; systemd may send one right after SIGTERM.
enum StopRequest {
  /// Runs `body` beside the watch for a reason to stop; the first reason calls `stop` once.
  static func watch<Value: Sendable>(
    untilInputEnds: Bool, stop: @escaping @Sendable () -> Void,
    body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let signals = await UnixSignalsSequence(
      trapping: ProcessSignals.isIgnored(SIGHUP) ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup])
    let watching = Task {
      var isStopping = false
      for await signal in signals {
        if isStopping, signal == .sighup { continue }
        if isStopping { _exit(ExitStatus.failed.rawValue) }
        isStopping = true
        stop()
      }
    }
    defer { watching.cancel() }
    if untilInputEnds {
      Task.detached {
        await InputEnd.wait()
        stop()
      }
    }
    return try await body()
  }
}
