import ConstraintAnimation
import Terminal

@testable import TUI

/// The five kinds of terminals that everything is looked at on.
enum Profile: String, Sendable, CaseIterable {
  case trueColor = "truecolor"
  case ansi256
  case ansi16
  case mono
  case ascii

  var colors: ColorProfile {
    switch self {
    case .trueColor: .trueColor
    case .ansi256: .ansi256
    case .ansi16: .ansi16
    case .mono, .ascii: .monochrome
    }
  }

  var glyphs: GlyphRepertoire {
    switch self {
    case .trueColor, .ansi256, .mono: .braille
    case .ansi16: .halfBlocks
    case .ascii: .ascii
    }
  }
}

extension Stage {
  init(columns: Int = 110, rows: Int = 30, profile: Profile, snapshot: Snapshot = SampleRun().snapshot) throws
  {
    try self.init(
      columns: columns, rows: rows, colors: profile.colors, glyphs: profile.glyphs, snapshot: snapshot)
  }

  /// The cells of one view alone, so that what stands beside it may change.
  func part(_ rect: CellRect) -> CellBuffer {
    let part = CellBuffer(columns: rect.width, rows: rect.height, colors: buffer.colors)
    for y in 0..<rect.height {
      for x in 0..<rect.width {
        let cell = buffer[rect.x0 + x, rect.y0 + y]
        if !cell.isContinuation { part.write(cell.text, x: x, y: y, style: cell.style) }
      }
    }
    return part
  }

  /// The plot alone.
  var plot: CellBuffer { part(screen.context.plotFrame) }

  /// The panel below it alone.
  var panel: CellBuffer { part(screen.context.panelFrame) }
}
