import Measurement

/// The stretch of time that a plot shows: a number of columns, each a whole multiple of its duration after
/// 1970-01-01, so that a sample falls into the same column wherever the window is.
struct TimeWindow: Sendable, Hashable {
  let scale: TimeScale
  /// Number of the first column, counted from 1970-01-01.
  let firstColumn: Int64
  let columns: Int

  init(scale: TimeScale, firstColumn: Int64, columns: Int) {
    self.scale = scale
    self.firstColumn = firstColumn
    self.columns = max(1, columns)
  }

  /// A window that shows `edge` and follows it in steps: it stands still until the edge has left it and then jumps
  /// on by `step` columns. A plot that crawled by a dot would be painted anew on every frame.
  init(following edge: WallTime, scale: TimeScale, columns: Int, step: Int) {
    let step = Int64(max(1, min(step, columns / 2)))
    let edgeColumn = edge.microseconds.flooringQuotient(scale.columnDuration)
    let end = (edgeColumn.flooringQuotient(step) + 1) * step
    self.init(scale: scale, firstColumn: end - Int64(columns), columns: columns)
  }

  /// A window of whole columns around a moment, which stays where it is on the screen: `fraction` of the width from
  /// the left.
  init(around moment: WallTime, at fraction: Double, scale: TimeScale, columns: Int) {
    let column = moment.microseconds.flooringQuotient(scale.columnDuration)
    self.init(
      scale: scale, firstColumn: column - Int64((Double(columns) * fraction).rounded(.down)), columns: columns
    )
  }

  var start: WallTime { WallTime(microseconds: firstColumn * scale.columnDuration) }

  /// The first moment after the window.
  var end: WallTime { WallTime(microseconds: (firstColumn + Int64(columns)) * scale.columnDuration) }

  /// µs.
  var duration: Int64 { Int64(columns) * scale.columnDuration }

  func contains(_ time: WallTime) -> Bool { time >= start && time < end }

  /// The column a moment falls into, from the window's left; may lie outside.
  func column(of time: WallTime) -> Int {
    Int(time.microseconds.flooringQuotient(scale.columnDuration) - firstColumn)
  }

  func moved(byColumns count: Int) -> TimeWindow {
    TimeWindow(scale: scale, firstColumn: firstColumn + Int64(count), columns: columns)
  }

  /// The window of the same length just before.
  var previous: TimeWindow { moved(byColumns: -columns) }
}
