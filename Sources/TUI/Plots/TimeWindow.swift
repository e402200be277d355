import Measurement

/// The range of time that a plot shows: a number of columns that begin at whole multiples of their duration after
/// 1970-01-01, so that a sample is in the same column for every position of the window.
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

  /// A window that shows `edge` and follows it in steps of `step` columns when the edge has left it. Scrolling by single
  /// dots would repaint the whole plot in every frame.
  init(following edge: WallTime, scale: TimeScale, columns: Int, step: Int) {
    let step = Int64(max(1, min(step, columns / 2)))
    let edgeColumn = scale.column(of: edge)
    let end = (edgeColumn.flooringDivision(by: step) + 1) * step
    self.init(scale: scale, firstColumn: end - Int64(columns), columns: columns)
  }

  /// A window of whole columns in which a moment has a given position on the screen: `fraction` of the width from the left.
  init(around moment: WallTime, at fraction: Double, scale: TimeScale, columns: Int) {
    let column = scale.column(of: moment)
    self.init(
      scale: scale, firstColumn: column - Int64((Double(columns) * fraction).rounded(.down)), columns: columns
    )
  }

  var start: WallTime { scale.start(ofColumn: firstColumn) }

  /// The first moment after the window.
  var end: WallTime { scale.start(ofColumn: firstColumn + Int64(columns)) }

  var duration: Duration { scale.columnDuration * columns }

  func contains(_ time: WallTime) -> Bool { time >= start && time < end }

  /// The column of a moment, from the window's left; may be outside.
  func column(of time: WallTime) -> Int {
    Int(scale.column(of: time) - firstColumn)
  }

  /// The time of some columns, up to the first moment after them.
  func time(of columns: Range<Int>) -> (from: WallTime, to: WallTime) {
    (
      scale.start(ofColumn: firstColumn + Int64(columns.lowerBound)),
      scale.start(ofColumn: firstColumn + Int64(columns.upperBound))
    )
  }

  /// The columns that another window of the same size and scale shows as well; `nil` for none.
  func columns(sharedWith other: TimeWindow) -> Range<Int>? {
    guard scale == other.scale, columns == other.columns else { return nil }
    let distance = firstColumn - other.firstColumn
    guard abs(distance) < Int64(columns) else { return nil }
    return max(0, -Int(distance))..<columns - max(0, Int(distance))
  }

  /// The columns that both of two windows of the same scale show; one column where there is none.
  func intersection(_ other: TimeWindow) -> TimeWindow {
    let first = max(firstColumn, other.firstColumn)
    let end = min(firstColumn + Int64(columns), other.firstColumn + Int64(other.columns))
    return TimeWindow(scale: scale, firstColumn: first, columns: Int(end - first))
  }

  func moved(byColumns count: Int) -> TimeWindow {
    TimeWindow(scale: scale, firstColumn: firstColumn + Int64(count), columns: columns)
  }

  /// The window of the same length just before.
  var previous: TimeWindow { moved(byColumns: -columns) }
}

/// Duration of a column of cells.
struct TimeScale: Sendable, Hashable, Comparable {
  /// The duration of a column for rasters, µs.
  let columnMicroseconds: Int64

  var columnDuration: Duration { .microseconds(columnMicroseconds) }

  /// The steps of keys and wheel: round times fall on whole columns.
  private static let steps: [TimeScale] = {
    let fractions = [1, 2, 5, 10, 20, 50, 100, 200, 500].map { Duration.milliseconds($0) }
    let seconds = [1, 2, 3, 5, 10, 15, 20, 30].map { Duration.seconds($0) }
    let minutes = [1, 2, 3, 5, 10, 15, 20, 30].map { Duration.minutes($0) }
    return (fractions + seconds + minutes + [1, 2, 3, 6].map { .hours($0) }).map { TimeScale($0) }
  }()

  /// The steps for what is to fill the width: no more than a fifth of it stays free.
  private static let fittingSteps: [TimeScale] = {
    let tenths = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80]
    let long = tenths + [100, 120, 150, 200, 250, 300, 400, 500]
    let fractions = [100, 1_000, 10_000].flatMap { unit in tenths.map { Duration.microseconds($0 * unit) } }
    let seconds = long.map { Duration.milliseconds($0 * 100) }
    let minutes = long.map { Duration.seconds($0 * 6) }
    let hours = tenths.dropLast().map { Duration.seconds($0 * 360) }
    return (fractions + seconds + minutes + hours).map { TimeScale($0) }
  }()

  fileprivate init(_ duration: Duration) { columnMicroseconds = duration.microseconds }

  /// The finest scale whose columns last at least so long, fractions of a microsecond left out; the coarsest when none does.
  init(columnAtLeast duration: Duration) { self = Self.steps.first(reaching: duration) }

  /// The same among more steps, for what is to fill the width.
  init(fitting duration: Duration) { self = Self.fittingSteps.first(reaching: duration) }

  /// The number of the column of a moment, counted from 1970-01-01.
  func column(of time: WallTime) -> Int64 { time.microseconds.flooringDivision(by: columnMicroseconds) }

  /// When a column begins, counted from 1970-01-01.
  func start(ofColumn number: Int64) -> WallTime { WallTime(microseconds: number * columnMicroseconds) }

  /// The next finer scale; itself at the end.
  var finer: TimeScale { Self.steps.last { $0 < self } ?? self }

  /// The next coarser scale; itself at the end.
  var coarser: TimeScale { Self.steps.first { $0 > self } ?? self }

  static func < (left: TimeScale, right: TimeScale) -> Bool {
    left.columnMicroseconds < right.columnMicroseconds
  }
}

extension [TimeScale] {
  fileprivate func first(reaching duration: Duration) -> TimeScale {
    let least = TimeScale(duration)
    return first { $0 >= least } ?? self[count - 1]
  }
}

/// The ticks of a window's axis of time.
enum TimeTicks {
  /// - Parameter spacing: columns between two marks, at least.
  static func make(for window: TimeWindow, spacing: Int, in zone: LocalTime) -> [TimeTick] {
    let least = Int64(max(1, spacing)) * window.scale.columnMicroseconds
    return TimeAxis.marks(from: window.start, to: window.end, atLeast: least, in: zone).map {
      // ASCII has no minus sign.
      let offset = $0.offset.map { " " + LocalTime.offsetText($0).replacing("−", with: "-") } ?? ""
      return TimeTick(column: window.column(of: $0.time), label: $0.label + offset, offset: offset)
    }
  }
}

/// A mark on the axis of time.
struct TimeTick: Sendable, Hashable {
  /// Columns from the window's left.
  let column: Int
  let label: String
  /// The end of ``label`` that names the zone's offset, where that changes; else empty.
  var offset = ""
}
