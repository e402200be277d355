import Glibc
import Measurement

/// A change of one series: since when, by how much, on what evidence.
public struct Finding: Sendable, Hashable, Codable, Identifiable {
  /// The metric and the bin of the alarm: equal for equal rows.
  public struct ID: Sendable, Hashable, Codable {
    public var metric: SeriesMetric
    /// µs since 1970: the end of the bin that raised the alarm.
    public var detectedAt: Int64
    /// The ten minutes of the day that a daily pattern began in when it was found; `nil` of others.
    public var dailyStep: Int?
  }

  public var id: ID
  public var kind: FindingKind
  public var status: FindingStatus
  /// µs since 1970, as all times here: the most likely start.
  public var start: Int64
  /// No interval when it has been getting worse gradually.
  public var startInterval: ClosedRange<Int64>?
  /// `nil` while it is open, and for one that became the new normal.
  public var end: Int64?
  /// The end of the stretch looked at so far.
  public var seenUntil: Int64
  /// Whether it became the new normal, after a week, or a provisional one after the first two hours; it has no end then.
  public var isNewNormal = false
  /// Whether its median rises by 10 % or more from each third of its stretch to the next: "getting worse since about".
  public var isGettingWorse = false
  /// The quantile whose level raised the alarm; `nil` for shares.
  public var quantile: Double?
  /// The quantile before the finding, µs, in levels of 0.5 % and relative to the hour of day; or the share, from 0 to
  /// 1.
  public var before: Double
  /// The quantile or share since the start, in the units of ``before``.
  public var after: Double
  /// How many values its stretch has, and how many independent ones they are worth.
  public var count: Int
  public var effectiveCount: Double
  /// The window that raised the alarm, µs.
  public var window: Int64
  /// The width of the detector's bins, µs; `nil` in what older versions wrote.
  public var binWidth: Int64?
  /// The test statistic in nats (z² / 2), and the alarm level that it passed.
  public var statistic: Double
  public var threshold: Double
  /// How many nats a value of each cell contributes to the change; cells lie between the reference's levels.
  public var evidence: Evidence
  /// What a daily pattern says besides; `nil` of others. Its ``before``, ``after`` and interval are not relative to the hour of day,
  /// ``count`` and ``effectiveCount`` are the days that were looked at and those on which it came, ``window`` is its length, and
  /// it ended with the last one that came.
  public var daily: DailyPattern?

  public var metric: SeriesMetric { id.metric }
  public var detectedAt: Int64 { id.detectedAt }
  public var isOpen: Bool { status.isOpen(isSettled: end != nil || isNewNormal) }
  public var isUpward: Bool { kind != .faster }

  /// Whether it ended, or became the new normal, before an instant or at it; µs since 1970.
  public func hasEnded(before time: Int64) -> Bool {
    if isNewNormal { return seenUntil <= time }
    return end.map { $0 <= time } ?? false
  }

  /// How single notifications speak for and against the change.
  public struct Evidence: Sendable, Hashable, Codable {
    /// Upper edges of the cells but the last, µs, relative to the hour of day.
    public var edges: [Double]
    public var weights: [Double]
    public var profile: DailyProfile

    func weight(_ sample: TimedLatency) -> Double {
      let value = log(Double(max(1, sample.latency))) - profile.offset(at: sample.plannedAt.microseconds)
      return weights[edges.firstIndex { value < log($0) } ?? weights.count - 1]
    }
  }
}

extension Finding {
  /// The start moved to the notification from which on the evidence is strongest.
  ///
  /// - Parameter samples: latencies planned within two bins of ``start``, ascending by time.
  public func refined(bySamples samples: [TimedLatency]) -> Finding {
    guard quantile != nil else { return self }
    return refined(samples.map { ($0.plannedAt.microseconds, evidence.weight($0)) })
  }

  /// The start of a share's finding, refined as ``refined(bySamples:)`` does.
  public func refined(byEvents events: [(plannedAt: WallTime, hasProperty: Bool)]) -> Finding {
    guard quantile == nil, evidence.weights.count == 2 else { return self }
    return refined(events.map { ($0.plannedAt.microseconds, evidence.weights[$0.hasProperty ? 1 : 0]) })
  }

  /// What a latency had been over the finding's stretch without the change, µs: ``before`` and ``after`` are relative to the
  /// hour of day where it has a cycle.
  ///
  /// - Parameter relative: one of the two.
  public func latency(_ relative: Double, over stretch: Range<WallTime>) -> Double {
    relative * exp(evidence.profile.meanOffset(in: stretch))
  }

  /// What happened while it can have begun (annotations, new connections): evidence to name, never a cause.
  public func events(_ events: [(at: WallTime, text: String)]) -> [String] {
    guard let interval = startInterval else { return [] }
    return events.filter { interval.contains($0.at.microseconds) }.map(\.text)
  }

  private func refined(_ weights: [(time: Int64, weight: Double)]) -> Finding {
    var best = -Double.infinity
    var sum = 0.0
    var result = self
    for (time, weight) in weights.reversed() {
      sum += weight
      if sum > best { (best, result.start) = (sum, time) }
    }
    if let interval = startInterval {
      result.startInterval = min(interval.lowerBound, result.start)...max(interval.upperBound, result.start)
    }
    return result
  }
}

/// What became of findings when rows changed: those of the same series are the same finding when they are of one kind and
/// overlap.
public struct FindingRevision: Sendable, Equatable {
  /// The findings as they are now; earlier ones are in the order of their detection.
  public var current: [Finding] = []
  /// Those that no longer hold; their status is `withdrawn`.
  public var withdrawn: [Finding] = []

  /// - Parameters:
  ///   - stored: what was found before, of one series.
  ///   - found: what the same bins say now.
  ///   - from: the instant from which bins were looked at again; earlier findings stay.
  public init(stored: [Finding], found: [Finding], from: WallTime) {
    var rest = found
    for old in stored {
      if old.status == .withdrawn {
        withdrawn.append(old)
      } else if old.hasEnded(before: from.microseconds) {
        current.append(old)
        rest.removeAll { $0.id == old.id }
      } else if let index = rest.firstIndex(where: { $0.kind == old.kind && $0.id == old.id })
        ?? rest.firstIndex(where: { $0.kind == old.kind && Self.overlap($0, old) })
      {
        var same = rest.remove(at: index)
        same.id = old.id
        current.append(same)
      } else {
        var gone = old
        gone.status = .withdrawn
        withdrawn.append(gone)
      }
    }
    current += rest
    current.sort { $0.detectedAt < $1.detectedAt }
  }

  private static func overlap(_ a: Finding, _ b: Finding) -> Bool {
    a.metric == b.metric && a.start < (b.end ?? .max) && b.start < (a.end ?? .max) && isSameStretch(a, b)
  }

  /// Whether both are no daily patterns, or about the same hours.
  private static func isSameStretch(_ a: Finding, _ b: Finding) -> Bool {
    guard let one = a.daily, let other = b.daily else { return a.daily == nil && b.daily == nil }
    return one.stretch.isLike(other.stretch)
  }
}
