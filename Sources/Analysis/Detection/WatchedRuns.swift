import Findings
import Measurement
import Store

/// The runs that a search for changes looks at, by the watched targets that they are of.
struct WatchedRuns: Sendable {
  /// The runs of each watched target, in the order of time.
  private(set) var spans: [WatchedTarget: [WatchedSpan]] = [:]
  private var watchedByTarget: [TargetID: [WatchedTarget]] = [:]
  /// Notifications a second of the first run, by which bins are chosen.
  private var rates: [WatchedTarget: Double] = [:]
  /// Runs that were being recorded at some time since the start: what is found in others is no news.
  private var recorded: Set<RunID> = []
  /// The instrument floor of each run.
  private var floors: [RunID: InstrumentFloor] = [:]
  private var seen: String?
  /// Where the oldest run may begin.
  private(set) var horizon = WallTime.distantPast

  /// Follows runs that begin, end and are deleted.
  /// - Parameter memory: how long ago the oldest run may have ended when this is called first; `nil` for no limit.
  /// - Returns: when one was deleted, the runs that are left.
  /// - Throws: `StoreError`.
  mutating func follow(
    _ reader: StoreReader, _ now: WallTime, memory: Duration?, _ settings: DetectionSettings
  ) throws -> Set<RunID>? {
    let fingerprint = try reader.runsFingerprint()
    guard fingerprint != seen else { return nil }
    let isFirst = seen == nil
    if isFirst, let memory { horizon = now - memory }
    let all = try reader.seriesSpans(endingAfter: horizon)
    // Only what was read is seen: after an error the next call reads it.
    seen = fingerprint
    let runs = Set(all.map(\.run))
    recorded.formIntersection(runs)
    recorded.formUnion(all.filter { $0.endedAt == nil }.map(\.run))
    let isDeleted = !isFirst && !Set(watchedByTarget.keys).isSubset(of: all.map(\.target))
    spans = [:]
    watchedByTarget = [:]
    rates = [:]
    let variants = Dictionary(grouping: all, by: \.target).mapValues(\.count)
    for span in all {
      let watched = WatchedTarget(span)
      let rate = span.askedRate / Double(max(1, variants[span.target] ?? 1))
      let first = rates[watched] ?? rate
      rates[watched] = first
      let widths = [settings.usual(first), settings.firstHour(first)].map {
        Duration.microseconds($0.binWidth)
      }
      spans[watched, default: []].append(
        WatchedSpan(span, after: spans[watched]?.last, binWidths: widths))
      watchedByTarget[span.target, default: []].append(watched)
    }
    // Runs are in the order of time, but where a clock was set.
    for watched in spans.keys { spans[watched]?.sort { $0.start < $1.start } }
    return isDeleted ? runs : nil
  }

  /// The runs that a watched target is part of; `nil` for one that is not known.
  subscript(_ watched: WatchedTarget) -> [WatchedSpan]? { spans[watched] }

  /// What is watched of a run's target: one a variant.
  func watched(of target: TargetID) -> [WatchedTarget] { watchedByTarget[target] ?? [] }

  func rate(of watched: WatchedTarget) -> Double { rates[watched] ?? 1 }

  /// Stretches of the runs that were being recorded at some time since the start.
  var recordedSpans: [WatchedSpan] {
    spans.values.joined().filter { recorded.contains($0.span.run) }
  }

  /// Reads the floor of each run, as soon as the run refers to a calibration: in its first second.
  /// - Throws: `StoreError`.
  mutating func readFloors(_ reader: StoreReader) throws {
    for span in spans.values.joined() where floors[span.span.run] == nil {
      if let instrument = try reader.instrument(of: span.span.run) {
        floors[span.span.run] = instrument.calibration.map(InstrumentFloor.init) ?? InstrumentFloor()
      } else if span.end != nil {
        floors[span.span.run] = InstrumentFloor()
      }
    }
  }

  /// What the instrument cannot tell apart in a run.
  func floor(of run: RunID) -> InstrumentFloor { floors[run] ?? InstrumentFloor() }
}

/// Copies of detectors from some minutes and some hours ago, to go back to.
struct DetectorCopies: Sendable {
  /// Copies of each target, ascending by time.
  private var copies: [WatchedTarget: [TargetDetector]] = [:]

  /// Keeps a copy of a detector as it is now.
  /// - Parameter interval: between checkpoints.
  mutating func add(_ detector: TargetDetector, of watched: WatchedTarget, interval: Duration) {
    var copies = copies[watched] ?? []
    var copy = detector
    _ = copy.drainRemoved()
    copies.append(copy)
    if copies.count > 4 {
      // The two newest, and two that are hours apart.
      let newest = copies.count - 2
      let hours = copies[..<newest].filter { $0.through - $0.through.floored(to: interval) < interval / 6 }
      copies = Array((hours.isEmpty ? Array(copies[..<newest]) : Array(hours)).suffix(2)) + copies[newest...]
    }
    self.copies[watched] = copies
  }

  /// Forgets the copies from after an instant.
  /// - Returns: the newest that is left.
  mutating func goBack(_ watched: WatchedTarget, to time: WallTime) -> TargetDetector? {
    copies[watched]?.removeAll { $0.through > time }
    return copies[watched]?.last
  }

  mutating func removeAll() { copies = [:] }
}
