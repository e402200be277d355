import ConstraintAnimation
import Measurement

/// Quantiles of all metrics with their intervals.
struct QuantileTable {
  let summaries: [WindowSummary]
  let appearance: Appearance

  private static let nameColumns = 10
  private static let cellColumns = 17

  var width: Int { Self.nameColumns + WindowSummary.quantiles.count * Self.cellColumns }

  func draw(_ picture: inout CellPicture, x: Int, y: Int, height: Int) {
    for (index, quantile) in WindowSummary.quantiles.enumerated() {
      put(quantile.label, cell: index, x: x, y: y, &picture, appearance(.secondary))
    }
    // Two rows per metric, one for values and one for intervals; values only where these do not fit.
    let known = summaries.filter { $0.count > 0 }
    let step = height >= 1 + known.count * 3 ? 3 : height >= 1 + known.count * 2 ? 2 : 1
    var row = y + 1
    for (place, summary) in known.enumerated() {
      guard row < y + height else { return }
      let name = summary.metric.rawValue
      picture.put(name, x: x, y: row, style: appearance(place == 0 ? .strong : .text))
      for (index, quantile) in WindowSummary.quantiles.enumerated() {
        draw(
          summary[quantile], isFirst: place == 0, cell: index, x: x, row: row, hasInterval: step > 1, &picture
        )
      }
      row += step
    }
    let explanation = "accept = wait before sending + service"
    if row < y + height, known.count > 1, explanation.count <= width {
      picture.put(explanation, x: x, y: row, style: appearance(.secondary))
    }
  }

  private func draw(
    _ estimate: QuantileEstimate, isFirst: Bool, cell: Int, x: Int, row: Int, hasInterval: Bool,
    _ picture: inout CellPicture
  ) {
    switch estimate {
    case .known(let value, let low, let high):
      put(LatencyText.text(value), cell: cell, x: x, y: row, &picture, appearance(isFirst ? .strong : .text))
      if hasInterval {
        put(LatencyText.interval(low, high), cell: cell, x: x, y: row + 1, &picture, appearance(.secondary))
      }
    case .tooFew:
      put(estimate.shortText, cell: cell, x: x, y: row, &picture, appearance(.pending))
    }
  }

  /// Right-aligned, so that digits do not move.
  private func put(
    _ text: String, cell: Int, x: Int, y: Int, _ picture: inout CellPicture, _ style: CellStyle
  ) {
    let end = x + Self.nameColumns + (cell + 1) * Self.cellColumns
    picture.put(text, x: end - text.unicodeScalars.count - 1, y: y, style: style)
  }
}

/// Quantiles of one metric with their intervals, one per row, for panels that are too narrow for all metrics.
struct QuantileFigures {
  let summary: WindowSummary
  let appearance: Appearance

  private static let nameColumns = 7
  private static let valueColumns = 8
  /// `n too small (needs 3 688)` is the longest.
  static let width = nameColumns + valueColumns + 19

  func draw(_ picture: inout CellPicture, x: Int, y: Int, height: Int) {
    for (index, quantile) in WindowSummary.quantiles.enumerated() where index < height {
      let row = y + index
      picture.put(quantile.label, x: x, y: row, style: appearance(.secondary))
      let estimate = summary[quantile]
      let start = x + Self.nameColumns
      guard let interval = estimate.interval else {
        picture.put(estimate.text, x: start, y: row, style: appearance(.pending))
        continue
      }
      let value = FittedText.padded(estimate.text, columns: Self.valueColumns)
      picture.put(value, x: start, y: row, style: appearance(.strong))
      picture.put(interval, x: start + Self.valueColumns + 2, y: row, style: appearance(.secondary))
    }
  }
}
