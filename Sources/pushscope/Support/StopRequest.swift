import Foundation
import UnixSignals

/// Waits for a reason to stop: SIGINT, SIGTERM, or the end of standard input where asked.
///
/// After the first reason the command drains and closes in order. A second signal ends the process at once.
enum StopRequest {
  /// Runs `body` beside the watch for a reason to stop; the first reason calls `stop` once.
  static func watch<Value: Sendable>(
    untilInputEnds: Bool, stop: @escaping @Sendable () -> Void,
    body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let watching = Task {
      var isStopping = false
      for await _ in signals {
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
