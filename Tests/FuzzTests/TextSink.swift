import Analysis
import ConstraintAnimation
import Formats
import Logging
import Measurement
import Synchronization
import Testing

@testable import Collector
@testable import Terminal

/// Something that shows texts which may come from outside. **Whoever writes a new sink adds it to ``all``.**
struct TextSink: Sendable, CustomTestStringConvertible {
  var name: String
  /// Control characters that are its own.
  var own: Set<Unicode.Scalar> = ["\n"]
  /// What it makes of some texts.
  var show: @Sendable ([String]) throws -> String

  var testDescription: String { name }

  private static func text(_ write: (any ByteSink) throws -> Void) rethrows -> String {
    let sink = MemorySink()
    try write(sink)
    return sink.text
  }

  private static func records(_ format: RecordFormat) -> @Sendable ([String]) throws -> String {
    { texts in
      try text { sink in
        var writer = RecordWriter(format: format, columns: ["a", "b", "c"], sink: sink)
        try writer.header()
        for item in texts {
          writer.beginRow()
          writer.text(item)
          writer.prepared(PreparedText(item, for: format))
          writer.integer(1)
          try writer.endRow()
        }
        try writer.finish()
      }
    }
  }

  private static func grid(_ texts: [String]) -> PictureGrid {
    var grid = PictureGrid(columns: 3, rows: max(1, texts.count))
    grid.title = texts.joined()
    for (row, item) in texts.enumerated() {
      grid[0, row] = PictureGrid.Cell(text: item, style: PictureStyle())
      grid[1, row] = PictureGrid.Cell(text: item, style: PictureStyle())
    }
    return grid
  }

  static let all = [
    TextSink(name: "CSV", own: ["\r", "\n"], show: records(.csv)),
    TextSink(name: "JSON Lines", show: records(.jsonl)),
    TextSink(name: "JSON") { texts in
      JSONValue.object(texts.map { JSONValue.Member($0, .array([.string($0)])) }).text
    },
    TextSink(name: "a table") { texts in
      var table = TextTable([.init("a"), .init("b", .right)])
      for item in texts { table.append([item, item]) }
      return table.lines().joined(separator: "\n")
    },
    TextSink(name: "the lines of status") { texts in
      let now = WallTime(microseconds: 0)
      let targets = texts.map { item in
        var target = TargetActivity(
          name: item, provider: item, phase: .recorded, askedRate: 1, metric: .delivery, limit: nil)
        target.group = item
        return target
      }
      let headline = StatusHeadline(
        phase: .ended(at: now, reason: texts.joined()), run: texts.joined(), targets: 1, rate: nil,
        length: .zero)
      let status = CollectionStatus(headline: headline, targets: targets, needs: texts, now: now)
      return (status.lines() + status.lines(width: 40)).joined(separator: "\n")
    },
    TextSink(name: "HTML") { texts in
      texts.map { ("<p title=\"\($0)\">\($0)</p>\n" as Markup).html }.joined()
    },
    TextSink(name: "the daemon's log") { texts in
      let lines = LogLines()
      var logger = Logger(label: "fuzz") { _ in lines }
      logger.logLevel = .trace
      for item in texts {
        let line = LogLine(at: WallTime(microseconds: 0), level: .warning, label: item, message: item)
        logger.log(line, target: item)
      }
      return lines.text
    },
    TextSink(name: "messages on stderr and lines of the dashboard") { texts in
      texts.map { EscapedText.make($0, keepsLines: true) }.joined()
    },
    TextSink(name: "the screen") { texts in
      let columns = 60
      let buffer = CellBuffer(columns: columns, rows: max(1, texts.count))
      for (row, item) in texts.enumerated() { buffer.write(item, x: 0, y: row, style: .plain) }
      return (0..<texts.count).map { row in (0..<columns).map { buffer[$0, row].text }.joined() }.joined()
    },
    TextSink(name: "SVG") { texts in try text { try SVGPicture.write(grid(texts), to: $0) } },
    TextSink(name: "ANSI") { texts in
      // What is left without its own colours: they are ESC, [, digits and semicolons, m.
      try text { try ANSIPicture.write(grid(texts), to: $0) }.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    },
    TextSink(name: "a picture's CSV", own: ["\r", "\n"]) { texts in
      try text { try CSVPicture.write(grid(texts), to: $0) }
    },
  ]
}

/// Keeps what is logged.
private struct LogLines: LogHandler {
  final class Store: Sendable {
    let lines = Mutex<[String]>([])
  }

  private let store = Store()
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  var text: String { store.lines.withLock { $0.joined(separator: "\n") } }

  func log(event: LogEvent) { store.lines.withLock { $0.append("\(event.message)") } }
}
