import Findings
import Measurement
public import Store

/// How long a target and variant was recorded and watched for changes.
public struct WatchedSeries: Sendable {
  /// Its age is recorded time: a detector's own is in whole bins, and not known once it has learned.
  public let detector: DetectorRecord
  /// The recorded time that the first later one is compared with: changes within it are not seen.
  public let warmUp: Duration

  /// The part of it that a selection's run and time have.
  public let selected: Duration

  /// Whether a reload removed its target from the newest run.
  public let isRemoved: Bool

  public var age: Duration { .microseconds(detector.age) }
  /// Whether it was recorded in the selected part, or is so young that nothing of it is.
  public var isSelected: Bool { selected > .zero || age == .zero }
  /// Recorded time in which a change could be seen.
  public var watched: Duration { max(.zero, age - warmUp) }
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
    let spans = try reader.seriesSpans(endingAfter: .distantPast).map { span in
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
    var selected: Duration?
    if !own.isEmpty {
      func recorded(_ spans: [SeriesSpan], from: WallTime? = nil, to: WallTime? = nil) -> Duration {
        spans.reduce(.zero) { sum, span in
          let start = max(span.startedAt, from ?? span.startedAt)
          let end = span.endedAt ?? max(span.startedAt, detector.through)
          return sum + max(.zero, min(end, to ?? end) - start)
        }
      }
      let all = recorded(own).microseconds
      record.age = record.learning == nil ? all : min(record.age, all)
      selected = recorded(
        own.filter { $0.run == selection.run ?? $0.run }, from: selection.since, to: selection.until)
    }
    self.detector = record
    // Of what is not recorded any more the times are not known.
    let age = Duration.microseconds(record.age)
    self.selected = min(age, selected ?? (selection.hasTime ? .zero : age))
    let variants = spans.count { $0.target == own.first?.target }
    let rate = own.first.map { $0.askedRate / Double(max(1, variants)) }
    warmUp = .microseconds(DetectorSettings.firstHour(rate: rate ?? .infinity).warmUp)
  }
}
