import ConstraintAnimation
import Measurement
import Store

/// What clicks and keys choose in the panel, and the notifications that a choice selects.
struct PanelSelection {
  private let state: ViewState
  private let context: ScreenContext
  /// Rows of a list that fit into the panel.
  private let rows: Int

  init(_ state: ViewState, _ context: ScreenContext, rows: Int) {
    (self.state, self.context, self.rows) = (state, context, rows)
  }

  /// The bucket, log line or event at a cell of the window. The list of runs has a gesture recognizer of its own.
  func choice(atX x: Int, y: Int) -> PanelChoice? {
    let frame = context.panelFrame
    switch state.panel {
    case .histogram:
      return buckets?.bucket(at: x - frame.x0 - HistogramModel.gutter).map(PanelChoice.bucket)
    // A title is above the log, a title and a heading above the events.
    case .log: return line(atRow: y - frame.y0 - 1).map(PanelChoice.logLine)
    case .events: return line(atRow: y - frame.y0 - 2).map(PanelChoice.event)
    case .runs, .targets, .findings: return nil
    }
  }

  /// The bucket with values, log line or event after the chosen one, or before it; without a choice the one nearest to
  /// the end.
  func next(forward: Bool) -> PanelChoice? {
    switch state.panel {
    case .histogram:
      guard let buckets else { return nil }
      var bucket = forward ? -1 : buckets.now.count
      if case .bucket(let chosen) = state.plot.choice { bucket = chosen }
      repeat {
        bucket += forward ? 1 : -1
      } while buckets.now.indices.contains(bucket) && buckets.now[bucket] == 0
      return buckets.now.indices.contains(bucket) ? .bucket(bucket) : nil
    case .log: return neighbor(of: state.plot.chosenLogLine, forward: forward).map(PanelChoice.logLine)
    case .events: return neighbor(of: state.plot.chosenEvent, forward: forward).map(PanelChoice.event)
    case .runs, .targets, .findings: return nil
    }
  }

  /// Where a search begins: at the chosen line; without a choice the lines in view are searched first. In
  /// a list that has not moved since it was filtered, these are the lines that were in view before.
  /// - Parameter forward: towards newer lines.
  func startOfSearch(forward: Bool) -> RecordPlace {
    if let chosen { return chosen }
    let lines =
      state.lists.keepsPlace(state.panel) ? linesInMemory(of: state.panel) : lines(of: state.panel)
    let visible = position(of: state.panel).visible(in: lines, rows: rows)
    guard !visible.isEmpty else { return forward ? .first : .last }
    return forward ? lines[visible.lowerBound].previous : lines[visible.upperBound - 1].next
  }

  /// The next line in memory with the words of the filter, or the one before.
  /// - Parameters:
  ///   - forward: towards newer lines.
  ///   - place: of the line to begin at, which is no hit itself.
  func hit(forward: Bool, from place: RecordPlace) -> PanelChoice? {
    let lines = lines(of: state.panel)
    let hits = state.panel == .log ? context.listed.logHits : context.listed.eventHits
    func isHit(_ candidate: RecordPlace) -> Bool { hits?.contains(candidate) ?? true }
    let found =
      forward ? lines.first { $0 > place && isHit($0) } : lines.last { $0 < place && isHit($0) }
    return found.map { state.panel == .log ? .logLine($0) : .event($0) }
  }

  /// The notifications that a choice selects; `nil` when it is not on the screen.
  func selection(of choice: PanelChoice) -> Selection? {
    switch choice {
    case .bucket(let bucket):
      guard let content = context.content, let (from, to) = buckets?.bounds(of: bucket) else { return nil }
      return Selection(
        in: context.shown, window: content.window, targets: content.targets, metric: content.facts.metric,
        from: from, to: to)
    case .logLine(let place):
      guard let line = context.listed.log.first(where: { $0.place == place })?.row else { return nil }
      return Selection(underWayAt: line.at, target: line.target, in: context.shown, label: "under way then")
    case .event(let place):
      guard let entry = context.listed.events.first(where: { $0.place == place }) else { return nil }
      guard let fold = context.listed.eventFolds[place] else {
        return Selection(of: entry.row, in: context.shown)
      }
      return Selection(
        of: context.shown.events.filter {
          $0.place >= fold.first && $0.place <= place && $0.row.kind == entry.row.kind
            && $0.row.target == entry.row.target
        }.map(\.row), label: entry.row.kind.rawValue, in: context.shown)
    }
  }

