import ConstraintAnimation
import Measurement

/// What is behind and beside the marks of a plot: the axes with their labels, the threshold, events and legends.
struct ScatterBackground: Equatable {
  private(set) var window: TimeWindow
  let axis: LatencyAxis
  /// µs.
  let threshold: Int64?
  private(set) var events: [AxisMarks.Mark]
  let marks: PlotMarks
  /// The metric that losses are of.
  var metric = Metric.delivery
  let averages: AverageLines
  /// The index of the color of what is drawn in one.
  let place: Int
  let geometry: ScatterGeometry
  let appearance: Appearance

  func picture(zone: LocalTime) -> CellPicture {
    var picture = TitleRow.picture(width: geometry.width, height: geometry.height, appearance)
    guard geometry.rows > 0, geometry.columns > 0 else { return picture }
    let axes = LatencyAxisModel(axis: axis, threshold: threshold, geometry: geometry, appearance: appearance)
    axes.draw(&picture)
    axes.drawThreshold(&picture)
    LossBand.drawAxis(metric, geometry, appearance, &picture)
    drawTime(&picture, zone: zone)
    return picture
  }

  /// Whether it is another one below the plot at most.
  func differsInTime(from other: ScatterBackground) -> Bool {
    var other = other
    (other.window, other.events) = (window, events)
    return self == other
  }

  /// Draws what is below the plot anew: the axis of time with its labels and events, and the legends.
  func drawTime(_ picture: inout CellPicture, zone: LocalTime) {
    for y in geometry.axisRow..<geometry.height {
      picture.row(0x20, x: 0, y: y, count: geometry.width, style: .plain)
    }
    picture.lines = []
    // Columns below the axis of latencies in which lines are named.
    var legendColumns = averageLegend.reduce(0) { $0 + 1 + $1.name.count }
    if marks == .bands {
      let legend = PercentileLegend(place: place, geometry: geometry, appearance: appearance)
      legend.draw(&picture)
      legendColumns = legend.columns
    }
    TimeAxisModel(
      marks: events[...], window: window, geometry: geometry, appearance: appearance, zone: zone,
      reservedColumns: legendColumns
    ).draw(&picture)
    drawAverageLegend(&picture)
  }

  /// The lines that are drawn, with their names.
  private var averageLegend: [(glyph: UInt32, name: String, role: Role)] {
    guard marks == .dots else { return [] }
    return (averages.showsMedian ? [(appearance.glyphs.median, "med", .median)] : [])
      + (averages.showsMean ? [(appearance.glyphs.mean, "avg", .mean)] : [])
  }

  /// Names the lines in the corner below the axis, at any width. Labels of the axis keep away from it.
  private func drawAverageLegend(_ picture: inout CellPicture) {
    let y = geometry.height - 1
    var x = 0
    for (glyph, name, role) in averageLegend {
      picture.set(glyph, x: x, y: y, style: appearance(role))
      picture.put(name, x: x + 1, y: y, style: appearance(.secondary))
      x += 1 + name.count
    }
  }
}
