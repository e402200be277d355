import Measurement
import Store

/// Reads rollups for a plot and merges them by the columns of the plot, so that the result is no larger than a screen
/// can show.
struct DensityReading {
  private let request: ReadRequest
  private let span: RollupSpan
  /// Time that is merged into one column, µs.
  private let tick: Int64
  private let places: [TargetID: Int]
  private var columns: [[Density.Column]]
  /// The column of each target that is being merged.
  private var open: [(start: Int64, duration: Int64, counts: StateCounts)?]
  private var tallies: [[DensityAccumulator]]
  /// Lower and upper bounds of the deliveries of that column; `nil` while all of them are exact.
  private var ends: [(lows: DensityAccumulator, highs: DensityAccumulator)?]

  /// Rollup rows of one variant that are read for one plot, and of all variants at a time.
  private static let mostRows = 40_000
  /// The number of rows that are read so fast that nobody needs to see coarser sums first.
  private static let fewRows: Int64 = 400

  /// - Parameter isFirstLook: nothing is on display yet, so that coarse sums are better than to wait for finer ones.
  /// - Returns: `nil` where there are no rollups: the store has an older version, or the run is too new.
  static func read(
    _ targets: [TargetID], _ request: ReadRequest, to end: WallTime, isFirstLook: Bool,
    in reader: any DashboardSource
  ) throws -> (sums: Density, isCoarse: Bool)? {
    let from = request.from
    // Rollups of a run that ended end with it.
    let end = min(end, try reader.rollupsCoverTo(of: targets) ?? from)
    guard from < end else { return nil }
    let pruned = try reader.pruned()
    let length = end - from
    let fitting = span(for: request, length: length, targets: targets.count)
    let wanted = pruned.hasPruned(samplesFrom: from) ? pruned.coarser(fitting, from: from) : fitting
    let span = isFirstLook && !request.isReplay ? quicker(wanted, length) : wanted
    var reading = DensityReading(targets, request, span: span)
    var reached = from
    // No row may span two windows: it would count in one of them as a whole.
    for edge in request.edges(to: end).map({ Self.edge($0, last: end, pruned) }) where reached < edge {
      let next = try reading.read(targets, from: reached, to: edge, in: reader)
      reached = max(reached, next)
      if next < edge { break }
    }
    guard reached > from else { return nil }
    return (reading.density(end: reached), span != wanted)
  }

  /// The next coarser span, where that is much less to read and still shows something.
  private static func quicker(_ span: RollupSpan, _ length: Duration) -> RollupSpan {
    guard rows(of: span, in: length) > fewRows,
      let coarser = RollupSpan.allCases.first(where: { $0.microseconds > span.microseconds }),
      rows(of: coarser, in: length) >= 8
    else { return span }
    return coarser
  }

  private static func rows(of span: RollupSpan, in length: Duration) -> Int64 {
    length.microseconds / span.microseconds
  }

  /// Where retention has left coarse rows only, a window begins with a whole one.
  private static func edge(_ edge: WallTime, last: WallTime, _ pruned: PrunedSpans) -> WallTime {
    guard edge < last, pruned.hasPruned(samplesFrom: edge) else { return edge }
    return edge.floored(to: pruned.finestSpan(from: edge).length)
  }

  /// Reads a range of time: whole seconds from rollups, the remainders at its ends from single notifications.
  /// - Returns: how far there are rollups.
  private mutating func read(
    _ targets: [TargetID], from start: WallTime, to end: WallTime, in reader: any DashboardSource
  ) throws -> WallTime {
    var reached = WallTime(seconds: RollupSpan.firstWholeSecond(start))
    let last = end.floored(to: .seconds(1))
    guard reached < last else {
      try readPoints(targets, from: start, to: end, in: reader)
      return end
    }
    try readPoints(targets, from: start, to: reached, in: reader)
    while reached < last {
      let page = try reader.rollups(
        of: targets, from: reached, to: last, span: span, metrics: Set(Metric.allCases),
        limit: Self.mostRows)
      for row in page.rows { add(row) }
      guard page.coveredTo > reached else { return reached }
      reached = page.coveredTo
    }
    try readPoints(targets, from: last, to: end, in: reader)
    return end
  }

  /// Reads less than a second.
  private mutating func readPoints(
    _ targets: [TargetID], from start: WallTime, to end: WallTime, in reader: any DashboardSource
  ) throws {
    guard start < end else { return }
    for row in try reader.points(of: targets, plannedFrom: start, to: end, limit: Self.mostRows).points {
      add(row.point, of: row.id.target)
    }
  }

