import Analysis
import Findings
import Formats
import FoundationEssentials
import Measurement
import Store

extension SummaryReport {
  /// The summary as JSON: names and units as in the exports, `null` where n is too small.
  public var json: JSONValue {
    .object([
      .init("runs", .array(runs.map(Self.json))),
      .init("objectives", .array(objectives.map(ObjectiveText.json))),
    ])
  }

  private static func json(_ run: Run) -> JSONValue {
    let record = run.record
    return .object([
      .init("run", .string(record.id.description)),
      .init("name", .string(record.name)),
      .init("collector", .string(record.collectorID.uuidString.lowercased())),
      .init("started_at", .string(record.startedAt.rfc3339)),
      .init("ended_at", .string(record.endedAt?.rfc3339)),
      .init("end_reason", .string(record.endReason?.rawValue)),
      .init("instrument", run.instrument.map(\.json) ?? .null),
      .init("targets", .array(run.targets.map(json))),
    ])
  }

  private static func json(_ target: TargetSummary) -> JSONValue {
    .object([
      .init("target", .string(target.record.name)),
      .init("provider", .string(target.record.provider)),
      .init("receipt_deadline_us", .integer(target.record.receiptDeadline)),
      .init(
        "rates_per_second",
        .object([
          .init("asked", .number(target.record.askedRate)),
          .init("planned", target.rates.map { .number($0.planned) } ?? .null),
          .init("sent", target.rates.map { .number($0.sent) } ?? .null),
          .init("achieved", target.rates.map { .number($0.sent) } ?? .null),
          .init("missed", target.rates.map { .number($0.missed) } ?? .null),
        ])),
      .init("rolled_up_to", .string(target.rolledUpTo?.rfc3339)),
      .init("pruned_to", .string(target.prunedTo?.rfc3339)),
      .init("variants", .array(target.groups.map(json))),
    ])
  }

  private static func json(_ group: GroupSummary) -> JSONValue {
    let states = NotificationState.allCases.map {
      JSONValue.Member($0.name, .integer(Int64(group.counts[$0])))
    }
    return .object([
      .init("variant", group.variant.isEmpty ? .null : .string(group.variant)),
      .init("planned", .integer(Int64(group.counts.planned))),
      .init("due", .integer(Int64(group.counts.due))),
      .init("sent", .integer(Int64(group.counts.sent))),
      .init(
        "failed_before_sending", group.counts.failedBeforeSending.map { .integer(Int64($0)) } ?? .null),
      .init("accepted", .integer(Int64(group.counts.acceptedByProvider))),
      .init("states", .object(states)),
      .init("duplicates", .integer(Int64(group.duplicates))),
      .init("out_of_order", .integer(Int64(group.outOfOrder))),
      .init("fresh_connections", .integer(Int64(group.onFreshConnections))),
      .init("schedule_lag", .object(members(group.scheduleLag))),
      .init("metrics", .array(group.metrics.map(json))),
      .init("shares", .array(group.shares.map(json))),
      .init("delivery_error", group.deliveryErrors.map(json) ?? .null),
    ])
  }

  private static func json(_ errors: DeliveryErrorSummary) -> JSONValue {
    .object([
      .init("exact", .integer(Int64(errors.exact))),
      .init("bounded", .object(members(errors.bounded))),
      .init("upper_limits", .integer(Int64(errors.limits))),
    ])
  }

  private static func json(_ metric: MetricSummary) -> JSONValue {
    .object(
      [.init("metric", .string(metric.metric.rawValue))] + members(metric.all) + [
        .init("fresh_connections", metric.fresh.map { .object(members($0)) } ?? .null)
      ])
  }

  private static func members(_ values: ValueSummary) -> [JSONValue.Member] {
    [
      .init("planned", .integer(Int64(values.share.planned))),
      .init("due", .integer(Int64(values.share.due))),
      .init("counted", .integer(Int64(values.share.counted))),
      .init("minimum_us", .integer(values.minimum)),
      .init("maximum_us", .integer(values.maximum)),
      .init("maximum_low_us", .integer(values.maximumRange?.lowerBound)),
      .init("maximum_high_us", .integer(values.maximumRange?.upperBound)),
      .init("method", .string(values.isExact ? "exact" : "histogram")),
      .init("quantiles", .array(values.figures.map(json))),
    ]
  }

  private static func json(_ figure: ValueSummary.Figure) -> JSONValue {
    let known = figure.known
    return .object([
      .init("quantile", .number(figure.quantile.fraction)),
      .init("value_us", .integer(known?.value)),
      .init("low_us", .integer(known?.low)),
      .init("high_us", .integer(known?.high)),
      .init("needs", .integer(Int64(figure.quantile.smallestCount))),
      .init("rests_on_limits", known.map { _ in .boolean(figure.restsOnLimits) } ?? .null),
      .init("effective_count", figure.effectiveCount.map { .number($0) } ?? .null),
      .init("history", figure.usesHistory.map { .boolean($0) } ?? .null),
    ])
  }

  private static func json(_ share: ShareSummary) -> JSONValue {
    let interval = share.interval
    let isDependent = share.method == .dependent
    return .object([
      .init("share", .string(share.name)),
      .init("events", .integer(Int64(interval.events))),
      .init("counted", .integer(Int64(interval.count))),
      .init("value", interval.share.map { .number($0) } ?? .null),
      .init("low", interval.share.map { _ in .number(interval.low) } ?? .null),
      .init("high", interval.share.map { _ in .number(interval.high) } ?? .null),
      .init("effective_count", isDependent ? .number(interval.effectiveCount) : .null),
      .init("history", isDependent ? .boolean(interval.usesHistory) : .null),
    ])
  }
}
