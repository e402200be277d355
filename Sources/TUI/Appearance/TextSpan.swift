import ConstraintAnimation
import Terminal

/// Text in one style. It may come from outside; it only ever reaches a terminal through `CellCanvas.write` or
/// `VisibleText`.
struct TextSpan: Sendable, Hashable {
  var text: String
  var style: CellStyle

  init(_ text: String, _ style: CellStyle) {
    self.text = text
    self.style = style
  }

  var columns: Int { VisibleText.columns(of: text) }

  static func columns(of spans: [TextSpan]) -> Int { spans.reduce(0) { $0 + $1.columns } }

  /// Writes spans one after the other, and nothing at or after column `end`.
  static func write(_ spans: [TextSpan], on canvas: any CellCanvas, x: Int, y: Int, end: Int) {
    let clip = canvas.clip
    defer { canvas.clip = clip }
    var limited = clip
    limited.x1 = max(limited.x0, min(limited.x1, end))
    canvas.clip = limited
    var column = x
    for span in spans where column < end {
      column += canvas.write(span.text, x: column, y: y, style: span.style)
    }
  }
}
