import ConstraintAnimation
import Measurement
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Glyphs")
struct GlyphSetTests {
  /// What each glyph is for. Things that are one for a reader (the parts of a frame, the steps of a ramp) have one name.
  private static func purposes(_ glyphs: GlyphSet) -> [(purpose: String, glyph: UInt32)] {
    let frame = [
      glyphs.horizontal, glyphs.vertical, glyphs.upperLeft, glyphs.upperRight, glyphs.lowerLeft,
      glyphs.lowerRight, glyphs.teeLeft, glyphs.teeRight, glyphs.teeDown,
    ]
    var all = frame.map { ("frames and axes", $0) }
    all += glyphs.bars.filter { $0 != 0x20 }.map { ("bars", $0) }
    all += glyphs.density.map { ("delivered or accepted", $0) }
    all += MarkClass.allCases.map { markClass in
      (markClass == .good ? "delivered or accepted" : "\(markClass)", glyphs.symbol(of: markClass))
    }
    all += [
      ("window before", glyphs.ghost), ("selected bar", glyphs.selectedBar),
      ("place on an axis", glyphs.pointer),
      ("above the scale", glyphs.above), ("below the scale", glyphs.below), ("scroll bar", glyphs.thumb),
      ("median", glyphs.median), ("mean", glyphs.mean), ("threshold", glyphs.threshold),
      ("interval, below", glyphs.intervalBelow), ("interval, above", glyphs.intervalAbove),
      ("lines in a stretch of time", glyphs.stretch),
      ("crosshair, column", glyphs.crosshairColumn), ("crosshair, row", glyphs.crosshairRow),
    ]
    all += GlyphSet.targetGlyphs.map { ("targets", $0) }
    let signs = [("live", glyphs.bullet), ("stopped", glyphs.pause), ("replaying", glyphs.play)]
    // A sign of several characters is told from each of them.
    for (purpose, sign) in signs where sign.unicodeScalars.count == 1 {
      all += sign.unicodeScalars.map { (purpose, $0.value) }
    }
    return all
  }

  @Test("in ASCII no glyph means two things")
  func ascii() {
    let glyphs = GlyphSet(.ascii)
    var meanings: [UInt32: Set<String>] = [:]
    for (purpose, glyph) in Self.purposes(glyphs) {
      #expect((0x21..<0x7F).contains(glyph), "\(purpose)")
      meanings[glyph, default: []].insert(purpose)
    }
    for (glyph, purposes) in meanings {
      let sign = Unicode.Scalar(glyph).map { String(Character($0)) } ?? ""
      #expect(purposes.count == 1, "\(sign) means \(purposes.sorted())")
    }
    #expect(Set([glyphs.bullet, glyphs.pause, glyphs.play]).count == 3)
  }

  @Test(
    "the smallest bar shows", arguments: [GlyphRepertoire.ascii, .halfBlocks, .blocks, .braille, .octants])
  func smallestBar(_ repertoire: GlyphRepertoire) {
    let glyphs = GlyphSet(repertoire)
    #expect(glyphs.bars[glyphs.smallestBar] != 0x20)
    #expect(glyphs.bars[..<glyphs.smallestBar].allSatisfy { $0 == 0x20 })
    // One value beside a crowd is seen in the header's rates too.
    #expect(!Sparkline.text([0, 1, 500, 500, 0, 0], glyphs).hasPrefix(" "))
  }

  /// Cells of the panel whose look is the ghost's, and what they hold.
  private static func ghosts(_ stage: Stage) -> [Cell] {
    let panel = stage.panel
    let style = stage.screen.appearance(.ghost)
    let shades = Set<UInt32>([0x2591, 0x5C] + stage.screen.appearance.glyphs.bars.filter { $0 != 0x20 })
    return (1..<panel.rows).flatMap { y in (0..<panel.columns).map { panel[$0, y] } }
      .filter { $0.style == style && shades.contains($0.glyph) }
  }

  @Test("the window before is seen behind this one in every kind of terminal", arguments: Profile.allCases)
  func ghost(_ profile: Profile) throws {
    // The slow episode lies in the window before, at the right where this one has nothing.
    var stage = try Stage(columns: 80, rows: 24, profile: profile, snapshot: SampleRun(seconds: 150).snapshot)
    stage.press("+")
    stage.press("+")
    stage.frames(2)
    let content = try #require(stage.screen.context.content)
    #expect(content.before.valueCount > 0 && content.facts.valueCount > 0)
    let cells = Self.ghosts(stage)
    #expect(cells.count > 3)
    let bars = Set(stage.screen.appearance.glyphs.bars)
    for cell in cells {
      switch profile {
      case .trueColor, .ansi256:
        #expect(cell.style.foreground == stage.screen.appearance.theme.ghost)
      case .ansi16, .mono, .ascii:
        // Neither a color that may be the background's nor the glyph of a bar.
        #expect(cell.style.foreground == nil && !bars.contains(cell.glyph))
      }
    }
    #expect(stage.rows.contains { $0.contains("before") }, "the title says what it is")
  }

  @Test("with sixteen colors nothing but the grid has the color of the background", arguments: Theme.all)
  func sixteen(_ theme: Theme) throws {
    let appearance = Appearance(theme: theme, colors: .ansi16, glyphs: .braille)
    // White and bright white, black and bright black, are one to the eye on a background of either.
    func index(_ color: Color) -> UInt8? {
      if case .indexed(let index) = ColorProfile.ansi16.shown(color) { index } else { nil }
    }
    let background = try #require(index(theme.background))
    let near: Set<UInt8?> = background == 0 ? [0] : [7, 15]
    for role in Role.allCases where role != .grid {
      guard let color = appearance(role).foreground else { continue }
      #expect(!near.contains(index(color)), "\(theme.name) \(role)")
    }
  }
}
