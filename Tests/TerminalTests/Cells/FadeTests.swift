import ConstraintAnimation
import Testing

@testable import Terminal

@Suite("Cells fade")
struct FadeTests {
  private let white = Color(255, 255, 255)
  private let black = Color(0, 0, 0)

  private func filled(_ colors: ColorProfile, _ style: CellStyle? = nil) -> CellBuffer {
    let buffer = CellBuffer(columns: 8, rows: 8, colors: colors)
    buffer.fill(
      buffer.bounds, glyph: "x", style: style ?? CellStyle(foreground: white, background: Color(100, 0, 0)))
    return buffer
  }

  @Test("colors blend where there are enough", arguments: [ColorProfile.trueColor, .ansi256])
  func blending(colors: ColorProfile) {
    let buffer = filled(colors)
    buffer.fade(CellRect(x0: 0, y0: 0, x1: 1, y1: 1), towards: black, alpha: 0.5)
    #expect(buffer[0, 0].style == CellStyle(foreground: Color(128, 128, 128), background: Color(50, 0, 0)))
    #expect(buffer[0, 0].text == "x")
    #expect(buffer[1, 0].foreground.color == white)
  }

  @Test("whole alpha changes nothing, none leaves nothing", arguments: ColorProfile.allCases)
  func ends(colors: ColorProfile) {
    let buffer = filled(colors)
    let before = CellBuffer(columns: 1, rows: 1)
    before.copy(from: buffer)
    buffer.fade(buffer.bounds, towards: Color(9, 9, 9), alpha: 1)
    #expect(buffer == before)
    buffer.fade(buffer.bounds, towards: Color(9, 9, 9), alpha: 0)
    #expect(buffer.lines.allSatisfy { $0.isEmpty })
    #expect(buffer[3, 3].style == CellStyle(background: Color(9, 9, 9)))
  }

  @Test("the terminal's own background stays its own while text fades into it")
  func ownBackground() {
    let buffer = filled(.trueColor, .plain)
    buffer.assumedForeground = Color(200, 200, 200)
    buffer.assumedBackground = Color(20, 20, 20)
    buffer.fade(buffer.bounds, towards: Color(20, 20, 20), alpha: 0.5)
    #expect(buffer[0, 0].style == CellStyle(foreground: Color(110, 110, 110)))
    buffer.fade(buffer.bounds, towards: Color(20, 20, 20), alpha: 0)
    #expect(buffer[0, 0] == .blank)
  }

  @Test(
    "with few colors glyphs vanish one after another, evenly", arguments: [ColorProfile.ansi16, .monochrome])
  func dithering(colors: ColorProfile) {
    var gone: [Int] = []
    for step in 0...16 {
      let buffer = filled(colors)
      buffer.fade(buffer.bounds, towards: black, alpha: 1 - Double(step) / 16)
      gone.append(buffer.lines.map { 8 - $0.filter { $0 == "x" }.count }.reduce(0, +))
      if step == 8 {
        #expect(buffer.lines.allSatisfy { $0.filter { $0 == "x" }.count == 4 }, "half of each row")
      }
    }
    #expect(gone == (0...16).map { $0 * 4 })
  }

  @Test("wide characters stay whole, also across the edge of what fades", arguments: ColorProfile.allCases)
  func wide(colors: ColorProfile) {
    for alpha in [0, 0.3, 0.7] {
      let buffer = CellBuffer(columns: 9, rows: 4, colors: colors)
      for y in 0..<4 { buffer.write("日本語文", x: y % 2, y: y, style: CellStyle(foreground: white)) }
      buffer.fade(CellRect(x0: 3, y0: 0, x1: 6, y1: 4), towards: black, alpha: alpha)
      #expect(buffer.isWhole)
    }
  }

  @Test("only inside of the clip")
  func clipped() {
    let buffer = filled(.trueColor)
    buffer.clip = CellRect(x0: 0, y0: 0, x1: 2, y1: 2)
    buffer.fade(CellRect(x0: 0, y0: 0, x1: 8, y1: 8), towards: black, alpha: 0)
    #expect(buffer.lines[0] == "  xxxxxx" && buffer.lines[2] == "xxxxxxxx")
  }
}
