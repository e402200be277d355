import Measurement
import Store

/// Finds notifications by their position in a plot, with the arithmetic that draws them.
struct PlotHitTester {
  let snapshot: Snapshot
  let window: TimeWindow
  /// Indices of the displayed targets.
  let targets: [Int]
  let metrics: [Metric]
  let geometry: ScatterGeometry
  private let lookup: RowLookup
  private let rowsOfCell: Int
  /// The current time on the run's monotonic clock, µs.
  private let now: Int64?

  /// - Parameter dots: division of the plot's cells.
  init(
    snapshot: Snapshot, window: TimeWindow, targets: [Int], metrics: [Metric], axis: LatencyAxis,
    geometry: ScatterGeometry, dots: DotEncoding
  ) {
    self.snapshot = snapshot
    self.window = window
    self.targets = targets.filter(snapshot.tracks.indices.contains)
    self.metrics = metrics
    self.geometry = geometry
    rowsOfCell = dots.rows
    lookup = RowLookup(axis: axis, rows: max(1, geometry.rows) * dots.rows)
    now = snapshot.run?.isLive ?? false ? snapshot.monotonicNow?.microseconds : nil
  }

  /// The row of cells of a point's mark for a metric; `nil` where it has none. Values off the scale are at its edge.
  func row(of point: SamplePoint, _ metric: Metric) -> Int? {
    var value = point.rawValue(of: metric)
    if value == SamplePoint.absent {
      guard point.state == .inFlight, metric == metrics.first, let now else { return nil }
      value = now - point.plannedMonotonic
    }
    let row = min(max(lookup.row(of: max(0, value)), 0), lookup.rows - 1)
    return geometry.axisRow - 1 - row / rowsOfCell
  }

  /// Calls `body` with every mark between two columns, including those in the loss band.
  func forEachMark(
    in columns: ClosedRange<Int>,
    _ body: (_ target: Int, _ index: Int, _ point: SamplePoint, _ metric: Metric, _ column: Int, _ y: Int) ->
      Void
  ) {
    let (from, to) = window.time(of: Range(columns))
    for target in targets {
      let track = snapshot.tracks[target]
      let range = track.range(from: max(from, window.start), to: min(to, window.end))
      var index = range.lowerBound
      track.forEachRun(in: range) { run in
        for point in run {
          forEachMark(of: point) { metric, y in
            let column = window.column(of: WallTime(microseconds: point.plannedAt))
            body(target, index, point, metric, column, y)
          }
          index += 1
        }
      }
    }
  }

  /// The marks of one point.
  func forEachMark(of point: SamplePoint, _ body: (_ metric: Metric, _ y: Int) -> Void) {
    guard let markClass = MarkClass(point, of: metrics.first ?? .delivery) else { return }
    for metric in metrics {
      if let y = row(of: point, metric) { body(metric, y) }
    }
    if markClass.isLoss { body(metrics.first ?? .delivery, geometry.lossRow) }
  }

  /// Columns to either side that are searched.
  private static let reach = 12

  /// The notification whose mark is nearest to a cell. Rows count double, because they are twice as high as columns are wide;
  /// of equally near marks the worst, then the newest.
  func nearest(to column: Int, y: Int) -> PickedNotification? {
    var best: PickedNotification?
    var bestDistance = Int.max
    // Outwards, as long as a mark in these columns could be nearer.
    for reach in 0...Self.reach where reach * reach <= bestDistance {
      for near in reach == 0 ? [column] : [column - reach, column + reach] {
        forEachMark(in: near...near) { target, index, point, metric, markColumn, markY in
          let (dx, dy) = (markColumn - column, 2 * (markY - y))
          let distance = dx * dx + dy * dy
          guard distance <= bestDistance else { return }
          if distance == bestDistance, let best,
            (MarkClass(best.point, of: best.metric)?.rawValue ?? 0, best.point.plannedAt)
              >= (MarkClass(point, of: metric)?.rawValue ?? 0, point.plannedAt)
          {
            return
          }
          bestDistance = distance
          best = PickedNotification(
            target: target, sequence: snapshot.tracks[target].firstSequence + Int64(index), point: point,
            metric: metric, column: markColumn, y: markY)
        }
      }
    }
    return best
  }

