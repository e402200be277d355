import Measurement
import Store

/// A grid of cells with dots, in two planes: the set dots, and the content of each cell (number of notifications, worst class
/// among them). The second plane decides the cell's color, since a cell has only one.
///
/// It also counts what is drawn beside the dots: losses by column, values by row for averages and percentiles.
/// All planes are parts of one block of memory, which is reused for each frame.
struct DotRaster {
  private(set) var columns = 0
  private(set) var rows = 0
  private(set) var encoding: DotEncoding
  /// Metrics that are plotted together and averaged separately.
  private(set) var lanes = 1
  /// Colors that are counted in ``shares``.
  private(set) var places = 1
  /// Whether values are counted in ``spread``.
  private var hasSpread = false
  private var layout = RasterLayout()
  /// The planes, as ``layout`` says.
  private var block: [UInt64] = []

  /// Columns of cells that share a median.
  static let medianColumns = 8

  init(encoding: DotEncoding) { self.encoding = encoding }

  var dotColumns: Int { columns * encoding.columns }
  var dotRows: Int { rows * encoding.rows }
  var medianRuns: Int { (columns + Self.medianColumns - 1) / Self.medianColumns + 1 }

  /// Empties the raster and gives it a size in cells.
  /// - Parameters:
  ///   - places: colors whose shares are counted in each cell.
  ///   - hasSpread: whether values are counted by column and row.
  mutating func reset(
    columns: Int, rows: Int, encoding: DotEncoding, lanes: Int = 1, places: Int = 1, hasSpread: Bool = false
  ) {
    self.lanes = max(1, lanes)
    self.places = min(max(1, places), MarkCode.targets)
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    self.encoding = encoding
    self.hasSpread = hasSpread
    layout = RasterLayout(self, hasSpread: hasSpread)
    if block.count == layout.words {
      block.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    } else {
      block = Array(repeating: 0, count: layout.words)
    }
  }

  /// The conversion of a track's points to dots.
  struct Projection {
    let window: TimeWindow
    let lookup: RowLookup
    let metric: Metric
    private let start: Int64
    private let dotsPerMicrosecond: Double
    /// The code of each state, 0 for what is not drawn.
    let codes: MarkCodes
    /// The codes of good notifications by the numbers of their values; empty where these have no colors of their own.
    let valueCodes: [UInt16]
    /// Current time on the run's monotonic clock, µs: pending notifications are drawn at their age, the lower bound of their
    /// latency. `nil` omits them.
    let pendingUntil: Int64?
    /// The lane of averages that the values belong to.
    let lane: Int

    /// - Parameter dotColumns: of one cell.
    init(
      window: TimeWindow, lookup: RowLookup, metric: Metric, codes: MarkCodes, valueCodes: [UInt16] = [],
      pendingUntil: MonotonicTime?, dotColumns: Int, lane: Int = 0
    ) {
      self.window = window
      self.lookup = lookup
      self.metric = metric
      self.pendingUntil = pendingUntil?.microseconds
      self.lane = lane
      (self.codes, self.valueCodes) = (codes, valueCodes)
      start = window.start.microseconds
      dotsPerMicrosecond = Double(dotColumns) / Double(window.scale.columnMicroseconds)
    }

    /// Whether the state of a notification decides its code.
    var goesByState: Bool { valueCodes.isEmpty && metric != .shown }

    /// The code of a notification whose value may have a color of its own, or that may not have been shown.
    @inline(__always)
    func code(of point: SamplePoint) -> UInt16 {
      let code = codes[point.state]
      guard code >> MarkCode.shift == UInt16(MarkClass.good.rawValue) else { return code }
      if metric == .shown, let markClass = MarkClass(point, of: .shown), markClass != .good {
        return MarkCode(rawValue: code).with(markClass).rawValue
      }
      return valueCodes.isEmpty ? code : valueCodes[Int(point.valueNumber)]
    }

    /// Negative before the window. The half keeps exact multiples on the right side of the boundary despite the reciprocal;
    /// from there truncation is the same as rounding down, without a function call.
    @inline(__always)
    func dotColumn(of time: Int64) -> Int {
      let place = (Double(time - start) + 0.5) * dotsPerMicrosecond
      return place < 0 ? -1 : Int(place)
    }

    /// How many columns of cells a stretch of time touches, at least 1.
    func cells(from start: Int64, duration: Int64) -> UInt32 {
      let column = window.scale.columnMicroseconds
      let last = (start + max(1, duration) - 1).flooringDivision(by: column)
      return UInt32(clamping: last - start.flooringDivision(by: column) + 1)
    }
  }

