import Analysis
import ConstraintAnimation
import Measurement

/// The values of a key, with the colors and signs of their marks: `network  ● wifi  ● cellular`.
struct ValueLegend {
  let values: ValueColors
  /// The zone of hours and weekdays.
  let zoneName: String
  let appearance: Appearance

  /// Shorter where there is less room, without the key's name at last.
  var item: LineItem {
    let count = values.legend.count
    var item = LineItem(
      priority: 70, spans(columns: 24, most: count),
      short: LineItem.Short(priority: 72, spans: spans(columns: 8, most: count)))
    item.further = ([count] + (1..<max(1, count)).reversed()).map {
      LineItem.Short(priority: 72, spans: spans(columns: 8, most: $0, isNamed: false))
    }
    return item
  }

  private func spans(columns: Int, most: Int, isNamed: Bool = true) -> [TextSpan] {
    let key = values.key.isOfDay ? "\(values.key.name) (\(zoneName))" : values.key.name
    var spans = isNamed ? [TextSpan(EscapedText.make(key), appearance(.secondary))] : []
    for entry in values.legend.prefix(most) {
      let text = FittedText.truncated(entry.text, columns: columns, ellipsis: appearance.glyphs.ellipsis)
      if !spans.isEmpty { spans.append(TextSpan("  ", .plain)) }
      spans.append(
        TextSpan("\(appearance.targetSign(entry.place)) \(text)", appearance.target(entry.place)))
    }
    let hidden = values.legend.count - min(most, values.legend.count)
    if hidden > 0 { spans.append(TextSpan(" +\(hidden)", appearance(.secondary))) }
    guard values.others > 0 else { return spans }
    let place = values.placeOfOthers
    spans.append(
      TextSpan("  \(appearance.targetSign(place)) \(values.others) others", appearance.target(place)))
    return spans
  }
}