  /// A notification as it is now, with its mark where that is now.
  /// - Returns: `nil` when it has none in the window.
  func refreshed(_ pick: PickedNotification) -> PickedNotification? {
    guard targets.contains(pick.target) else { return nil }
    let track = snapshot.tracks[pick.target]
    guard pick.sequence >= track.firstSequence, pick.sequence < track.endSequence else { return nil }
    let point = track[Int(pick.sequence - track.firstSequence)]
    let plannedAt = WallTime(microseconds: point.plannedAt)
    let column = window.column(of: plannedAt)
    // Another run has numbers of its own.
    guard point.plannedAt == pick.point.plannedAt, plannedAt >= track.hiddenBefore,
      (0..<window.columns).contains(column)
    else { return nil }
    var found: PickedNotification?
    forEachMark(of: point) { metric, y in
      guard metric == pick.metric else { return }
      found = PickedNotification(
        target: pick.target, sequence: pick.sequence, point: point, metric: metric, column: column, y: y)
    }
    return found
  }

  /// The next or previous notification of the window in time that has a mark, of any displayed target.
  func neighbor(of pick: PickedNotification, forward: Bool) -> PickedNotification? {
    neighbor(of: (pick.point.plannedAt, pick.target, pick.sequence), forward: forward)
  }

  /// Forward, the first notification of the window with a mark that was planned in a column or after it; backward, the last that
  /// was planned in it or before it.
  func neighbor(ofColumn column: Int, forward: Bool) -> PickedNotification? {
    let time = window.time(of: column..<column + 1)
    return neighbor(of: ((forward ? time.from : time.to).microseconds, -1, -1), forward: forward)
  }

  /// - Parameter place: µs since 1970, target and sequence number, in this order.
  private func neighbor(of place: (Int64, Int, Int64), forward: Bool) -> PickedNotification? {
    var best: PickedNotification?
    for target in targets {
      let track = snapshot.tracks[target]
      let range = track.range(from: window.start, to: window.end)
      // Those of the same instant are before and after it, by target and number: backward begins behind them.
      let instant = WallTime(microseconds: forward ? place.0 : place.0 + 1)
      let start = min(max(track.firstIndex(notBefore: instant), range.lowerBound), range.upperBound)
      let indices =
        forward
        ? stride(from: start, to: range.upperBound, by: 1)
        : stride(from: start - 1, to: range.lowerBound - 1, by: -1)
      for index in indices {
        let point = track[index]
        let key = (point.plannedAt, target, track.firstSequence + Int64(index))
        guard forward ? key > place : key < place else { continue }
        if let best {
          let bestKey = (best.point.plannedAt, best.target, best.sequence)
          guard forward ? key < bestKey : key > bestKey else { break }
        }
        var mark: PickedNotification?
        forEachMark(of: point) { metric, y in
          mark = PickedNotification(
            target: target, sequence: key.2, point: point, metric: metric,
            column: window.column(of: WallTime(microseconds: point.plannedAt)), y: y)
        }
        if let mark {
          best = mark
          break
        }
      }
    }
    return best
  }

  /// All notifications with a mark in a box.
  func selection(in box: PlotBox) -> Selection {
    var selection = Selection(label: "in the box")
    forEachMark(in: box.columns) { target, index, _, _, column, y in
      guard box.contains(column: column, y: y) else { return }
      let track = snapshot.tracks[target]
      selection.add(track.firstSequence + Int64(index), of: track.target)
    }
    return selection
  }
}

/// A notification with the position of its mark.
struct PickedNotification: Sendable, Hashable {
  /// Index of its target in the run.
  let target: Int
  let sequence: Int64
  let point: SamplePoint
  /// The metric of the mark.
  let metric: Metric
  let column: Int
  let y: Int
}

/// A cell of a plot.
struct PlotPosition: Sendable, Hashable {
  /// Index of the pane, from the left.
  var pane: Int
  /// The column, counted from the left edge of the window.
  var column: Int
  /// The row, counted from the top of the plot's rectangle.
  var y: Int
}

/// A rectangle of cells in a plot, from the cell where it was begun to the one where it is now.
struct PlotBox: Sendable, Hashable {
  let start: PlotPosition
  /// The end, in the pane of `start`.
  var end: PlotPosition

  init(at place: PlotPosition) { (start, end) = (place, place) }

  var columns: ClosedRange<Int> { min(start.column, end.column)...max(start.column, end.column) }
  var rows: ClosedRange<Int> { min(start.y, end.y)...max(start.y, end.y) }

  /// A single cell is not a box.
  var isEmpty: Bool { columns.count < 2 && rows.count < 2 }

  func contains(column: Int, y: Int) -> Bool { columns.contains(column) && rows.contains(y) }
}

/// A drag of the pointer, between press and release.
enum PointerDrag: Sendable, Hashable {
  /// A drag in the plot. Rows and columns are relative to the previous event.
  case plot(DragAction, last: PlotPosition, hasMoved: Bool)
  /// A press in the panel: a click when it is released where it was pressed.
  case panel(x: Int, y: Int)
}
