import Measurement
import Store

/// What the dashboard opens with: what the command line asks for, else what was shown of the store last.
struct OpeningView: Sendable, Equatable {
  /// Planned time to show; `nil` leaves the end open.
  var since: WallTime?
  var until: WallTime?
  /// Length of time in view.
  var length: Duration?
  var panel: Panel?
  var last: LastView?

  /// - Parameter columns: of the plot.
  /// - Returns: what else is shown than was asked for; `nil` for nothing.
  func apply(to state: inout ViewState, in snapshot: Snapshot, columns: Int) -> String? {
    last?.apply(to: &state, in: snapshot, columns: columns)
    if let panel { state.panel = panel }
    let start = snapshot.run?.startedAt ?? snapshot.edge
    switch (since, until, length) {
    case (nil, nil, nil): return nil
    case (nil, nil, let length?):
      let columns = max(1, columns)
      state.follow(at: TimeScale(columnAtLeast: length / columns), in: snapshot, columns: columns)
      let least = TimeScale(columnAtLeast: .zero).columnDuration * columns
      guard length < least else { return nil }
      return "\(LengthText.text(length)) is less than \(LengthText.text(least)), the least that is shown"
    case (let since?, let until, let length):
      state.anchor = stretch(
        from: since, to: until ?? length.map { since + $0 } ?? snapshot.edge, in: snapshot)
    case (nil, let until?, let length):
      let from = length.map { until - $0 } ?? min(start, until)
      state.anchor = stretch(from: from, to: until, in: snapshot)
    }
    state.scale = nil
    return nil
  }

  /// The stretch to show, at least a second. Beyond a run that is over there is nothing to see, unless that is all
  /// that was asked for.
  private func stretch(from: WallTime, to: WallTime, in snapshot: Snapshot) -> ViewState.Anchor {
    var (first, last) = (from, to)
    if let run = snapshot.run, !run.isLive, from < snapshot.edge, to > run.startedAt {
      (first, last) = (max(from, run.startedAt), min(to, snapshot.edge))
    }
    return .stretch(from: first, length: max(.seconds(1), last - first))
  }
}

/// The view of a store as it was left. Anything in it that no longer fits the store is ignored.
struct LastView: Codable, Sendable, Equatable {
  private var panel: String
  private var isLinear: Bool
  private var isCapped: Bool
  private var metric: String?
  /// The name of the target.
  private var target: String?
  private var hiddenTargets: [String]
  /// µs.
  private var threshold: Int64?
  /// What colors stand for, unless that is the target.
  private var colors: String?
  /// Duration of a column that was chosen, µs.
  private var column: Int64?
  /// The run and the window, where it did not follow; µs since 1970, and µs.
  private var run: String?
  private var from: Int64?
  private var length: Int64?

  init(_ state: ViewState, in snapshot: Snapshot, window: TimeWindow?) {
    func name(_ index: Int) -> String? {
      snapshot.targets.indices.contains(index) ? snapshot.targets[index].name : nil
    }
    panel = state.panel.title
    isLinear = state.axisKind == .linear
    isCapped = state.range == .capped
    metric = state.metric?.rawValue
    target = state.target.flatMap(name)
    hiddenTargets = snapshot.targets.filter { state.tables.hiddenTargets.contains($0.id) }.map(\.name)
    threshold = state.plot.threshold
    colors = state.plot.coloring == .target ? nil : state.plot.coloring.shortName
    if state.anchor == .edge {
      column = state.scale?.columnMicroseconds
    } else if let window, let id = snapshot.run?.id {
      (run, from, length) = ("\(id)", window.start.microseconds, window.duration.microseconds)
    }
  }

  func apply(to state: inout ViewState, in snapshot: Snapshot, columns: Int) {
    if let panel = Panel.allCases.first(where: { $0.title == panel }) { state.panel = panel }
    state.axisKind = isLinear ? .linear : .logarithmic
    if isCapped { state.range = .capped }
    state.metric = metric.flatMap(Metric.init(rawValue:))
    if state.subject.target == nil {
      state.target = target.flatMap { name in snapshot.targets.firstIndex { $0.name == name } }
      state.tables.hiddenTargets = Set(
        snapshot.targets.filter { hiddenTargets.contains($0.name) }.map(\.id))
    }
    if let threshold, threshold > 0 { state.plot.threshold = threshold }
    if let coloring = colors.flatMap(MarkColoring.init(name:)) { state.plot.coloring = coloring }
    if let run, let from, let length, length > 0, "\(snapshot.run.map { "\($0.id)" } ?? "")" == run {
      state.anchor = .stretch(from: WallTime(microseconds: from), length: .microseconds(length))
    } else if let column, column > 0 {
      state.follow(at: TimeScale(fitting: .microseconds(column)), in: snapshot, columns: columns)
    }
  }
}
