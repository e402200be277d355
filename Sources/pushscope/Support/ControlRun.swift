import Foundation
import Measurement
import Store

/// Has something done to a store by whoever may: the collector that has it, or this process.
enum ControlRun {
  /// How often the answer is looked for.
  private static let interval: TimeInterval = 0.05

  /// Waits until it is done.
  /// - Parameter limit: how long a collector may take to answer, in seconds; `nil` for as long as it lives.
  /// - Throws: ``CommandFailure`` with the collector's reason, `StoreError`.
  static func carryOut(_ command: ControlCommand, store path: String, within limit: TimeInterval?) throws {
    let desk = ControlClient(storePath: path, clock: SystemClock())
    let ticket = try desk.submit(command)
    let start = ProcessInfo.processInfo.systemUptime
    while true {
      switch try desk.outcome(of: ticket) {
      case .done: return
      case .refused(let reason): throw CommandFailure("\(path): \(reason)", exitStatus: .failed)
      case .waiting: break
      }
      if let limit, ProcessInfo.processInfo.systemUptime - start > limit {
        throw CommandFailure(
          "the collector that uses \(path) does not answer; check that it is running, or stop it and try again",
          exitStatus: .unavailable)
      }
      Thread.sleep(forTimeInterval: interval)
    }
  }
}
