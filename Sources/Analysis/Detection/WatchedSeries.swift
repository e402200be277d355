import Findings
import Measurement
public import Store

/// How long a target and variant was recorded and watched for changes.
public struct WatchedSeries: Sendable {
  /// Its age is recorded time: a detector's own is in whole bins, and not known once it has learned.
  public let detector: DetectorRecord
  /// The recorded time that the first later one is compared with, µs: changes within it are not seen.
  public let warmUp: Int64

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
  public static func all(_ detectors: [DetectorRecord], in reader: StoreReader) throws -> [WatchedSeries] {
    let spans = try reader.seriesSpans(endingAfter: WallTime(microseconds: .min))
    return detectors.map { WatchedSeries($0, spans) }
  }

  /// - Parameter spans: of all runs of all targets.
  public init(_ detector: DetectorRecord, _ spans: [SeriesSpan]) {
    let own = spans.filter {
      $0.name == detector.target && $0.variantName == detector.variant && $0.provider == detector.provider
        && $0.endpoint == detector.endpoint
    }
    var record = detector
    if !own.isEmpty {
      let recorded = own.reduce(into: Int64(0)) { sum, span in
        let end = span.endedAt ?? max(span.startedAt, detector.through)
        sum += max(0, (end - span.startedAt).microseconds)
      }
      record.age = record.learning == nil ? recorded : min(record.age, recorded)
    }
    self.detector = record
    let variants = spans.count { $0.target == own.first?.target }
    let rate = own.first.map { $0.askedRate / Double(max(1, variants)) }
    warmUp = DetectorSettings.firstHour(rate: rate ?? .infinity).warmUp
  }
}
