import Glibc
import Measurement
import Store
import Synchronization
import Threads

/// Starting, stopping, renaming and deleting runs: what is asked before, and what follows from the collector's answer.
struct RunControl {
  let latest: Snapshot
  /// The chosen run of the list of runs; `nil` while the list is not open.
  let chosen: RunEntry?
  let options: ScreenOptions

  /// Asks for the name of a new run, or whether the current one is to stop. Without a collector it says how to start one.
  func startOrStop() -> ScreenEffect {
    guard let collector = latest.collector, collector.isRunning else {
      return .show(
        FooterMessage(
          text: "no collector is running; start one: pushscope collect --store \(options.place.name)",
          role: .warning))
    }
    guard let run = collector.run else {
      return .open(Prompt(.startRun, title: "start a run", hint: "a name; it may be empty"))
    }
    let known = [latest.run, latest.recording].compactMap { $0 }.first { $0.id == run }
    let name = known?.name ?? String("\(run)".prefix(13))
    let after =
      collector.staysAfterRun
      ? "It keeps running, and another run can be started." : "Then it exits."
    return .open(
      Question(
        command: .stop, title: "stop the run?",
        body: [
          "\(name): nothing more is planned, and the collector waits for notifications under way. \(after)"
        ]))
  }

  func rename() -> ScreenEffect {
    guard let run = chosen else { return .say("runs are renamed in their panel", .warning) }
    return .open(
      Prompt(
        .rename(run.id), title: "rename the run", hint: "a name; leave it empty to remove the name",
        text: run.name ?? ""))
  }

  func delete() -> ScreenEffect {
    guard let run = chosen else { return .say("runs are deleted in their panel", .warning) }
    if run.id == latest.collector?.run {
      return .say("\(run.title) is being recorded; stop it first", .warning)
    }
    let began = options.zone.civil(run.startedAt).dateTime
    let count = CountText.text(run.counts.planned, "notification")
    return .open(
      Question(
        command: .delete(run.id), title: "delete the run?",
        body: [
          "\(run.title), begun \(began), with \(count).",
          "All of its data is deleted. This cannot be undone.",
        ]))
  }

  /// Applies the outcome of a command that the collector was asked to carry out.
  static func apply(_ report: ControlReport, to state: inout ViewState) -> [ScreenEffect] {
    if case .refused(let reason) = report.result { return [.say(reason, .warning)] }
    switch report.command {
    case .start:
      state.subject.run = nil
      return [.say("a run has begun", .accent)]
    case .stop: return [.say("the run is stopped", .accent)]
    case .rename(_, let name):
      return [.say(name.map { "the run is called \($0)" } ?? "the name of the run is removed", .accent)]
    case .delete(let run):
      state.runs.marked.removeAll { $0 == run }
      if state.subject.run == run { state.subject.run = nil }
      if state.comparison == .run(run) { state.endComparison() }
      return [.say("the run is deleted", .accent)]
    case .hide: return [.say("the finding is hidden", .accent)]
    case .unhide: return [.say("the finding is listed again", .accent)]
    case .annotate: return [.say("the annotation is written", .accent)]
    case .prune: return [.say("older notifications are deleted", .accent)]
    case .device: return []
    }
  }
}

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
  func drain() -> [ControlReport] {
    reports.withLock { reports in
      defer { reports = [] }
      return reports
    }
  }

  func send(_ command: ControlCommand) throws(DashboardError) {
    do {
      try DedicatedThread.start(name: "control") { [self] in
        let report = ControlReport(command: command, result: result(of: command))
        reports.withLock { $0.append(report) }
        onReport()
      }
    } catch {
      throw DashboardError(error)
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
