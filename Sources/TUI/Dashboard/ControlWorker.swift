import Glibc
import Measurement
import Store
import Synchronization

/// Sends commands to the collector and waits for their outcomes, each on a thread of its own: deleting a large run takes
/// long, and neither screen nor reader wait for it.
final class ControlWorker: Sendable {
  private let client: ControlClient
  private let reports = Mutex<[ControlReport]>([])
  private let onReport: @Sendable () -> Void

  /// How often the outcome is asked for, every 100 ms, before the command counts as unanswered. Stopping a run waits for
  /// notifications under way.
  private static let attempts = 900

  /// - Parameter onReport: called on a worker thread when there is a report to take.
  init(path: String, clock: any HostClock, onReport: @escaping @Sendable () -> Void) {
    client = ControlClient(storePath: path, clock: clock)
    self.onReport = onReport
  }

  /// The outcomes since the last call.
  func take() -> [ControlReport] {
    reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }

  func send(_ command: ControlCommand) throws(DashboardError) {
    try WorkerThread.start { [self] in
      WorkerThread.setName("control")
      let report = ControlReport(command: command, result: result(of: command))
      reports.withLock { $0.append(report) }
      onReport()
    }
  }

  private func result(of command: ControlCommand) -> ControlReport.Result {
    do {
      let ticket = try client.submit(command)
      for _ in 0..<Self.attempts {
        switch try client.outcome(of: ticket) {
        case .done: return .done
        case .refused(let reason): return .refused(reason)
        case .waiting: _ = poll(nil, 0, 100)
        }
      }
      return .refused("the collector does not answer; see its log")
    } catch {
      return .refused("\(error)")
    }
  }
}

/// The outcome of a command that the collector was asked to carry out.
struct ControlReport: Sendable, Equatable {
  enum Result: Sendable, Equatable {
    case done
    /// The reason, as a sentence for the user.
    case refused(String)
  }

  let command: ControlCommand
  let result: Result
}
