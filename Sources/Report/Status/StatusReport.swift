public import Analysis
import Findings
public import Formats
import Measurement
import Store

/// `pushscope status` as JSON; its lines are those of ``CollectionStatus``.
public struct StatusReport {
  private let status: CollectionStatus

  public init(_ status: CollectionStatus) { self.status = status }

  public var json: JSONValue {
    let headline = status.headline
    return .object([
      .init("state", .string(state)), .init("sentence", .string(headline.text(status.clock))),
      .init("open", .boolean(status.isOpen)), .init("at", .string(status.now.rfc3339)),
      .init("runs", .array(status.runs.map { .string($0.description) })),
      .init("recorded_us", .integer(headline.length.microseconds)),
      .init("rate_per_second", headline.rate.map { .number($0) } ?? .null),
      .init("last_us", headline.last > .zero ? .integer(headline.last.microseconds) : .null),
      .init("before_us", headline.before > .zero ? .integer(headline.before.microseconds) : .null),
      .init("targets", .array(zip(status.targets, status.statuses).map { Self.target($0.0, $0.1) })),
      .init("collector", .string(status.running)),
      .init("cannot_know", .array(status.unknown.map { .string($0) })),
      .init("needs_a_hand", .array(status.needs.map { .string($0) })),
      .init("failed_parts", .array(status.failedParts.map(Self.failed))),
    ])
  }

  private static func failed(_ failed: FailedPart) -> JSONValue {
    .object([
      .init("part", .string(failed.name)), .init("reason", .string(failed.reason)),
      .init("unit", .string(failed.unit)), .init("since", .string(failed.since.rfc3339)),
      .init("retry_at", .string(failed.retryAt.rfc3339)),
    ])
  }

  private var state: String {
    switch status.headline.phase {
    case .empty: "empty"
    case .collecting: "collecting"
    case .idle: "idle"
    case .gone: "gone"
    case .ended: "ended"
    }
  }

  private static func target(_ target: TargetActivity, _ status: TargetStatus) -> JSONValue {
    .object([
      .init("group", .string(target.group)), .init("target", .string(target.name)),
      .init("provider", .string(target.provider)), .init("status", .string(status.word.rawValue)),
      .init("sentence", .string(CollectionStatus.sentence(status, of: target))),
      .init("finding", .string(status.finding)),
      .init("findings", .array(target.open.map { .string($0.finding.id) })),
      .init("daily", .array(target.daily.map { .string($0.id) })),
      .init("objective", .string(target.breached?.name)), .init("metric", .string(target.metric.rawValue)),
      .init("within_us", .integer(target.limit)), .init("asked_per_second", .number(target.askedRate)),
      .init("last", target.last.map { window($0) } ?? .null),
      .init("before", target.before.map { window($0, hasIntervals: false) } ?? .null),
    ])
  }

  /// - Parameter hasIntervals: `false` for figures whose intervals are not computed.
  private static func window(_ window: StatusWindow, hasIntervals: Bool = true) -> JSONValue {
    func share(_ name: String, _ interval: ShareInterval?) -> [JSONValue.Member] {
      let known = interval?.share == nil || !hasIntervals ? nil : interval
      return [
        .init("\(name)_share", interval?.share.map { .number($0) } ?? .null),
        .init("\(name)_low", known.map { .number($0.low) } ?? .null),
        .init("\(name)_high", known.map { .number($0.high) } ?? .null),
      ]
    }
    return .object(
      [
        .init("from", .string(window.time.lowerBound.rfc3339)),
        .init("to", .string(window.time.upperBound.rfc3339)),
        .init("planned", .integer(Int64(window.counts.planned))),
        .init("settled", .integer(Int64(window.counts.settled))),
      ] + share("in_time", window.inTime) + share("lost", window.lost) + share("failed", window.failed)
        + share("refused", window.refused) + share("not_sent", window.notSent)
        + share("unseen", window.unseen)
        + [.init("p50_us", .integer(window.median?.value)), .init("p99_us", .integer(window.p99?.value))])
  }
}
