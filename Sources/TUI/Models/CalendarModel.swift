import ConstraintAnimation
import Measurement
import Store

/// Which hours of a run are to be read for the heat map of hours and days.
struct CalendarOrder: Sendable, Hashable {
  /// Indices in the run.
  let targets: [Int]
  let metric: Metric
}

/// The hours of a run, by the store's rollups.
struct CalendarFigures: Sendable, Equatable {
  struct Hour: Sendable, Equatable {
    let start: WallTime
    /// 90th percentile, µs; `nil` when nothing has a value.
    let p90: Int64?
    let counts: StateCounts
  }

  let order: CalendarOrder
  let run: RunID
  /// Ascending.
  let hours: [Hour]
}

/// Hour of day × day: the 90th percentile of each hour as a color, and which hours lost notifications.
struct CalendarModel {
  /// `nil` until they have been read.
  let figures: CalendarFigures?
  let metric: Metric
  let place: Int
  let appearance: Appearance
  let zone: LocalTime
  let width: Int
  let height: Int

  /// The share of an hour's notifications from which losses are marked.
  private static let markedShare = 0.01

  private struct Day: Hashable {
    let year: Int64
    let month: Int64
    let day: Int64

    init(_ time: CivilTime) { (year, month, day) = (time.year, time.month, time.day) }

    /// The month and day, as wide as the axis' labels.
    var label: String { "\(FixedPoint.padded(month, width: 2))-\(FixedPoint.padded(day, width: 2))" }
  }

  func picture() -> CellPicture {
    var picture = TitleRow.picture(width: width, height: height, appearance)
    let hours = figures?.hours ?? []
    let values = hours.compactMap(\.p90)
    drawTitle(values, &picture)
    guard figures != nil, !hours.isEmpty else {
      let text =
        figures == nil
        ? appearance.glyphs.reading : "no sums of this run: they are written after a minute"
      picture.putCentered(text, style: appearance(.secondary))
      return picture
    }
    var days: [Day] = []
    var cells: [Day: [Int: CalendarFigures.Hour]] = [:]
    for hour in hours {
      let time = zone.civil(hour.start)
      let day = Day(time)
      if days.last != day { days.append(day) }
      cells[day, default: [:]][Int(time.hour)] = hour
    }
    let rows = max(1, height - 2)
    let left = ScatterGeometry.gutter
    let columns = max(1, min(8, (width - left) / 24))
    // Where not all fit, the newest; the oldest of them on top.
    for (row, day) in days.suffix(rows).enumerated() {
      picture.put(
        FittedText.padded(day.label, columns: left - 2), x: 0, y: 1 + row, style: appearance(.secondary))
      for (hour, figures) in cells[day] ?? [:] {
        draw(figures, values, x: left + hour * columns, y: 1 + row, columns, &picture)
      }
    }
    let axis = min(height - 1, 1 + min(rows, days.count))
    if let newest = hours.last?.start {
      picture.put(
        FittedText.padded(zoneName(at: newest), columns: left - 2), x: 0, y: axis,
        style: appearance(.secondary))
    }
    for hour in stride(from: 0, to: 24, by: columns > 2 ? 3 : 6) {
      picture.put(
        "\(FixedPoint.padded(Int64(hour), width: 2)):00", x: left + hour * columns, y: axis,
        style: appearance(.secondary))
    }
    return picture
  }

  /// The zone that hours and days are of.
  private func zoneName(at time: WallTime) -> String {
    FindingsModel.plain(zone.shortName(at: time), appearance)
  }

  private func draw(
    _ hour: CalendarFigures.Hour, _ values: [Int64], x: Int, y: Int, _ columns: Int,
    _ picture: inout CellPicture
  ) {
    var (glyph, style): (UInt32, CellStyle) = (0x20, .plain)
    if let p90 = hour.p90 { (glyph, style) = shade(p90, values).cell(of: place, appearance) }
    picture.row(glyph, x: x, y: y, count: columns, style: style)
    let losses = NotificationState.allCases.filter { MarkClass($0)?.isLoss ?? false && hour.counts[$0] > 0 }
    let lost = losses.reduce(0) { $0 + hour.counts[$1] }
    guard Double(lost) >= Self.markedShare * Double(max(1, hour.counts.settled)),
      let worst = losses.compactMap({ MarkClass($0) }).max()
    else { return }
    var mark = appearance(Role(worst))
    mark.background = style.background
    picture.set(appearance.glyphs.symbol(of: worst), x: x + columns / 2, y: y, style: mark)
  }

  /// Logarithmic between the fastest hour and the slowest.
  private func shade(_ value: Int64, _ values: [Int64]) -> HeatShade {
    guard let low = values.min(), let high = values.max(), high > low else { return HeatShade(fraction: 0.4) }
    let axis = LatencyAxis(kind: .logarithmic, lower: low, upper: high)
    return HeatShade(fraction: axis.position(of: value))
  }

  private func drawTitle(_ values: [Int64], _ picture: inout CellPicture) {
    var left = [
      LineItem(priority: 90, [TextSpan("hour of day × day", appearance(.strong))]),
      LineItem(priority: 80, [TextSpan("p90 of \(metric.shortTitle)", appearance(.secondary))]),
    ]
    if appearance.isASCII { left[0].spans[0].text = "hour of day x day" }
    if let low = values.min(), let high = values.max() {
      var spans = [TextSpan("\(LatencyText.text(low)) ", appearance(.text))]
      for step in 0..<5 {
        let (glyph, style) = HeatShade(fraction: Double(step) / 4).cell(of: place, appearance)
        spans.append(TextSpan(Unicode.Scalar(glyph).map { String(Character($0)) } ?? " ", style))
      }
      spans.append(TextSpan(" \(LatencyText.text(high))", appearance(.text)))
      left.append(LineItem(priority: 85, spans))
    }
    let marked = "\(appearance.glyphs.sign(of: .lost)) 1 % or more never arrived"
    left.append(LineItem(priority: 70, [TextSpan(marked, appearance(.secondary))]))
    TitleRow.add(TitleRow.fitted(left, width: width), to: &picture)
  }
}
