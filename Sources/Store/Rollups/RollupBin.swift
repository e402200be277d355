import Measurement

/// Counts and latencies of the notifications of one target and variant that were planned in one span of time, with any of
/// the figures that a rollup counts. ``RollupRow`` is the smaller one for plots.
public struct RollupBin: Sendable, RollupFigures {
  fileprivate let key: RollupKey
  fileprivate let content: RollupContent
  /// Whether retention has deleted the notifications that it counts.
  public let isPruned: Bool

  init(key: RollupKey, content: RollupContent, isPruned: Bool) {
    self.key = key
    self.content = content
    self.isPruned = isPruned
  }

  /// Counts that something else than a store has made; figures that are left out have no values.
  /// - Parameter start: in seconds since 1970, a multiple of the span.
  public init(
    span: RollupSpan, start: Int64, target: TargetID, variant: VariantID, counts: StateCounts,
    duplicates: Int,
    outOfOrder: Int, freshConnections: Int, figures: [RollupFigure: PackedLatencies]
  ) {
    key = RollupKey(span: span, start: start, target: target, variant: variant)
    var content = RollupContent(
      counts: counts,
      sideCounts: RollupSideCounts(
        duplicates: duplicates, outOfOrder: outOfOrder, freshConnections: freshConnections))
    for (figure, packed) in figures { content.figures[figure] = packed }
    self.content = content
    isPruned = false
  }

  /// Where a window begins that this is the first rollup of, though the rollup begins before it: the finer ones are deleted.
  private var windowStart: WallTime?

  /// When its notifications were planned, at the earliest, as a window takes them that it is part of.
  public var plannedFrom: WallTime { windowStart.map { max($0, start) } ?? start }

  /// The same as part of a window, all of it.
  public func counted(from time: WallTime) -> RollupBin {
    var bin = self
    bin.windowStart = time
    return bin
  }

  /// A multiple of the span since 1970.
  public var start: WallTime { WallTime(seconds: key.start) }
  /// The end of the span, excluded.
  public var end: WallTime { start.advanced(byMicroseconds: key.span.microseconds) }
  public var span: RollupSpan { key.span }
  public var target: TargetID { key.target }
  public var variant: VariantID { key.variant }
  public var counts: StateCounts { content.counts }
  /// Receipts after the first.
  public var duplicates: Int { content.sideCounts.duplicates }
  /// Received after a later sequence number.
  public var outOfOrder: Int { content.sideCounts.outOfOrder }
  /// Requests that opened a connection.
  public var freshConnections: Int { content.sideCounts.freshConnections }

  /// The values of an interval as bucket counts of a ``LatencyHistogram``; empty where it was not read.
  public func latencies(of figure: RollupFigure) -> PackedLatencies { content.figures[figure] }
}

extension RollupRow {
  /// The part of it that plots show.
  public init(_ bin: RollupBin) { self.init(key: bin.key, content: bin.content) }
}

extension RollupTotal {
  mutating func add(_ bin: RollupBin) { add(bin.content) }
}

extension StoreReader {
  /// Visits the rollups of a range of planned time, ascending by start, then target, then variant.
  ///
  /// The range is divided into whole spans of the requested size, as far as they exist, and the rest at its ends into the
  /// next finer ones, down to the finest that are left. What is left of it then has to be read from the notifications; where
  /// retention has deleted those, too, the rollups at the ends are visited whole. The visits are part of a read transaction: let
  /// them be short.
  ///
  /// - Parameters:
  ///   - start: `nil`, like the end, for no limit.
  ///   - end: excluded.
  ///   - figures: the figures to read.
  /// - Returns: the part of the range that was visited; the rest has to be read from the notifications. `nil` when
  ///   nothing of it is rolled up.
  /// - Throws: ``StoreError``.
  public func forEachRollup(
    of targets: [TargetID], plannedFrom start: WallTime?, to end: WallTime?, span: RollupSpan,
    figures: Set<RollupFigure>, _ body: (RollupBin) -> Void
  ) throws -> Range<WallTime>? {
    try read { db in
      let watermarks = try RollupWatermarks.fetch(db)
      let seconds = watermarks.seconds(from: start, to: end)
      guard !seconds.isEmpty else { return nil }
      var reading = RollupReading(targets: Set(targets), figures: figures, limit: .max)
      _ = try reading.read(span, from: seconds.lowerBound, to: seconds.upperBound, watermarks: watermarks, db)
      {
        body(RollupBin(key: $0, content: $1, isPruned: $0.start < watermarks.firstSample))
      }
      return seconds.times(within: start, end)
    }
  }
}
