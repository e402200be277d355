import Glibc
import Measurement
import Store
import Synchronization

/// Carries commands to the collector and waits for what becomes of them, each on a thread of its own: deleting a run of
/// millions takes its time, and neither screen nor reader wait for it.
final class ControlWorker: Sendable {
  private let desk: ControlClient
  private let reports = Mutex<[ControlReport]>([])
  private let onReport: @Sendable () -> Void

  /// How long an answer may take: stopping waits for what is under way. In looks, a tenth of a second apart.
  private static let patience = 900

  /// - Parameter onReport: called on a thread of the clerk's when there is a report to take.
  init(path: String, clock: any HostClock, onReport: @escaping @Sendable () -> Void) {
    desk = ControlClient(storePath: path, clock: clock)
    self.onReport = onReport
  }

  /// What has become of commands since the last time.
  func take() -> [ControlReport] {
    reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }

  func carry(_ command: ControlCommand) throws(DashboardError) {
    try WorkerThread.start { [self] in
      WorkerThread.setName("control")
      let report = ControlReport(command: command, result: result(of: command))
      reports.withLock { $0.append(report) }
      onReport()
    }
  }

  private func result(of command: ControlCommand) -> ControlReport.Result {
    do {
      let ticket = try desk.submit(command)
      for _ in 0..<Self.patience {
        switch try desk.outcome(of: ticket) {
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

/// What became of something the collector was asked for.
struct ControlReport: Sendable, Equatable {
  enum Result: Sendable, Equatable {
    case done
    /// A sentence for people.
    case refused(String)
  }

  let command: ControlCommand
  let result: Result
}
