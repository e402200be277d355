import ConstraintAnimation
import Measurement

/// Quantiles of all metrics with their intervals.
struct QuantileTable {
  let summaries: [WindowSummary]
  let appearance: Appearance

  private static let nameColumns = 10
  private static let cellColumns = 17
  /// One column stays free between two cells.
  private static let textColumns = cellColumns - 1

  var width: Int { Self.nameColumns + WindowSummary.quantiles.count * Self.cellColumns }

  func draw(_ picture: inout CellPicture, x: Int, y: Int, height: Int) {
    for (index, quantile) in WindowSummary.quantiles.enumerated() {
      put(quantile.label, cell: index, x: x, y: y, &picture, appearance(.secondary))
    }
    // Two rows per metric, one for values and one for intervals; values only where these do not fit.
    let known = summaries.filter { $0.count > 0 }
    // A third row for effective counts where it fits, and a blank one between metrics.
    let step = [4, 3, 2].first { height >= 1 + known.count * $0 } ?? 1
    var row = y + 1
    for (place, summary) in known.enumerated() {
      guard row < y + height else { return }
      let name = summary.metric.rawValue
      picture.put(name, x: x, y: row, style: appearance(place == 0 ? .strong : .text))
      for (index, quantile) in WindowSummary.quantiles.enumerated() {
        draw(
          summary[quantile], isFirst: place == 0, cell: index, x: x, row: row, rows: step, &picture)
      }
      row += step
    }
    let explanation = "accept = wait before sending + service"
    if row < y + height, known.count > 1, explanation.count <= width {
      picture.put(explanation, x: x, y: row, style: appearance(.secondary))
    }
  }

  private func draw(
    _ figure: QuantileFigure, isFirst: Bool, cell: Int, x: Int, row: Int, rows: Int,
    _ picture: inout CellPicture
  ) {
    let text = figure.shortText(isASCII: appearance.isASCII)
    guard figure.value != nil else {
      put(text, cell: cell, x: x, y: row, &picture, appearance(.pending))
      return
    }
    put(text, cell: cell, x: x, y: row, &picture, appearance(isFirst ? .strong : .text))
    let details = [figure.interval, figure.effective(columns: Self.textColumns)].compactMap { $0 }.prefix(
      rows > 2 ? 2 : rows - 1)
    for (place, detail) in details.enumerated() {
      put(detail, cell: cell, x: x, y: row + 1 + place, &picture, appearance(.secondary))
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
  static let width = nameColumns + valueColumns + 2 + detailColumns
  private static let detailColumns = 17

  func draw(_ picture: inout CellPicture, x: Int, y: Int, height: Int) {
    for (index, quantile) in WindowSummary.quantiles.enumerated() where index < height {
      let row = y + index
      picture.put(quantile.label, x: x, y: row, style: appearance(.secondary))
      let figure = summary[quantile]
      let start = x + Self.nameColumns
      let text = figure.text(isASCII: appearance.isASCII)
      guard figure.value != nil else {
        picture.put(text, x: start, y: row, style: appearance(.pending))
        continue
      }
      picture.put(
        FittedText.padded(text, columns: Self.valueColumns), x: start, y: row, style: appearance(.strong))
      guard let interval = figure.interval ?? figure.effective(columns: Self.detailColumns) else { continue }
      picture.put(interval, x: start + Self.valueColumns + 2, y: row, style: appearance(.secondary))
    }
  }
}
