import Analysis
import Configuration
import Findings
import Measurement
import Store

/// What commands and clicks do with the chosen finding.
extension Reducer {
  /// The chosen row of the panel of findings; `nil` without any.
  private var chosenFinding: FindingRow? {
    let rows = context.listed.findings
    return rows.isEmpty ? nil : rows[state.tables.findings.place(in: rows.map(\.id))]
  }

  /// Shows the stretch of the chosen finding with as much time on either side, in the metric and of the targets that it is
  /// about. Where that is in view already, opens all that is known of it.
  mutating func goToFinding() {
    guard let row = chosenFinding else { return say("there is no finding to go to") }
    if state.isAtFinding, state.tables.findings.chosen == row.id {
      return effects.append(.open(FindingSheet(row.id)))
    }
    state.tables.findings.chosen = row.id
    let length = max(row.length, .seconds(1))
    state.replay = nil
    state.scale = nil
    state.anchor = .stretch(from: row.stretch.lowerBound - length, length: length * 3)
    showTargets(of: row)
    showMetric(of: row)
    if state.plot.view == .hours { state.plot.view = .automatic }
    state.tables.visit = FindingVisit(row.id, state)
    effects.append(.adopt)
    sayWhatIsShown(row)
  }

  /// Has the plot show all targets of an incident; others that are shown stay.
  private mutating func showTargets(of row: FindingRow) {
    let names = Set(row.incident.findings.map(\.target))
    let places = Set(shown.targets.indices.filter { names.contains(shown.targets[$0].name) })
    if case .targets(let first, let second) = state.comparison {
      if places.isSubset(of: [first, second]) { return }
      state.endComparison()
    }
    guard !places.isSubset(of: state.shownTargets(in: shown)) else { return }
    state.target = places.count == 1 ? places.first : nil
    for place in places { state.tables.hiddenTargets.remove(shown.targets[place].id) }
  }

  /// Has the plot show what a finding is about, on an axis that reaches it.
  private mutating func showMetric(of row: FindingRow) {
    guard let metric = row.incident.first.plottedMetric else { return }
    if state.metric(in: shown) != metric { state.metric = metric }
    guard case .fixed(let lower, let upper) = state.range else { return }
    let values = [row.incident.first.before, row.incident.first.after].compactMap { $0 }
    if !values.allSatisfy({ (lower...max(lower, upper)).contains($0) }) { state.range = .automatic }
  }

  private mutating func sayWhatIsShown(_ row: FindingRow) {
    let finding = row.incident.first
    let subject: String
    if finding.shareBefore != nil {
      subject = "the \(finding.metric) ones stand in the band above the plot"
    } else if state.metric(in: shown) == finding.plottedMetric {
      subject = "\(state.metric(in: shown).shortTitle), which the finding is about"
    } else {
      subject = "a finding about \(finding.metric)"
    }
    let key = label(.list)
    say(key.isEmpty ? subject : "\(subject); \(key) opens all that is known")
  }

  /// A click chooses a finding by either of its lines; a click on the chosen one does what Enter does.
  mutating func clickFinding(atLine line: Int) {
    let ids = context.listed.findings.map(\.id)
    let layout = context.findingsLayout(state)
    let position = state.tables.findings
    let visible = position.visible(in: ids, rows: layout.rows)
    let lines = layout.lines(visible, chosen: position.place(in: ids))
    guard lines.indices.contains(line) else { return }
    let row = lines[line].row - visible.lowerBound
    if state.tables.findings.click(row: row, in: ids, rows: layout.rows) { goToFinding() }
  }
}

extension FindingRecord {
  /// The metric whose plot shows what has changed: shares stand beside that of which they are. `nil` of a series that this
  /// version does not know.
  var plottedMetric: Metric? {
    switch metric.word {
    case .delivery, .lost: .delivery
    case .accept, .failed, .refused: .accept
    case .display, .unseen: .shown
    case nil: nil
    }
  }
}

extension ViewState {
  /// Whether the window shows the chosen finding, as it was brought there.
  var isAtFinding: Bool {
    guard let visit = tables.visit, let chosen = tables.findings.chosen else { return false }
    return visit.isOf(chosen, self)
  }
}

/// The finding that the window was brought to, and the window as it was then.
struct FindingVisit: Sendable, Equatable {
  private let id: String
  private let anchor: ViewState.Anchor
  private let metric: Metric?

  init(_ id: String, _ state: ViewState) {
    (self.id, anchor, metric) = (id, state.anchor, state.metric)
  }

  /// Whether a finding is in view as it was brought there.
  func isOf(_ id: String, _ state: ViewState) -> Bool {
    id == self.id && anchor == state.anchor && state.scale == nil && metric == state.metric
      && state.replay == nil
  }
}
