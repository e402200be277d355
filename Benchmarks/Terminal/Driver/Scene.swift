import ConstraintAnimation
import Terminal

/// One kind of change from frame to frame, as a dashboard makes them.
struct Scene {
  let name: String
  /// What one frame shows; frames count from 0.
  let paint: (CellBuffer, Int) -> Void

  static func all(columns: Int, rows: Int) -> [Scene] {
    let plot = Plot(columns: columns * 4, rows: rows)
    return [
      Scene(name: "scrolling") { buffer, frame in
        plot.draw(buffer, from: frame % (columns * 3), width: columns)
      },
      Scene(name: "stepping") { buffer, frame in
        // Pans by 32 columns now and then; in between only its newest column grows.
        let step = frame / 32 * 32 % (columns * 2)
        plot.draw(buffer, from: step, width: columns - 32 + frame % 32)
      },
      Scene(name: "sweep") { buffer, frame in
        if frame == 0 { plot.draw(buffer, from: 0, width: columns) }
        plot.draw(buffer, from: columns + frame, width: 2, at: frame * 2 % (columns - 2))
      },
      Scene(name: "two columns") { buffer, frame in
        if frame == 0 { plot.draw(buffer, from: 0, width: columns) }
        plot.draw(buffer, from: frame, width: 2, at: columns - 2)
      },
      Scene(name: "vertical slide") { buffer, frame in
        buffer.clear()
        plot.draw(buffer, from: 0, width: columns, rows: 0..<rows / 2)
        let offset = frame % (rows / 2)
        for row in rows / 2 + offset..<rows { plot.drawText(buffer, line: row - offset, row: row) }
      },
      Scene(name: "log follows") { buffer, frame in
        buffer.clear()
        plot.draw(buffer, from: 0, width: columns, rows: 0..<rows / 2)
        for row in rows / 2..<rows { plot.drawText(buffer, line: frame + row, row: row) }
      },
      Scene(name: "idle") { buffer, frame in
        if frame == 0 { plot.draw(buffer, from: 0, width: columns) }
      },
    ]
  }
}

/// A scatter plot in braille with a color for each cell, wider than the screen.
final class Plot {
  private let columns: Int
  private let rows: Int
  private var glyphs: [UInt32]
  private var styles: [CellStyle]

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    glyphs = Array(repeating: 0x20, count: columns * rows)
    styles = Array(repeating: .plain, count: columns * rows)
    var random = SystemIndependentGenerator(state: 42)
    for _ in 0..<columns * rows {
      // A third of the cells holds samples, more of them further down.
      let x = Int(random.next() % UInt64(columns))
      let depth = Double(random.next() % 1000) / 1000
      let y = Int(depth * depth * Double(rows))
      let dot = UInt32(1) << UInt32(random.next() % 8)
      let cell = (rows - 1 - y) * columns + x
      glyphs[cell] = 0x2800 | glyphs[cell] & 0xFF & ~0x20 | dot
      // The more samples, the hotter: entries of the 256, as a theme would choose them.
      styles[cell].foreground = Plot.ramp[min(glyphs[cell].nonzeroBitCount, Plot.ramp.count) - 1]
    }
  }

  private static let ramp = [
    Color(95, 135, 175), Color(95, 175, 215), Color(95, 215, 175), Color(135, 215, 95), Color(215, 215, 95),
    Color(255, 175, 95), Color(255, 135, 95), Color(255, 95, 95),
  ]

  /// Where a color of the ramp stands among the 256.
  static func index(of color: Color) -> Int32 {
    func step(_ channel: UInt8) -> Int32 { channel < 95 ? 0 : (Int32(channel) - 55) / 40 }
    return 16 + 36 * step(color.red) + 6 * step(color.green) + step(color.blue)
  }

  func draw(_ buffer: CellBuffer, from first: Int, width: Int, at x: Int = 0, rows: Range<Int>? = nil) {
    glyphs.withUnsafeBufferPointer { glyphs in
      styles.withUnsafeBufferPointer { styles in
        for row in rows ?? 0..<self.rows {
          let start = row * columns + first % (columns - width)
          buffer.blit(
            UnsafeBufferPointer(rebasing: glyphs[start..<start + width]),
            styles: UnsafeBufferPointer(rebasing: styles[start..<start + width]), x: x, y: row)
        }
      }
    }
  }

  func drawText(_ buffer: CellBuffer, line: Int, row: Int) {
    buffer.write(
      "14:02:\(line % 60) #\(line) delivered after \(line * 7919 % 2000) ms", x: 1, y: row, style: .plain)
  }
}

/// The same numbers on every machine (SplitMix64).
struct SystemIndependentGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
