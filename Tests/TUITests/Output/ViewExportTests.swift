import ConstraintAnimation
import Formats
import Measurement
import Terminal
import Testing

@testable import TUI

@Suite("The view as a file")
struct ViewExportTests {
  private final class Bytes: ByteSink {
    var bytes: [UInt8] = []

    func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  @Test("x asks for a format, a key gives it, and the choice is gone before anything is written")
  func chooser() throws {
    for format in ViewFormat.allCases {
      var stage = try Stage()
      let before = stage.text
      stage.press("x")
      stage.frame()
      #expect(stage.text.contains("export the view") && stage.text.contains(format.text))
      stage.press(format.key)
      stage.frame()
      #expect(stage.effects == [.exportView(format)])
      #expect(stage.text == before)
    }
    var stage = try Stage()
    stage.press("x")
    stage.press(.escape)
    stage.frame()
    #expect(stage.screen.overlay == nil && stage.effects.isEmpty)
    try Golden.expect(
      {
        stage.press("x")
        stage.frame()
        return stage.buffer
      }(), named: "plots/export-chooser")
  }

  @Test("the background of a cell hides nothing in an SVG, whatever was drawn before it")
  func grounds() throws {
    let buffer = CellBuffer(columns: 2, rows: 1, colors: .trueColor)
    let white = Color(255, 255, 255)
    buffer.write("⣿", x: 0, y: 0, style: CellStyle(foreground: white, background: Color(1, 1, 1)))
    buffer.write("⣿", x: 1, y: 0, style: CellStyle(foreground: white, background: Color(2, 2, 2)))
    let sink = Bytes()
    try SVGPicture.write(PictureGrid(buffer, title: ""), to: sink)
    let dots = try #require(sink.text.firstRange(of: "stroke=\"#ffffff\"")).lowerBound
    for ground in ["#010101", "#020202"] {
      #expect(try #require(sink.text.firstRange(of: "fill=\"\(ground)\"")).lowerBound < dots)
    }
  }

  @Test("ANSI text gives the same cells again, in every kind of terminal", arguments: Profile.allCases)
  func replay(_ profile: Profile) throws {
    var snapshot = SampleRun().snapshot
    snapshot.targets[0].name = "\u{1B}[31mevil 宽 &<>"
    var stage = try Stage(profile: profile, snapshot: snapshot)
    stage.press("i")
    stage.frame()
    let grid = PictureGrid(stage.buffer, title: "")
    let sink = Bytes()
    try ANSIPicture.write(grid, to: sink)
    let replayed = ANSIReplay(sink.text, columns: grid.columns, rows: grid.rows)
    #expect(replayed.failure == nil)
    for row in 0..<grid.rows {
      for column in 0..<grid.columns {
        #expect(replayed.grid[column, row] == grid[column, row], "\(column), \(row)")
      }
    }
  }

  @Test("colors are those of the terminal", arguments: Profile.allCases)
  func colors(_ profile: Profile) throws {
    let stage = try Stage(profile: profile)
    let grid = PictureGrid(stage.buffer, title: "")
    let colors = Set(grid.cells.map(\.style.foreground))
    switch profile {
    case .trueColor: #expect(colors.contains { if case .rgb = $0 { true } else { false } })
    case .ansi256: #expect(colors.contains { if case .indexed(16...) = $0 { true } else { false } })
    case .ansi16:
      #expect(colors.allSatisfy { if case .indexed(let index) = $0 { index < 16 } else { $0 == .standard } })
    case .mono, .ascii: #expect(colors == [.standard])
    }
  }
}
