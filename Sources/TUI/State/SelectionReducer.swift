import ConstraintAnimation
import Measurement
import Store

/// What commands and clicks select.
extension Reducer {
  // MARK: - Selection in the plot

  /// Selects; an empty selection is none.
  mutating func select(_ selection: Selection?, by choice: PanelChoice?) {
    let selection = selection.flatMap { $0.isEmpty ? nil : $0 }
    state.plot.selection = selection
    state.plot.choice = choice
    let message = selection.map {
      FooterMessage(
        text: "\(CountText.grouped($0.count)) selected, \($0.label): Enter lists, e writes a CSV file",
        role: .strong)
    }
    effects.append(.show(message))
  }

  mutating func select(_ pick: PickedNotification) {
    var selection = Selection(label: "at the crosshair")
    selection.add(pick.sequence, of: shown.tracks[pick.target].target)
    select(selection, by: nil)
  }

  mutating func select(_ box: PlotBox) {
    guard let tester = plot?.hitTester(of: box.start.pane) else { return }
    let selection = tester.selection(in: box)
    select(selection, by: nil)
    if selection.isEmpty { say(sumsInView ?? "nothing in the box") }
  }

  /// Selects the notification under the pointer; a click beside all of them clears the selection.
  mutating func click(_ place: PlotPosition) {
    if let pick = plot?.pick(at: place), abs(pick.column - place.column) <= 2, abs(pick.y - place.y) <= 1 {
      select(pick)
    } else {
      select(nil, by: nil)
    }
  }

  /// Why nothing can be selected in a window that is drawn from sums; `nil` in any other.
  var sumsInView: String? {
    context.content?.facts.sums.isEmpty ?? true
      ? nil : "only sums are shown here: zoom in until single notifications are"
  }

  /// Enter is for the box first, then for selection and crosshair, then for the chosen row of a table.
  mutating func listSelection() {
    if state.panel.isTable, state.plot.box == nil, !state.plot.holdsCrosshair, state.plot.selection == nil {
      return choose()
    }
    if let box = state.plot.box {
      state.plot.box = nil
      select(box)
    } else if state.plot.holdsCrosshair, state.plot.selection == nil, let pick = plot?.crosshair?.pick {
      select(pick)
    }
    if state.plot.selection == nil {
      sayNothingSelected()
    } else {
      effects.append(.open(SelectionList()))
    }
  }

  mutating func exportSelection() {
    guard let selection = state.plot.selection else { return sayNothingSelected() }
    effects.append(.host(.exportSamples(selection.ids(in: shown.tracks.map(\.target)))))
  }

  mutating func sayNothingSelected() {
    say("nothing is selected: click or drag in the plot, or press i, then Enter")
  }

  // MARK: - Selection in the panels

  /// Selects the bucket, log line or event at a cell.
  mutating func choose(atX x: Int, y: Int) {
    if let choice = PanelSelection(state, context, rows: listRows).choice(atX: x, y: y) { select(choice) }
  }

  /// Selects the next bucket, log line or event, or the one before; first of all the one nearest to the end.
  mutating func choose(forward: Bool) {
    if state.panel.isTable { return scroll(by: forward ? 1 : -1) }
    guard let choice = PanelSelection(state, context, rows: listRows).next(forward: forward) else { return }
    show(choice)
  }

  /// Selects a bucket, log line or event, and scrolls to it.
  mutating func show(_ choice: PanelChoice) {
    let panel = PanelSelection(state, context, rows: listRows)
    switch choice {
    case .bucket: break
    case .logLine(let place): state.lists.log = panel.position(showing: place, of: .log)
    case .event(let place): state.lists.events = panel.position(showing: place, of: .events)
    }
    select(choice)
  }

  mutating func select(_ choice: PanelChoice) {
    guard let selection = PanelSelection(state, context, rows: listRows).selection(of: choice) else { return }
    select(selection, by: choice)
    if case .bucket = choice, selection.isEmpty, let sumsInView { say(sumsInView) }
  }
}