  /// Sets the dots of all points; points outside the window or without a value are skipped.
  /// - Returns: whether some are pending, so that their dots rise with time.
  @discardableResult
  mutating func plot(_ points: UnsafeBufferPointer<SamplePoint>, _ projection: Projection) -> Bool {
    guard columns > 0, rows > 0, projection.lane < lanes else { return false }
    let phase = medianPhase(of: projection.window)
    var hasPending = false
    projection.lookup.withReader { lookup in
      withPlanes { planes in
        var column = planes.column(-1, projection, phase: phase)
        if projection.goesByState {
          for point in points {
            let code = projection.codes[point.state]
            planes.plot(point, code, projection, lookup, phase: phase, &column, &hasPending)
          }
        } else {
          for point in points {
            let code = projection.code(of: point)
            planes.plot(point, code, projection, lookup, phase: phase, &column, &hasPending)
          }
        }
        planes.keep(column, projection)
      }
    }
    return hasPending
  }

  /// Follows a window that has moved on. What comes into view is left to be pasted.
  /// - Parameters:
  ///   - moved: columns that the window has moved; negative into the past.
  ///   - movedRuns: runs of columns that its first run has moved.
  ///   - runCount: how many runs the window touches now.
  mutating func follow(columns moved: Int, runs movedRuns: Int, of runCount: Int) {
    let (lanes, stride, medianRuns) = (lanes, dotRows + 2, medianRuns)
    withPlanes { planes in
      // Across the ends of rows and lanes, too: only what comes into view is wrong by that.
      Self.shift(planes.dots, by: moved)
      Self.shift(planes.counts, by: moved)
      Self.shift(planes.codes, by: moved)
      Self.shift(planes.shares, by: moved * planes.places)
      Self.shift(planes.above, by: moved)
      Self.shift(planes.below, by: moved)
      Self.shift(planes.tallies.outcomes, by: moved)
      Self.shift(planes.tallies.present, by: moved)
      Self.shift(planes.tallies.spread, by: moved * stride)
      Self.shift(planes.rowCounts, by: movedRuns * stride)
      Self.shift(planes.sums, by: movedRuns)
      for lane in 0..<lanes {
        for run in lane * medianRuns + min(runCount, medianRuns)..<(lane + 1) * medianRuns {
          planes.sums[run] = 0
          planes.rowCounts[run * stride..<(run + 1) * stride].update(repeating: 0)
        }
      }
    }
  }

  private static func shift<Element: BitwiseCopyable>(
    _ plane: UnsafeMutableBufferPointer<Element>, by distance: Int
  ) {
    let count = plane.count - abs(distance)
    guard distance != 0, count > 0, let first = plane.baseAddress else { return }
    (first + max(0, -distance)).update(from: first + max(0, distance), count: count)
  }

  /// Copies a raster of one run of columns, as many as share a median, with as many rows, lanes and colors.
  /// - Parameters:
  ///   - column: where its first column is; columns outside are left out.
  ///   - run: the number of the run.
  mutating func paste(_ tile: DotRaster, column: Int, run: Int) {
    let first = max(0, -column)
    let width = min(tile.columns, columns - column) - first
    guard width > 0 else { return }
    let left = column + first
    let (rows, columns, lanes, stride) = (rows, columns, lanes, dotRows + 2)
    let (medianRuns, hasSpread) = (medianRuns, hasSpread)
    withPlanes { planes in
      tile.read { tile in
        for row in 0..<rows {
          let (to, from) = (row * columns + left, row * tile.columns + first)
          Self.copy(width, from: tile.dots, at: from, to: planes.dots, at: to)
          Self.copy(width, from: tile.counts, at: from, to: planes.counts, at: to)
          Self.copy(width, from: tile.codes, at: from, to: planes.codes, at: to)
          if planes.places > 1 {
            let places = planes.places
            Self.copy(
              width * places, from: tile.shares, at: from * places, to: planes.shares, at: to * places)
          }
        }
        Self.copy(width, from: tile.above, at: first, to: planes.above, at: left)
        Self.copy(width, from: tile.below, at: first, to: planes.below, at: left)
        let (own, others) = (planes.tallies, tile.tallies)
        Self.copy(width, from: others.outcomes, at: first, to: own.outcomes, at: left)
        if hasSpread {
          Self.copy(
            width * stride, from: others.spread, at: first * stride, to: own.spread, at: left * stride)
        }
        for lane in 0..<lanes {
          Self.copy(
            width, from: others.present, at: lane * tile.columns + first, to: own.present,
            at: lane * columns + left)
          let (to, from) = (lane * medianRuns + run, lane * tile.runs)
          Self.copy(stride, from: tile.rowCounts, at: from * stride, to: planes.rowCounts, at: to * stride)
          planes.sums[to] = tile.sums[from]
        }
      }
    }
  }

