import ConstraintAnimation
import Formats
import Measurement
import Store
import Synchronization
import Terminal
import Threads

/// Writes exports on background threads and reports the results.
final class ExportWriter: Sendable {
  private let answer = Mutex<FooterMessage?>(nil)
  private let options: Dashboard.Options
  private let onAnswer: @Sendable () -> Void

  /// - Parameter onAnswer: called on another thread when there is a result.
  init(options: Dashboard.Options, onAnswer: @escaping @Sendable () -> Void) {
    self.options = options
    self.onAnswer = onAnswer
  }

  /// The last result that was not taken yet.
  func consumeResult() -> FooterMessage? { answer.withLock { $0.take() } }

  /// Writes the current screen.
  func write(_ buffer: CellBuffer, as format: ViewFormat) {
    let grid = PictureGrid(buffer, title: "pushscope: latency of push notifications over time")
    let now = options.clock.wallNow()
    let directory = options.exportDirectory
    start {
      let stem = "pushscope-\(Self.stamp(now))"
      let file = try NewFile(in: directory, stem: stem, extension: format.fileExtension)
      switch format {
      case .svg: try SVGPicture.write(grid, to: file)
      case .ansi: try ANSIPicture.write(grid, to: file)
      case .csv: try CSVPicture.write(grid, to: file)
      case .figures: return FooterMessage(text: "there is nothing to count yet", role: .warning)
      }
      try file.finish()
      return FooterMessage(text: "view written to \(file.name)", role: .strong)
    }
  }

  /// Writes counts and quantiles of the window.
  func write(_ figures: ColumnFigures) {
    let directory = options.exportDirectory
    let now = options.clock.wallNow()
    let place = options.place
    start {
      let file = try NewFile(in: directory, stem: "pushscope-figures-\(Self.stamp(now))", extension: "csv")
      let source = try place.open()
      defer { source.close() }
      try figures.forEachLine(reader: source) { line in
        var text = line + "\n"
        try text.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
      }
      try file.finish()
      return FooterMessage(text: "figures in \(file.name)", role: .strong)
    }
  }

  /// Writes rows of the table `samples`.
  func write(_ ids: [SampleID]) {
    guard let writeSamples = options.writeSamples else {
      say(FooterMessage(text: "this dashboard cannot export samples", role: .alarm))
      return
    }
    let directory = options.exportDirectory
    let now = options.clock.wallNow()
    start {
      let file = try NewFile(in: directory, stem: "pushscope-samples-\(Self.stamp(now))", extension: "csv")
      try writeSamples(ids, file)
      try file.finish()
      return FooterMessage(text: "\(CountText.text(ids.count, "sample")) in \(file.name)", role: .strong)
    }
  }

  private func start(_ work: @escaping @Sendable () throws -> FooterMessage) {
    do {
      try DedicatedThread.start(name: "export") { [self] in
        do {
          say(try work())
        } catch {
          say(FooterMessage(text: "\(error)", role: .alarm))
        }
      }
    } catch {
      say(FooterMessage(text: error.message, role: .alarm))
    }
  }

  private func say(_ message: FooterMessage) {
    answer.withLock { $0 = message }
    onAnswer()
  }

  /// `20251121T224015Z`, for names of files.
  static func stamp(_ time: WallTime) -> String {
    let civil = CivilTime(localMicroseconds: time.microseconds)
    func digits(_ value: Int64, _ width: Int = 2) -> String { FixedPoint.padded(value, width: width) }
    let date = digits(civil.year, 4) + digits(civil.month) + digits(civil.day)
    return "\(date)T\(digits(civil.hour))\(digits(civil.minute))\(digits(civil.second))Z"
  }
}

/// Format of an exported view.
enum ViewFormat: String, Sendable, Hashable, CaseIterable {
  case svg
  case ansi
  case csv
  /// Counts and quantiles of the window instead of cells.
  case figures

  /// Extension of its files.
  var fileExtension: String {
    switch self {
    case .svg: "svg"
    case .ansi: "ans"
    case .csv, .figures: "csv"
    }
  }

  /// The key that chooses it.
  var key: Character {
    switch self {
    case .svg: "s"
    case .ansi: "a"
    case .csv: "c"
    case .figures: "f"
    }
  }

  var text: String {
    switch self {
    case .svg: "SVG picture, for pages and print"
    case .ansi: "ANSI text, for cat and less -R"
    case .csv: "CSV, a row for each stretch of cells"
    case .figures: "figures, CSV: a row a column of time"
    }
  }
}

extension PictureGrid {
  /// The cells of a screen with the colors that the terminal shows them in.
  init(_ buffer: CellBuffer, title: String) {
    self.init(columns: buffer.columns, rows: buffer.rows)
    self.title = title
    standardForeground = PictureColor(buffer.assumedForeground, .trueColor)
    standardBackground = PictureColor(buffer.assumedBackground, .trueColor)
    for y in 0..<buffer.rows {
      for x in 0..<buffer.columns {
        let cell = buffer[x, y]
        self[x, y] = Cell(text: cell.text, style: PictureStyle(cell.style, buffer.colors))
      }
    }
  }
}

extension PictureStyle {
  fileprivate init(_ style: CellStyle, _ profile: ColorProfile) {
    self.init()
    foreground = style.foreground.map { PictureColor($0, profile) } ?? .standard
    background = style.background.map { PictureColor($0, profile) } ?? .standard
    isBold = style.attributes.contains(.bold)
    isDim = style.attributes.contains(.dim)
    isItalic = style.attributes.contains(.italic)
    isUnderlined = style.attributes.contains(.underline)
    isReversed = style.attributes.contains(.reverse)
  }
}

extension PictureColor {
  fileprivate init(_ color: Color, _ profile: ColorProfile) {
    switch profile.shown(color) {
    case .exact(let color): self = .rgb(red: color.red, green: color.green, blue: color.blue)
    case .indexed(let index): self = .indexed(index)
    case nil: self = .standard
    }
  }
}
