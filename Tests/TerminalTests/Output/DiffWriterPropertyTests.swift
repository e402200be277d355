import ConstraintAnimation
import Measurement
import Testing

@testable import Terminal

@Suite("Whatever is painted, the bytes make a terminal show it")
struct DiffWriterPropertyTests {
  struct Case: CustomTestStringConvertible {
    var profile: OutputProfile

    var testDescription: String {
      "\(profile.colors)\(profile.encodesUTF8 ? "" : " ascii")\(profile.erasesWithBackground ? " bce" : "")"
        + "\(profile.movesRows ? " moving" : "")\(profile.synchronizesOutput ? " synchronized" : "")"
    }
  }

  static let cases: [Case] = ColorProfile.allCases.flatMap { colors in
    [
      OutputProfile(colors: colors),
      OutputProfile(colors: colors, synchronizesOutput: true, movesRows: false),
      OutputProfile(colors: colors, erasesWithBackground: false),
      OutputProfile(colors: colors, erasesWithBackground: false, synchronizesOutput: true),
      OutputProfile(colors: colors, encodesUTF8: false),
    ].map(Case.init)
  }

  static let sizes = [(1, 1), (2, 5), (3, 2), (9, 12), (30, 6), (40, 5), (64, 8)]

  @Test("random frames", arguments: cases)
  func randomFrames(_ testCase: Case) {
    for seed in 1...14 as ClosedRange<UInt64> {
      var painter = RandomPainter(random: SeededGenerator(seed: seed))
      let (columns, rows) = Self.sizes[Int(seed) % Self.sizes.count]
      let buffer = CellBuffer(columns: columns, rows: rows, colors: testCase.profile.colors)
      let writer = DiffWriter(columns: columns, rows: rows, profile: testCase.profile)
      var model = terminal(columns: columns, rows: rows, testCase.profile)
      for frame in 0..<30 {
        for _ in 0...Int.random(in: 0..<3, using: &painter.random) { painter.paint(buffer) }
        if frame % 17 == 16 { writer.invalidate() }
        let bytes = Array(writer.encode(buffer))
        #expect(testCase.profile.encodesUTF8 || bytes.allSatisfy { $0 < 0x80 })
        model.feed(bytes)
        let difference = Expectation.difference(
          between: buffer, and: model, colors: testCase.profile.colors, utf8: testCase.profile.encodesUTF8)
        if let difference {
          Issue.record("seed \(seed), \(columns)×\(rows), frame \(frame): \(difference)")
          return
        }
        #expect(writer.encode(buffer).isEmpty, "the same frame again must cost nothing")
      }
    }
  }

  @Test("the same where the writer is told what has changed", arguments: cases)
  func toldWhatChanged(_ testCase: Case) {
    for seed in 1...14 as ClosedRange<UInt64> {
      var painter = RandomPainter(random: SeededGenerator(seed: seed))
      let (columns, rows) = Self.sizes[Int(seed) % Self.sizes.count]
      let buffer = CellBuffer(columns: columns, rows: rows, colors: testCase.profile.colors)
      let shown = CellBuffer(columns: columns, rows: rows)
      let writer = DiffWriter(columns: columns, rows: rows, profile: testCase.profile)
      var model = terminal(columns: columns, rows: rows, testCase.profile)
      model.feed(writer.encode(buffer))
      for frame in 0..<30 {
        for _ in 0...Int.random(in: 0..<3, using: &painter.random) { painter.paint(buffer) }
        // Now and then more than what has changed.
        var region = CellRegion()
        for y in 0..<rows {
          let changed = (0..<columns).filter { buffer[$0, y] != shown[$0, y] || frame % 5 == 0 }
          guard let first = changed.first, let last = changed.last else { continue }
          region.insert(CellRect(x0: first, y0: y, x1: last + 1, y1: y + 1))
        }
        shown.copy(from: buffer)
        if frame % 17 == 16 { writer.invalidate() }
        model.feed(writer.encode(buffer, changed: region))
        let difference = Expectation.difference(
          between: buffer, and: model, colors: testCase.profile.colors, utf8: testCase.profile.encodesUTF8)
        if let difference {
          Issue.record("seed \(seed), \(columns)×\(rows), frame \(frame): \(difference)")
          return
        }
        #expect(writer.encode(buffer).isEmpty && writer.encode(buffer, changed: CellRegion()).isEmpty)
      }
    }
  }

  private func terminal(columns: Int, rows: Int, _ profile: OutputProfile) -> ModelTerminal {
    var model = ModelTerminal(columns: columns, rows: rows)
    model.erasesWithBackground = profile.erasesWithBackground
    model.feed("\u{1B}[?7l".utf8)
    return model
  }

  @Test("a terminal with other widths keeps the rest of the row in place")
  func otherWidths() {
    var painter = RandomPainter(random: SeededGenerator(seed: 7))
    let buffer = CellBuffer(columns: 40, rows: 3)
    let writer = DiffWriter(columns: 40, rows: 3, profile: OutputProfile(colors: .trueColor))
    var model = terminal(columns: 40, rows: 3, writer.profile)
    // Emoji as narrow as letters, and marks as characters of their own.
    model.width = {
      $0.value >= 0x1F000 || (0xE00..<0xE80).contains($0.value) ? 1 : ModelTerminal.usualWidth($0)
    }
    for step in 0..<50 {
      buffer.clear()
      let width = buffer.write("🚀กี่", x: step % 7, y: 1, style: painter.style())
      buffer.write("steady", x: step % 7 + width + 1, y: 1, style: .plain)
      model.feed(writer.encode(buffer))
      #expect(model.mistakes.isEmpty)
      let row = model.cells[1].map(\.text)
      #expect(row[(step % 7 + width + 1)...].joined().hasPrefix("steady"))
    }
  }
}