  /// The position of a list nearest to its present one at which a row is visible.
  func position(showing place: RecordPlace, of panel: Panel) -> ListPosition {
    let lines = lines(of: panel)
    let index = lines.firstIndexInOrder(notBelow: place)
    let visible = position(of: panel).visible(in: lines, rows: rows)
    if visible.contains(index) { return position(of: panel) }
    return position(endingAt: index < visible.lowerBound ? index + rows - 1 : index, of: panel)
  }

  /// The chosen line of log or events; `nil` without one.
  var chosen: RecordPlace? {
    switch state.panel {
    case .log: state.plot.chosenLogLine
    case .events: state.plot.chosenEvent
    case .histogram, .runs, .targets, .findings: nil
    }
  }

  /// How many rows stand in view after the chosen line; `nil` where it is not in view.
  var rowsAfterChosen: Int? {
    guard let chosen else { return nil }
    let lines = lines(of: state.panel)
    let visible = position(of: state.panel).visible(in: lines, rows: rows)
    return visible.first { lines[$0] == chosen }.map { visible.upperBound - 1 - $0 }
  }

  /// The position at which the chosen line has so many rows after it.
  func position(withChosenBefore rowsAfter: Int) -> ListPosition? {
    chosen.map {
      let index = lines(of: state.panel).firstIndexInOrder(notBelow: $0)
      return position(endingAt: index + rowsAfter, of: state.panel)
    }
  }

  /// The position at which a row is the last in view. Behind the last line in memory there may be more that are not read.
  private func position(endingAt index: Int, of panel: Panel) -> ListPosition {
    let lines = lines(of: panel)
    let reachesEnd =
      panel == .log ? context.listed.logExtent.reachesEnd : context.listed.eventExtent.reachesEnd
    guard let last = lines.last, index < lines.count - 1 || !reachesEnd else { return .end }
    return .at(index < lines.count ? lines[max(0, index)] : last)
  }

  private var buckets: HistogramBuckets? {
    let frame = context.panelFrame
    let columns = context.histogramColumns(width: frame.width, height: frame.height)
    return context.histogram(state, width: columns, height: frame.height)?.buckets
  }

  private func line(atRow row: Int) -> RecordPlace? {
    let lines = lines(of: state.panel)
    let visible = position(of: state.panel).visible(in: lines, rows: rows)
    guard row >= 0, row < visible.count else { return nil }
    return lines[isNewestFirst ? visible.upperBound - 1 - row : visible.lowerBound + row]
  }

  private var isNewestFirst: Bool { state.tables.isNewestFirst(state.panel) }

  private func neighbor(of place: RecordPlace?, forward: Bool) -> RecordPlace? {
    let lines = lines(of: state.panel)
    guard let place else { return lines.last }
    let index = lines.firstIndexInOrder(notBelow: place) + (forward != isNewestFirst ? 1 : -1)
    return lines.indices.contains(index) ? lines[index] : nil
  }

  private func lines(of panel: Panel) -> [RecordPlace] {
    panel == .log ? context.listed.log.map(\.place) : context.listed.events.map(\.place)
  }

  /// Also those that are not listed.
  private func linesInMemory(of panel: Panel) -> [RecordPlace] {
    panel == .log ? context.shown.log.map(\.place) : context.shown.events.map(\.place)
  }

  private func position(of panel: Panel) -> ListPosition {
    context.listPosition(of: panel, state)
  }
}
