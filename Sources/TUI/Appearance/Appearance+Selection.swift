import ConstraintAnimation
import Terminal

extension Appearance {
  /// A cell with something selected in it: the same glyph and color on a background of its own, turned round where
  /// there are too few colors for that.
  func selected(_ style: CellStyle) -> CellStyle { tinted(style, with: theme.activeTab, share: 0.35) }

  /// The row that was chosen in a list.
  func chosen(_ style: CellStyle) -> CellStyle {
    var style = tinted(style, with: theme.activeTab, share: 0.55)
    style.attributes.insert(.bold)
    return style
  }

  /// A cell in a box that is being drawn.
  func boxed(_ style: CellStyle) -> CellStyle { tinted(style, with: theme.secondary, share: 0.35) }

  private func tinted(_ style: CellStyle, with color: Color, share: Double) -> CellStyle {
    var style = style
    if hasManyColors {
      style.background = theme.background.blended(with: color, fraction: share)
    } else {
      style.attributes.insert(.reverse)
    }
    return style
  }
}
