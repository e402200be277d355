import Configuration
import ConstraintAnimation
import Measurement

/// What is done with runs.
extension DashboardScreen {
  /// The run that keys are about: the chosen one in the list, elsewhere the one on display.
  var chosenRun: RunEntry? {
    guard state.panel == .runs, !latest.runs.isEmpty else { return nil }
    return latest.runs[state.runs.place(in: latest.runs)]
  }

  /// Shows the chosen run. The newest one is followed, and the next after it.
  func openRun() {
    guard let run = chosenRun else { return }
    state.replay = nil
    state.frozenAt = nil
    state.endComparison()
    squeezePlots()
    subject = Subject(run: run.id == latest.runs.first?.id ? nil : run.id, target: nil)
    if run.id != latest.run?.id { say("opening \(run.title)") }
    thaw()
  }

  /// A click on a row of the panel chooses its run; on the chosen one it opens it.
  func tapRun(row: Int) {
    let visible = state.runs.visible(in: latest.runs, rows: listRows)
    // Below the title and the heading.
    let place = visible.lowerBound + row - 2
    guard row >= 2, visible.contains(place) else { return }
    if latest.runs[place].id == chosenRun?.id {
      openRun()
    } else {
      state.runs.chosen = latest.runs[place].id
    }
    update()
  }

  func markRun() {
    guard let run = chosenRun else {
      say("runs are marked in their panel", .warning)
      return
    }
    state.runs.toggleMark(run.id)
    if state.runs.marked.count == 2 {
      let key = keys.stroke(for: .compare).map { appearance.isASCII ? $0.plainLabel : $0.label }
      say("two runs are marked\(key.map { "; \($0) compares them" } ?? "")")
    }
  }
}
