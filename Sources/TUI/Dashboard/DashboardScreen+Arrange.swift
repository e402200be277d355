import ConstraintAnimation
import Measurement

extension LayoutPriority {
  /// Of the way of laying out that holds.
  static let holding: LayoutPriority = 750
  /// Of the one that waits for its turn.
  static let yielding: LayoutPriority = 250
}

/// Plot and panel below or beside each other, one plot or two.
extension DashboardScreen {
  /// The way that holds.
  var arrangement: Arrangement {
    state.arrangement
      ?? Arrangement.suitable(columns: Int(window.size.width), rows: Int(window.size.height))
  }

  /// Lays plot and panel the other way. Focus, selection and everything else stay as they are.
  func rotate() {
    state.arrangement = arrangement.other
    arrange(within: .milliseconds(300))
  }

  /// Has the priorities say what the state says.
  func arrange(within duration: Duration = .zero) {
    let holds = arrangement
    let isChanged = halves.contains { way, constraints in
      constraints.contains { $0.priority != (way == holds ? .holding : .yielding) }
    }
    guard isChanged else { return }
    window.animate(withDuration: duration, curve: .easeInOut, options: .layoutFirst) {
      for (way, constraints) in halves {
        for constraint in constraints { constraint.priority = way == holds ? .holding : .yielding }
      }
      window.layoutIfNeeded()
    } completion: { [weak self] _ in
      self?.update()
    }
  }

  /// Squeezes a second plot in beside the first, or takes it away: one priority goes up, and the first plot yields.
  func compare() {
    if state.comparison != nil {
      state.endComparison()
    } else if state.runs.marked.count == 2 {
      compareMarkedRuns()
    } else if shown.targets.count > 1 {
      let first = state.target ?? 0
      state.comparison = .targets(first, (first + 1) % shown.targets.count)
    } else {
      say("mark two runs in their panel to compare them, or look at a run with two targets", .warning)
      return
    }
    if state.comparison != nil { slide(to: .histogram) }
    squeezePlots()
  }

  /// The run marked first is shown, the other one beside it.
  private func compareMarkedRuns() {
    let marked = state.runs.marked
    state.replay = nil
    state.comparison = .run(marked[1])
    if marked[0] != shown.run?.id {
      subject = Subject(run: marked[0], target: nil)
      state.frozenAt = nil
    }
    openComparison(of: marked[0], with: marked[1])
  }

  /// Gives the second plot as much room as the state says it has.
  func squeezePlots() {
    guard let squeeze else { return }
    let isWide = state.comparison != nil
    guard (squeeze.isAsWide.priority == .holding) != isWide else { return }
    window.animate(withDuration: .milliseconds(300), curve: .easeInOut, options: .layoutFirst) {
      squeeze.isAsWide.priority = isWide ? .holding : .yielding
      squeeze.gap.constant = isWide ? 1 : 0
      window.layoutIfNeeded()
    } completion: { [weak self] _ in
      self?.update()
    }
  }

  /// What the two plots show, in words from outside.
  var comparedNames: [String] {
    func targets(_ place: Int) -> String {
      shown.targets.indices.contains(place) ? shown.targets[place].name : ""
    }
    switch state.comparison {
    case .targets(let first, let second): return [targets(first), targets(second)]
    case .run: return [shown, other].map { $0.run.map { $0.name ?? String("\($0.id)".prefix(13)) } ?? "" }
    case nil: return ["", ""]
    }
  }
}
