import ConstraintAnimation
import Measurement
import Store

/// What is asked of the collector: starting, stopping, renaming, deleting.
extension DashboardScreen {
  /// Asks for a name, or whether the run is to stop; without a collector it says how to get one.
  func askStartOrStop() {
    guard let collector = latest.collector, collector.isRunning else {
      say(
        FooterMessage(
          text: "no collector is at work; start one: pushscope collect --store \(storePath)", role: .warning))
      return
    }
    guard let run = collector.run else {
      open(.prompt(Prompt(.startRun, title: "start a run", hint: "its name, or nothing")))
      return
    }
    let known = [latest.run, latest.recording].compactMap { $0 }.first { $0.id == run }
    let name = known?.name ?? String("\(run)".prefix(13))
    let after =
      collector.staysAfterRun
      ? "The collector stays, and another run can be started." : "The collector then ends."
    open(
      .question(
        Question(
          command: .stop, title: "stop the run?",
          body: ["\(name): nothing more is planned, and what is under way is waited for. \(after)"])))
  }

  func askName() {
    guard let run = chosenRun else {
      say("runs are renamed in their panel", .warning)
      return
    }
    open(
      .prompt(
        Prompt(
          .rename(run.id), title: "rename the run", hint: "a name; nothing takes the name away",
          text: run.name ?? "")))
  }

  func askDelete() {
    guard let run = chosenRun else {
      say("runs are deleted in their panel", .warning)
      return
    }
    if run.id == latest.collector?.run {
      say("\(run.title) is being recorded; stop it first", .warning)
      return
    }
    let began = zone.civil(run.startedAt).dateTime
    open(
      .question(
        Question(
          command: .delete(run.id), title: "delete the run?",
          body: [
            "\(run.title), begun \(began), with \(FixedPoint.grouped(run.counts.total)) notification\(run.counts.total == 1 ? "" : "s").",
            "All that is stored of it goes. It cannot be brought back.",
          ])))
  }

  /// What became of something that was asked for.
  func report(_ report: ControlReport, at time: MotionTime) {
    step(to: time)
    if case .refused(let reason) = report.result {
      say(reason, .warning)
      return
    }
    switch report.command {
    case .start:
      subject.run = nil
      say("a run has begun")
    case .stop: say("the run is stopped")
    case .rename(_, let name): say(name.map { "the run is called \($0)" } ?? "the run has no name any more")
    case .delete(let run):
      say("the run is deleted")
      state.runs.marked.removeAll { $0 == run }
      if subject.run == run { subject.run = nil }
      if state.comparison == .run(run) {
        state.endComparison()
        squeezePlots()
      }
    }
    update()
  }
}
