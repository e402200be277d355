import Measurement
import Store

/// Reads the store's sums for a plot: row by row, put together by the plot's columns, so that what is handed over is no
/// more than a screen can show.
struct DensityReading {
  private let request: ReadRequest
  private let places: [TargetID: Int]
  private var columns: [[Density.Column]]
  private var histograms: [[RangedLatencies<LatencyHistogram>]]
  /// The column of each target that is being put together.
  private var open: [(start: Int64, duration: Int64, counts: Tally)?]
  private var tallies: [[DensityTally]]
  /// The shortest and the longest that the deliveries of that column can have been.
  private var ends: [(lows: DensityTally, highs: DensityTally)]

  /// As many sums of one variant as are read for one picture, and of all at a time.
  private static let mostRows = 40_000

  /// - Returns: `nil` where nothing is summed up: a store of an older version, or too young.
  static func read(
    _ targets: [TargetID], _ request: ReadRequest, to end: WallTime, in reader: StoreReader
  ) throws -> Density? {
    // The first second as a whole: half of it could not be had.
    let second: Int64 = 1_000_000
    let from = WallTime(microseconds: request.from.microseconds.flooringQuotient(second) * second)
    // A run that ended long ago has nothing to sum up since.
    let end = min(end, try reader.rollupsCoverTo() ?? from)
    guard from < end else { return nil }
    let span = span(for: request.tick, length: end.microseconds - from.microseconds, targets: targets.count)
    var reading = DensityReading(targets, request)
    var reached = from
    while true {
      let page = try reader.rollups(of: targets, from: reached, to: end, span: span, limit: mostRows)
      for row in page.rows { reading.take(row) }
      let isFurther = page.coveredTo > reached
      reached = max(reached, page.coveredTo)
      guard page.isTruncated, isFurther else { break }
    }
    guard reached > from else { return nil }
    return reading.density(span: Int64(span.rawValue) * second, end: reached)
  }

  /// The coarsest span that a column of the plot does not show as such, and none of which there are too many.
  private static func span(for tick: Int64, length: Int64, targets: Int) -> RollupSpan {
    let fitting = RollupSpan.allCases.filter {
      length / (Int64($0.rawValue) * 1_000_000) * Int64(max(1, targets)) <= Int64(mostRows)
    }
    return fitting.last { Int64($0.rawValue) * 1_000_000 <= 2 * tick } ?? fitting.first ?? .hour
  }

  private init(_ targets: [TargetID], _ request: ReadRequest) {
    self.request = request
    places = Dictionary(targets.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    let metrics = Metric.allCases.count
    columns = Array(repeating: [], count: targets.count)
    open = Array(repeating: nil, count: targets.count)
    histograms = Array(
      repeating: Array(repeating: RangedLatencies<LatencyHistogram>(), count: metrics), count: targets.count)
    tallies = Array(repeating: Array(repeating: DensityTally(), count: metrics), count: targets.count)
    ends = Array(repeating: (DensityTally(), DensityTally()), count: targets.count)
  }

  private mutating func take(_ row: RollupRow) {
    guard let place = places[row.target] else { return }
    let duration = Int64(row.span.rawValue) * 1_000_000
    let isWide = duration > request.tick
    let start =
      isWide
      ? row.start.microseconds : row.start.microseconds.flooringQuotient(request.tick) * request.tick
    if open[place]?.start != start { close(place) }
    var counts = open[place]?.counts ?? Tally()
    counts = counts + Tally(row.counts)
    open[place] = (start, isWide ? duration : request.tick, counts)
    let isInWindow = row.start >= request.start ?? request.from && request.to.map { row.start < $0 } ?? true
    for (number, metric) in Metric.allCases.enumerated() {
      guard let packed = row.ranged(metric) else { continue }
      Self.add(packed.values, to: &tallies[place][number])
      if metric == .delivery {
        Self.add(packed.lows, to: &ends[place].lows)
        Self.add(packed.highs, to: &ends[place].highs)
      }
      if isInWindow { histograms[place][number].merge(packed) }
    }
  }

  private static func add(_ packed: PackedLatencies, to tally: inout DensityTally) {
    for bucket in packed {
      tally.add(bucket.lower + (bucket.upper - bucket.lower) / 2, count: bucket.count)
    }
  }

  private mutating func close(_ place: Int) {
    guard let column = open[place] else { return }
    var closed = Density.Column(
      start: column.start, duration: column.duration, counts: column.counts,
      buckets: tallies[place].indices.map { tallies[place][$0].take() })
    let (lows, highs) = (ends[place].lows.take(), ends[place].highs.take())
    let values = closed.buckets(of: .delivery)
    if lows != values || highs != values { closed.deliveryEnds = (lows, highs) }
    columns[place].append(closed)
    open[place] = nil
  }

  private consuming func density(span: Int64, end: WallTime) -> Density {
    for place in open.indices { close(place) }
    return Density(
      span: span, end: end, columns: columns, start: request.start ?? request.from, to: request.to,
      histograms: histograms)
  }
}
