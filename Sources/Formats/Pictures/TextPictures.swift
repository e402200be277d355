import Measurement

/// A screen as text with ECMA-48 SGR sequences, as `cat` shows it.
public enum ANSIPicture {
  /// Writes one line per row; each begins and ends with the default colors. Control characters in cells are escaped, so the
  /// output has no escape sequences but SGR.
  public static func write(_ grid: PictureGrid, to sink: any ByteSink) throws(OutputError) {
    var text = ""
    for row in 0..<grid.rows {
      var runs = grid.runs(ofRow: row)
      // Trailing blanks would only wrap in a narrower terminal.
      while var last = runs.popLast() {
        guard last.style == PictureStyle() else {
          runs.append(last)
          break
        }
        while last.text.hasSuffix(" ") { last.text.removeLast() }
        guard !last.text.isEmpty else { continue }
        runs.append(last)
        break
      }
      var style = PictureStyle()
      for run in runs {
        if run.style != style {
          text += sequence(run.style)
          style = run.style
        }
        text += EscapedText.make(run.text)
      }
      text += style == PictureStyle() ? "\n" : "\u{1B}[0m\n"
    }
    try sink.write(text)
  }

  /// The SGR sequence that sets a style, whatever was set before.
  static func sequence(_ style: PictureStyle) -> String {
    var codes = ["0"]
    for (isOn, code) in [
      (style.isBold, "1"), (style.isDim, "2"), (style.isItalic, "3"), (style.isUnderlined, "4"),
      (style.isReversed, "7"),
    ] where isOn { codes.append(code) }
    codes += color(style.foreground, normal: 30, bright: 90, extended: "38")
    codes += color(style.background, normal: 40, bright: 100, extended: "48")
    return "\u{1B}[" + codes.joined(separator: ";") + "m"
  }

  private static func color(_ color: PictureColor, normal: Int, bright: Int, extended: String) -> [String] {
    switch color {
    case .standard: []
    case .indexed(let index) where index < 8: ["\(normal + Int(index))"]
    case .indexed(let index) where index < 16: ["\(bright + Int(index) - 8)"]
    case .indexed(let index): [extended, "5", "\(index)"]
    case .rgb(let red, let green, let blue): [extended, "2", "\(red)", "\(green)", "\(blue)"]
    }
  }
}

/// A screen as CSV: one row for each run of cells in the same style, without blank ones.
public enum CSVPicture {
  /// `row` and `column` count from 1; colors are `#rrggbb`, empty for the terminal's default.
  public static let columns = ["row", "column", "columns", "text", "foreground", "background", "attributes"]

  public static func write(_ grid: PictureGrid, to sink: any ByteSink) throws(OutputError) {
    var writer = RecordWriter(format: .csv, columns: columns, sink: sink)
    try writer.header()
    for row in 0..<grid.rows {
      for run in grid.runs(ofRow: row) {
        if run.style.isInvisibleOnBlank, run.text.allSatisfy({ $0 == " " }) { continue }
        writer.beginRow()
        writer.integer(run.row + 1)
        writer.integer(run.column + 1)
        writer.integer(run.width)
        writer.text(run.text)
        writer.text(run.style.foreground.hex)
        writer.text(run.style.background.hex)
        writer.text(run.style.attributes.isEmpty ? nil : run.style.attributes)
        try writer.endRow()
      }
    }
    try writer.finish()
  }
}
