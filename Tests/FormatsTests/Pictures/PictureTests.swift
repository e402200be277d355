import Formats
import Foundation
import TestKit
import TestTraits
import Testing

@Suite(.ownThread) struct PictureTests {
  /// A grid of the given rows of text, all in one style.
  private func grid(_ rows: [[String]], _ style: PictureStyle = PictureStyle()) -> PictureGrid {
    var grid = PictureGrid(columns: rows.map(\.count).max() ?? 0, rows: rows.count)
    for (y, row) in rows.enumerated() {
      for (x, text) in row.enumerated() { grid[x, y] = PictureGrid.Cell(text: text, style: style) }
    }
    return grid
  }

  private func text(_ write: (any ByteSink) throws -> Void) throws -> String {
    let sink = MemorySink()
    try write(sink)
    return sink.text
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func anIndependentParserTakesAnySVGAndFindsNothingButShapesAndText() throws {
    var generator = SystemRandomNumberGenerator()
    let texts =
      HostileText.make(400, using: &generator) + ["<script>", "]]>", "&lt;", "\"onload=\"", "宽", "⠿", "┼"]
    var hostile = grid(texts.map { [$0, "x", ""] })
    hostile.title = texts.joined()
    let svg = try text { try SVGPicture.write(hostile, to: $0) }
    let report = try Python.run(
      """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      names, attributes = set(), set()
      for element in root.iter():
          names.add(element.tag.split('}')[1]); attributes.update(element.attrib)
      print(sorted(names)); print([a for a in attributes if a.lower().startswith('on') or 'href' in a])
      words = ''.join(element.text or '' for element in root.iter() if element.tag.endswith('}text'))
      print([hex(ord(c)) for c in words if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e])
      """, input: Array(svg.utf8))
    #expect(report == "['g', 'path', 'rect', 'svg', 'text', 'title']\n[]\n[]\n")
  }

  @Test(.enabled(if: Python.isUsable, "python3 is not installed"))
  func theSVGHoldsEveryWordWhereItStoodAndShapesForTheRest() throws {
    var style = PictureStyle()
    style.foreground = .indexed(9)
    style.isBold = true
    let picture = grid([["a", "b", " ", "宽", "", "c"], ["⠁", "█", "─", " ", " ", "d"]], style)
    let svg = try text { try SVGPicture.write(picture, to: $0) }
    let report = try Python.run(
      """
      import sys, xml.etree.ElementTree as tree
      root = tree.parse(sys.argv[1]).getroot()
      print(root.attrib['viewBox'])
      for e in root.iter():
          if e.tag.endswith('}text'): print(e.attrib['x'], e.attrib['textLength'], e.attrib['fill'], e.text)
          if e.tag.endswith('}path'): print(e.attrib.get('fill'), e.attrib.get('stroke'), e.attrib['d'])
      """, input: Array(svg.utf8))
    #expect(
      report == """
        0 0 60 40
        none #ff0000 M2.5 22.5h0
        #ff0000 None M10 20h10v20h-10z
        none #ff0000 M20 30L25 30M30 30L25 30
        0 20 #ff0000 ab
        30 30 #ff0000 宽c
        50 10 #ff0000 d

        """)
  }

  @Test func reversedCellsSwapTheirColors() throws {
    var style = PictureStyle()
    style.background = .rgb(red: 1, green: 2, blue: 3)
    style.isReversed = true
    let svg = try text { try SVGPicture.write(grid([["a"]], style), to: $0) }
    #expect(
      svg.contains("<path fill=\"#cccccc\" d=\"M0 0h10v20h-10z\"/>") && svg.contains("fill=\"#010203\""))
  }

  @Test func theSameScreenGivesTheSameBytes() throws {
    let picture = grid([["a", "⠿", "▞"], ["b", "┆", "▁"]])
    let once = try text { try SVGPicture.write(picture, to: $0) }
    #expect(try text { try SVGPicture.write(picture, to: $0) } == once)
  }

  @Test func ANSITextSaysOnlyWhatChanges() throws {
    var red = PictureStyle()
    red.foreground = .indexed(1)
    var loud = PictureStyle()
    loud.foreground = .rgb(red: 1, green: 20, blue: 255)
    loud.background = .indexed(200)
    loud.isUnderlined = true
    var picture = grid([["a", "b", "c", " ", " "], [" ", " ", " ", " ", " "]])
    picture[1, 0] = PictureGrid.Cell(text: "b", style: red)
    picture[0, 1] = PictureGrid.Cell(text: "\u{1B}", style: loud)
    let ansi = try text { try ANSIPicture.write(picture, to: $0) }
    #expect(ansi == "a\u{1B}[0;31mb\u{1B}[0mc\n\u{1B}[0;4;38;2;1;20;255;48;5;200m␛\u{1B}[0m\n")
  }

  @Test func hostileTextCannotAddASequence() throws {
    var generator = SystemRandomNumberGenerator()
    let picture = grid(HostileText.make(500, using: &generator).map { [$0] })
    let ansi = try text { try ANSIPicture.write(picture, to: $0) }
    let controls = ansi.unicodeScalars.filter { $0 != "\n" && $0.properties.generalCategory == .control }
    #expect(controls.isEmpty)
  }

  @Test func theTableHasARowForEachStretchThatLooksAlike() throws {
    var style = PictureStyle()
    style.foreground = .indexed(231)
    style.isBold = true
    style.isDim = true
    var picture = grid([["=", "1", " ", "x"], [" ", " ", " ", " "]])
    picture[3, 0] = PictureGrid.Cell(text: "x", style: style)
    let csv = try text { try CSVPicture.write(picture, to: $0) }
    #expect(
      csv == "row,column,columns,text,foreground,background,attributes\r\n1,1,3,'=1 ,,,\r\n"
        + "1,4,1,x,#ffffff,,bold dim\r\n")
  }

  @Test func aNewFileNeverTakesThePlaceOfAnother() throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "new-file-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (count, content) in ["one", "two", "three"].enumerated() {
      let file = try NewFile(in: directory.path, stem: "view", extension: "svg")
      #expect(file.name == (count == 0 ? "view.svg" : "view-\(count + 1).svg"))
      try file.write(content)
      try file.finish()
    }
    _ = try NewFile(in: directory.path, stem: "view", extension: "svg")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == ["view-2.svg", "view-3.svg", "view.svg"])
    #expect(try String(contentsOfFile: directory.path + "/view.svg", encoding: .utf8) == "one")
    #expect(throws: OutputError(code: .noDirectory, name: "\(directory.path)/none/view.svg")) {
      _ = try NewFile(in: directory.path + "/none", stem: "view", extension: "svg")
    }
  }
}
