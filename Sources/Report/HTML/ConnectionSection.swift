import Formats
import Measurement
import Store

/// What happened to connections, credentials and clocks, why notifications failed or were rejected, and what people noted.
struct ConnectionSection {
  private let content: ReportContent
  private let time: ReportTime

  /// Lines of the table; the events themselves are exported.
  private static let mostLines = 60

  init(_ content: ReportContent, _ time: ReportTime) {
    self.content = content
    self.time = time
  }

  private var isLong: Bool { content.end - content.start >= .days(1) }

  var markup: Markup {
    let history = content.connections
    let rest = history.lines.count - Self.mostLines
    let more: Markup =
      rest > 0 ? "<p class=\"soft\">\(CountText.text(rest, "more line")): pushscope export events.</p>\n" : ""
    let table: Markup =
      history.lines.isEmpty
      ? "<p>No connection was opened or closed in this time, and nothing failed or was rejected.</p>\n"
      : """
      <table class="events">
      <thead><tr><th scope="col">what</th><th scope="col">target</th><th scope="col">times</th><th scope="col">first (\(zone))</th>\
      <th scope="col">last (\(zone))</th><th scope="col">last detail</th></tr></thead>
      <tbody>
      \(history.lines.prefix(Self.mostLines).map(row))</tbody>
      </table>

      """
    return """
      <section id="connections">
      <h2>Connections and other events</h2>
      \(notes)\(chart)\(table)\(more)</section>

      """
  }

  private var zone: String { time.zoneWords }

  private var notes: Markup {
    let history = content.connections
    guard !history.notes.isEmpty else { return "" }
    let more: Markup =
      history.furtherNotes > 0
      ? "<p class=\"soft\">\(CountText.text(history.furtherNotes, "more was", plural: "more were")) noted.</p>\n"
      : ""
    return """
      <h3>What people noted (\(zone))</h3>
      <ul>\(history.notes.map { "<li>\(time.moment($0.at, isLong: isLong)) \($0.text)</li>\n" as Markup })</ul>
      \(more)
      """
  }

  private func row(_ line: ConnectionHistory.Line) -> Markup {
    let detail: Markup = line.detail.isEmpty ? "" : " data-name=\"detail\""
    return """
      <tr><th scope="row">\(line.kind.phrase)</th><td data-name="target">\(line.target ?? "all")</td>\
      <td data-name="times">\(FigureText.grouped(line.count))</td>\
      <td data-name="first">\(time.moment(line.first, isLong: isLong))</td><td data-name="last">\(time.moment(line.last, isLong: isLong))</td>\
      <td class="text"\(detail)>\(line.detail.clipped(to: 160))</td></tr>

      """
  }

  /// A row of marks for each kind.
  private var chart: Markup {
    let columns = content.connections.lines
    let kinds = ConnectionHistory.kinds.filter { kind in columns.contains { $0.kind == kind } }
    guard !kinds.isEmpty else { return "" }
    let height = 1 / Double(kinds.count)
    let boxes = kinds.enumerated().map { index, kind -> Chart.Layer in
      let places = columns.filter { $0.kind == kind }.reduce(into: Set<Int>()) { $0.formUnion($1.columns) }
      let low = 1 - (Double(index) + 0.82) * height
      let width = 1 / Double(content.columns.count)
      return Chart.Layer(
        kind.isTrouble ? "event trouble" : "event",
        .boxes(
          places.sorted().map { column in
            let x = (Double(column) + 0.1) * width
            return Chart.Box(x: x...x + width * 0.8, y: low...low + 0.64 * height)
          }))
    }
    let marks = content.connections.notes.map { content.columns.position(of: $0.at) }
    let chart = Chart(
      label: "Events over time", description: "A row of marks for each kind of event, by when they happened.",
      height: 1.7 * Double(kinds.count),
      xTicks: time.ticks(content.columns),
      yTicks: kinds.enumerated().map {
        Chart.Tick(1 - (Double($0.offset) + 0.5) * height, $0.element.phrase)
      },
      layers: (marks.isEmpty ? [] : [Chart.Layer("note", .verticals(marks))]) + boxes)
    return "<figure class=\"wide-labels\">\(chart.markup)</figure>\n"
  }
}

extension EventKind {
  /// The name of the kind in tables.
  fileprivate var phrase: String {
    switch self {
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .goaway: "GOAWAY"
    case .streamLimitChanged: "stream limit"
    case .tokenRefreshed: "token"
    case .retryAfter: "pause"
    case .suspended: "host slept"
    case .clockStep: "clock set"
    case .interrupted: "interrupted"
    default: rawValue
    }
  }

  fileprivate var isTrouble: Bool {
    [.disconnected, .failed, .rejected, .goaway, .retryAfter, .suspended, .clockStep, .interrupted].contains(
      self)
  }
}

extension String {
  /// Its beginning, with an ellipsis where something is left out.
  func clipped(to length: Int) -> String { count > length ? prefix(length - 1) + "…" : self }
}
