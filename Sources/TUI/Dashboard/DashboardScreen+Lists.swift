import ConstraintAnimation

/// Log and events as lists.
extension DashboardScreen {
  /// Asks which words the lines are to have.
  func askFilter() {
    if state.panel != .log, state.panel != .events { slide(to: .log) }
    open(
      .prompt(
        Prompt(
          .filter, title: "only lines with", hint: "words in any order; nothing lists all lines again",
          text: state.filter?.text ?? "")))
  }

  func filter(by text: String) {
    state.filter = ListFilter(text)
    (state.logPosition, state.eventPosition) = (.end, .end)
  }
}
