import Measurement
import Store

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
          text: "no collector is at work; start one: pushscope collect --store \(options.storePath)",
          role: .warning))
    }
    guard let run = collector.run else {
      return .open(.prompt(Prompt(.startRun, title: "start a run", hint: "its name, or nothing")))
    }
    let known = [latest.run, latest.recording].compactMap { $0 }.first { $0.id == run }
    let name = known?.name ?? String("\(run)".prefix(13))
    let after =
      collector.staysAfterRun
      ? "The collector stays, and another run can be started." : "The collector then ends."
    return .open(
      .question(
        Question(
          command: .stop, title: "stop the run?",
          body: ["\(name): nothing more is planned, and what is under way is waited for. \(after)"])))
  }

  func rename() -> ScreenEffect {
    guard let run = chosen else { return .say("runs are renamed in their panel", .warning) }
    return .open(
      .prompt(
        Prompt(
          .rename(run.id), title: "rename the run", hint: "a name; nothing takes the name away",
          text: run.name ?? "")))
  }

  func delete() -> ScreenEffect {
    guard let run = chosen else { return .say("runs are deleted in their panel", .warning) }
    if run.id == latest.collector?.run {
      return .say("\(run.title) is being recorded; stop it first", .warning)
    }
    let began = options.zone.civil(run.startedAt).dateTime
    let count = "\(FixedPoint.grouped(run.counts.total)) notification\(run.counts.total == 1 ? "" : "s")"
    return .open(
      .question(
        Question(
          command: .delete(run.id), title: "delete the run?",
          body: [
            "\(run.title), begun \(began), with \(count).",
            "All that is stored of it goes. It cannot be brought back.",
          ])))
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
      return [.say(name.map { "the run is called \($0)" } ?? "the run has no name any more", .accent)]
    case .delete(let run):
      state.runs.marked.removeAll { $0 == run }
      if state.subject.run == run { state.subject.run = nil }
      if state.comparison == .run(run) { state.endComparison() }
      return [.say("the run is deleted", .accent)]
    }
  }
}
