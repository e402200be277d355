import ConstraintAnimation
import Measurement

/// A notification in one line.
enum NotificationText {
  /// `#4711 delivered 1.20 s ±3.1 ms  accept 4.1 ms  14:02:03.123`
  static func spans(
    _ pick: PickedNotification, target: DisplayedTarget?, now: Int64?, zone: LocalTime,
    _ appearance: Appearance
  ) -> [TextSpan] {
    let point = pick.point
    let markClass = MarkClass(point.state) ?? .pending
    let stateRole: Role = markClass == .good ? .text : Role(markClass)
    let name = point.state.title
    var spans = [
      TextSpan("#\(pick.sequence) ", appearance(.strong)), TextSpan(name, appearance(stateRole)),
    ]
    if let status = point.status, status >= 300 {
      spans.append(TextSpan(" \(status)", appearance(stateRole)))
    }
    if let value = point.value(of: pick.metric) {
      spans.append(TextSpan(" \(DurationText.text(value))", appearance(.strong)))
      if pick.metric == .delivery, let error = point.deliveryError {
        spans.append(TextSpan(" \(plusMinus(appearance))\(DurationText.text(error))", appearance(.secondary)))
      }
      if pick.metric == .delivery, point.isWithinError {
        spans.append(TextSpan(" within its error", appearance(.warning)))
        if let range = point.deliveryRange {
          spans.append(
            TextSpan(" \(DurationText.interval(range.low, range.high))", appearance(.secondary)))
        }
      }
    } else if point.state == .inFlight, let now {
      spans.append(
        TextSpan(" for \(DurationText.text(max(0, now - point.plannedMonotonic)))", appearance(.strong)))
    }
    for metric in [Metric.accept, .delivery] where metric != pick.metric {
      if let value = point.value(of: metric) {
        spans.append(TextSpan("  \(metric.rawValue) ", appearance(.secondary)))
        spans.append(TextSpan(DurationText.text(value), appearance(.text)))
      }
    }
    let clock = zone.civil(WallTime(microseconds: point.plannedAt))
    let time = "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3))"
    spans.append(TextSpan("  \(time)", appearance(.secondary)))
    if let target {
      let name = FittedText.truncated(target.name, columns: 20, ellipsis: appearance.glyphs.ellipsis)
      spans.append(TextSpan("  \(name)", appearance(.text)))
    }
    return spans
  }

  static func plusMinus(_ appearance: Appearance) -> String { appearance.isASCII ? "+-" : "±" }
}