  /// The coarsest span that is not visible in a column of the plot, limited by the number of rows. A replay knows a span
  /// only when it is over, so it gets the finest.
  private static func span(for request: ReadRequest, length: Duration, targets: Int) -> RollupSpan {
    let fitting = RollupSpan.allCases.filter {
      rows(of: $0, in: length) * Int64(max(1, targets)) <= Int64(mostRows)
    }
    if request.isReplay { return fitting.first ?? .hour }
    return fitting.last { $0.length <= request.tick * 2 } ?? fitting.first ?? .hour
  }

  private init(_ targets: [TargetID], _ request: ReadRequest, span: RollupSpan) {
    self.request = request
    self.span = span
    tick = (request.isReplay ? min(request.tick, span.length) : request.tick).microseconds
    places = Dictionary(targets.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    let metrics = Metric.allCases.count
    columns = Array(repeating: [], count: targets.count)
    open = Array(repeating: nil, count: targets.count)
    tallies = Array(repeating: Array(repeating: DensityAccumulator(), count: metrics), count: targets.count)
    ends = Array(repeating: nil, count: targets.count)
  }

  private mutating func add(_ row: RollupRow) {
    guard let place = places[row.target] else { return }
    add(row.counts, at: row.start, duration: row.span.microseconds, place)
    for (number, metric) in Metric.allCases.enumerated() {
      guard let packed = row.ranged(metric) else { continue }
      if metric == .delivery {
        addEnds(of: packed, number, place) { $1.add($0) }
      }
      tallies[place][number].add(packed.values)
    }
  }

  /// Adds the bounds of values that are not in the column's tally yet, unless all of them are exact.
  private mutating func addEnds<Values>(
    of ranged: RangedLatencies<Values>, _ number: Int, _ place: Int,
    _ add: (Values, inout DensityAccumulator) -> Void
  ) {
    guard ends[place] != nil || !ranged.isExact else { return }
    // Those before are their own bounds.
    var both = ends[place] ?? (tallies[place][number], tallies[place][number])
    ends[place] = nil
    add(ranged.lows, &both.lows)
    add(ranged.highs, &both.highs)
    ends[place] = both
  }

  private mutating func add(_ point: SamplePoint, of target: TargetID) {
    guard let place = places[target] else { return }
    let plannedAt = WallTime(microseconds: point.plannedAt)
    var counts = StateCounts()
    counts.add(point)
    add(counts, at: plannedAt, duration: 0, place)
    for (number, metric) in Metric.allCases.enumerated() {
      guard let value = point.value(of: metric).map({ max(0, $0) }) else { continue }
      if metric == .delivery {
        addEnds(of: RangedLatencies(value, point.deliveryRange), number, place) { $1.add($0, count: 1) }
      }
      tallies[place][number].add(value, count: 1)
    }
  }

  /// Adds counts to the column of a target at a moment; columns before it are closed.
  private mutating func add(_ counts: StateCounts, at moment: WallTime, duration: Int64, _ place: Int) {
    let isWide = duration > tick
    // A column does not begin before its window.
    let start =
      isWide
      ? moment.microseconds : max(moment.microseconds.flooringDivision(by: tick) * tick, edge(before: moment))
    if open[place]?.start != start { close(place) }
    open[place] = (start, isWide ? duration : tick, (open[place]?.counts ?? StateCounts()) + counts)
  }

  private func edge(before moment: WallTime) -> Int64 {
    if let start = request.start, start <= moment { return start.microseconds }
    return request.from.microseconds
  }

  private mutating func close(_ place: Int) {
    guard let column = open[place] else { return }
    var closed = Density.Column(
      start: column.start, duration: column.duration, counts: column.counts,
      buckets: tallies[place].indices.map { tallies[place][$0].drain() })
    if var both = ends[place] {
      let (lows, highs) = (both.lows.drain(), both.highs.drain())
      let values = closed.buckets(of: .delivery)
      if lows != values || highs != values { closed.deliveryEnds = .init(lows: lows, highs: highs) }
      ends[place] = nil
    }
    columns[place].append(closed)
    open[place] = nil
  }

  private consuming func density(end: WallTime) -> Density {
    for place in open.indices { close(place) }
    return Density(span: span, end: end, columns: columns)
  }
}
