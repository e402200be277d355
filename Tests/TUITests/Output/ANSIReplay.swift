import Formats
import Measurement
import Terminal

/// What a terminal would show of text with SGR sequences; anything else that acts is a failure.
struct ANSIReplay {
  private(set) var grid: PictureGrid
  private(set) var failure: String?

  init(_ text: String, columns: Int, rows: Int) {
    grid = PictureGrid(columns: columns, rows: rows)
    var style = PictureStyle()
    var (column, row) = (0, 0)
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar.value {
      case 0x1B:
        guard scalars.popFirst() == "[" else {
          failure = "an escape that is no CSI"
          return
        }
        var parameters = ""
        while let next = scalars.first, next.value >= 0x30, next.value < 0x40 {
          parameters.unicodeScalars.append(next)
          scalars.removeFirst()
        }
        guard scalars.popFirst() == "m" else {
          failure = "a CSI that is no SGR"
          return
        }
        Self.apply(parameters.split(separator: ";").compactMap { Int($0) }, to: &style)
      case 0x0A: (column, row) = (0, row + 1)
      case ..<0x20, 0x7F..<0xA0:
        failure = "a control character: \(scalar.value)"
        return
      default:
        let width = CharacterWidth.columns(of: scalar)
        guard row < rows, column + width <= columns else {
          failure = "outside at \(column), \(row)"
          return
        }
        if width == 0 {
          grid[max(0, column - 1), row].text.unicodeScalars.append(scalar)
        } else {
          grid[column, row] = PictureGrid.Cell(text: String(Character(scalar)), style: style)
          if width == 2 { grid[column + 1, row] = PictureGrid.Cell(text: "", style: style) }
        }
        column += width
      }
    }
  }

  private static func apply(_ codes: [Int], to style: inout PictureStyle) {
    var codes = codes[...]
    func color(_ codes: inout ArraySlice<Int>) -> PictureColor {
      if codes.popFirst() == 5 { return .indexed(UInt8(codes.popFirst() ?? 0)) }
      let channels = (0..<3).map { _ in UInt8(codes.popFirst() ?? 0) }
      return .rgb(red: channels[0], green: channels[1], blue: channels[2])
    }
    while let code = codes.popFirst() {
      switch code {
      case 0: style = PictureStyle()
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 3: style.isItalic = true
      case 4: style.isUnderlined = true
      case 7: style.isReversed = true
      case 30...37: style.foreground = .indexed(UInt8(code - 30))
      case 90...97: style.foreground = .indexed(UInt8(code - 82))
      case 40...47: style.background = .indexed(UInt8(code - 40))
      case 100...107: style.background = .indexed(UInt8(code - 92))
      case 38: style.foreground = color(&codes)
      case 48: style.background = color(&codes)
      default: break
      }
    }
  }
}