  private static func copy<Element: BitwiseCopyable>(
    _ count: Int, from source: UnsafeMutableBufferPointer<Element>, at start: Int,
    to plane: UnsafeMutableBufferPointer<Element>, at place: Int
  ) {
    _ = plane.extracting(place..<place + count).update(
      fromContentsOf: source.extracting(start..<start + count))
  }

  // MARK: - Planes

  /// All planes as plain memory, without bounds checks for thousands of points: a cell is accessed only after column and row
  /// were found to be inside.
  mutating func withPlanes(_ body: (RasterPlanes) -> Void) {
    let planes = RasterPlanes.Size(self, layout)
    block.withUnsafeMutableBytes { body(RasterPlanes($0, planes)) }
  }

  /// The same for reading only: nothing is written through these planes.
  func read<Result>(_ body: (RasterPlanes) -> Result) -> Result {
    block.withUnsafeBytes {
      body(RasterPlanes(UnsafeMutableRawBufferPointer(mutating: $0), RasterPlanes.Size(self, layout)))
    }
  }

  /// Patterns of `DotEncoding`, row by row.
  var dots: [UInt8] { read { Array($0.dots) } }

  /// Notifications in each cell, at most 65 535.
  var counts: [UInt16] { read { Array($0.counts) } }

  /// The highest `MarkCode` in each cell; 0 when empty.
  var codes: [UInt16] { read { Array($0.codes) } }

  /// The highest code of values above the axis, by column of cells.
  var above: [UInt16] { read { Array($0.above) } }

  /// The highest code of values below the axis.
  var below: [UInt16] { read { Array($0.below) } }

  /// Number of values in each row of dots, by lane, for each run of `medianColumns` columns of cells; pending ones
  /// left out.
  var rowCounts: [UInt32] { read { Array($0.rowCounts) } }

  /// The sum of the same values, µs, by lane, for each run.
  var sums: [Int64] { read { Array($0.sums) } }

  /// What became of the notifications of each column of cells.
  var outcomes: [ColumnOutcome] { read { Array($0.tallies.outcomes) } }

  /// Number of values in each column of cells, by lane.
  var present: [UInt32] { read { Array($0.tallies.present) } }

  /// Number of values of the first lane in each column of cells, by row of dots, with one more at each end for values beyond
  /// the axis; empty unless it is asked for.
  var spread: [UInt32] { read { Array($0.tallies.spread) } }

  /// Number of notifications of each color in each cell; empty where all have one color.
  var shares: [UInt16] { read { Array($0.shares) } }

  /// Runs of columns for medians are counted from 1970, so that a step of the window does not change them.
  func medianPhase(of window: TimeWindow) -> Int {
    let size = Int64(Self.medianColumns)
    return Int(window.firstColumn - window.firstColumn.flooringDivision(by: size) * size)
  }
}

extension DotRaster {
  /// Sets the dots of aggregates: each bucket in all columns and rows that it covers, counted in these cells.
  mutating func plot(_ columns: ArraySlice<Density.Column>, _ projection: Projection) {
    guard self.columns > 0, rows > 0, projection.lane < lanes else { return }
    let phase = medianPhase(of: projection.window)
    // Which of them were late is unknown: they have the color of those in time.
    let code = projection.codes[.delivered]
    projection.lookup.withReader { lookup in
      withPlanes { planes in
        for column in columns {
          let first = max(0, projection.dotColumn(of: column.start))
          let last = min(planes.dotColumns - 1, projection.dotColumn(of: column.start + column.duration - 1))
          guard first <= last else { continue }
          if projection.lane == 0 {
            for cell in (first >> planes.columnShift)...(last >> planes.columnShift) {
              planes.tallies.outcomes[cell].add(column.counts, of: projection.metric)
            }
          }
          let cells = projection.cells(from: column.start, duration: column.duration)
          for bucket in column.buckets(of: projection.metric) {
            planes.fill(
              first...last, with: bucket, share: max(1, bucket.count / cells),
              from: lookup.row(of: bucket.lower),
              to: lookup.row(of: bucket.upper), code: code, phase: phase, lane: projection.lane)
          }
        }
      }
    }
  }
}
