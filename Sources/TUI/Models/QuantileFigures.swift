import ConstraintAnimation
import Measurement

/// The quantiles of one metric with their intervals, one a row: for panels too narrow for those of all.
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
