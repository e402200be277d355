import Findings
import Measurement
public import Store

/// How long a target and variant was recorded and watched for changes.
public struct WatchedSeries: Sendable {
  /// Its age is recorded time: a detector's own is in whole bins, and not known once it has learned.
  public let detector: DetectorRecord
  /// The recorded time that the first later one is compared with, µs: changes within it are not seen.
  public let warmUp: Int64

  /// The part of it that a selection's run and time have, µs.
  public let selected: Int64

  /// Whether a reload removed its target from the newest run.
  public let isRemoved: Bool

  /// µs.
  public var age: Int64 { detector.age }
  /// Recorded time in which a change could be seen, µs.
  public var watched: Int64 { max(0, age - warmUp) }
  /// Whether so little was watched that "no change" would say nothing: less than what it is compared with.
  public var isTooShort: Bool { detector.learning != nil && watched < warmUp }

  /// - Throws: `StoreError`.
  public static func all(_ reader: StoreReader) throws -> [WatchedSeries] {
    try all(reader.detectors(), in: reader)
  }

  /// - Throws: `StoreError`.
  public static func all(
    _ detectors: [DetectorRecord], in reader: StoreReader, of selection: RowSelection = .everything
  ) throws -> [WatchedSeries] {
    let removed = try reader.removedTargets()
    let spans = try reader.seriesSpans(endingAfter: WallTime(microseconds: .min)).map { span in
      var span = span
      span.endedAt = span.endedAt ?? removed[span.name]
      return span
    }
    return detectors.map {
      WatchedSeries($0, spans, of: selection, isRemoved: removed[$0.target] != nil)
    }.filter {
      selection.targets?.contains($0.detector.target) ?? true
    }
  }

  /// - Parameter spans: of all runs of all targets.
  public init(
    _ detector: DetectorRecord, _ spans: [SeriesSpan], of selection: RowSelection = .everything,
    isRemoved: Bool = false
  ) {
    self.isRemoved = isRemoved
    let own = spans.filter {
      $0.name == detector.target && $0.variantName == detector.variant && $0.provider == detector.provider
        && $0.endpoint == detector.endpoint
    }
    var record = detector
    var selected: Int64?
    if !own.isEmpty {
      func recorded(_ spans: [SeriesSpan], from: WallTime? = nil, to: WallTime? = nil) -> Int64 {
        spans.reduce(0) { sum, span in
          let start = max(span.startedAt, from ?? span.startedAt)
          let end = span.endedAt ?? max(span.startedAt, detector.through)
          return sum + max(0, (min(end, to ?? end) - start).microseconds)
        }
      }
      let all = recorded(own)
      record.age = record.learning == nil ? all : min(record.age, all)
      selected = recorded(
        own.filter { $0.run == selection.run ?? $0.run }, from: selection.since, to: selection.until)
    }
    self.detector = record
    // Of what is not recorded any more the times are not known.
    self.selected = min(record.age, selected ?? (selection.hasTime ? 0 : record.age))
    let variants = spans.count { $0.target == own.first?.target }
    let rate = own.first.map { $0.askedRate / Double(max(1, variants)) }
    warmUp = DetectorSettings.firstHour(rate: rate ?? .infinity).warmUp
  }
}
