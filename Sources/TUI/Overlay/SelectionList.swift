import ConstraintAnimation
import Measurement
import Store

/// The list of selected notifications.
struct SelectionList: Overlay {
  private var firstRow = 0
  private var chosen = 0

  init() {}

  /// The list with this row chosen and in view.
  init(showing place: Int, in scene: OverlayScene) {
    chosen = place
    move(by: 0, in: scene)
  }

  private func model(in scene: OverlayScene) -> SelectionListModel? {
    scene.state.plot.selection.map {
      SelectionListModel(
        selection: $0, snapshot: scene.context.shown,
        metric: scene.state.metric(in: scene.context.shown), firstRow: firstRow, chosen: chosen,
        appearance: scene.appearance, zone: scene.context.options.zone)
    }
  }

  func size(in scene: OverlayScene) -> CellSize { model(in: scene)?.size(fitting: scene.terminal) ?? (0, 0) }

  func picture(in scene: OverlayScene) -> CellPicture {
    let (width, height) = scene.sheet
    return model(in: scene)?.picture(width: width, height: height)
      ?? CellPicture(width: width, height: height)
  }

  /// Ignores commands that would change what is below.
  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    let height = scene.sheet.height
    switch input.command {
    case .exportSelection: return .stay(.command(.exportSelection))
    case .scroll(let rows): move(by: rows, in: scene)
    case .page(let pages): move(by: pages * max(1, height - 4), in: scene)
    case .halfPage(let halves): move(by: halves * max(1, height / 2 - 2), in: scene)
    case .scrollToStart: move(by: -ViewState.toEnd, in: scene)
    case .scrollToEnd: move(by: ViewState.toEnd, in: scene)
    case .list, .choose: return open(in: scene)
    default: break
    }
    return .stay()
  }

  /// Opens the chosen notification.
  func open(in scene: OverlayScene) -> OverlayReply {
    guard let id = model(in: scene)?.chosenID else { return .show(self) }
    return .show(NotificationSheet(id: id, place: chosen))
  }

  /// Moves the chosen row and keeps it in view.
  private mutating func move(by rows: Int, in scene: OverlayScene) {
    guard let list = model(in: scene) else { return }
    let height = size(in: scene).height
    chosen = min(max(0, chosen + rows), max(0, list.selection.count - 1))
    let room = max(1, list.room(height: height))
    firstRow = min(max(min(firstRow, chosen), chosen - room + 1), list.mostScroll(height: height))
  }

  mutating func scroll(by lines: Int, in scene: OverlayScene) {
    guard let list = model(in: scene) else { return }
    firstRow = min(max(firstRow + lines, 0), list.mostScroll(height: scene.sheet.height))
  }
}

/// The selected notifications as a table, one per row.
struct SelectionListModel {
  let selection: Selection
  let snapshot: Snapshot
  /// The metric on display: the time until shown has the place of delivery where it is that.
  var metric = Metric.delivery
  /// The first row in view.
  let firstRow: Int
  let chosen: Int
  let appearance: Appearance
  let zone: LocalTime

  /// Frame and heading.
  private static let margin = 3

  /// Columns and rows within a terminal of this size.
  func size(fitting terminal: CellSize) -> CellSize {
    (
      min(terminal.width - 4, fixedColumns + targetColumns + 5),
      min(terminal.height - 2, selection.count + Self.margin)
    )
  }

  /// How far it can be scrolled in a sheet of this height.
  func mostScroll(height: Int) -> Int { max(0, selection.count - max(0, height - Self.margin)) }

  /// Rows that fit into a sheet of this height.
  func room(height: Int) -> Int { max(0, height - Self.margin) }

  /// The chosen notification.
  var chosenID: SampleID? { ids(from: chosen, to: chosen + 1).first }

  private var order: [TargetID] { snapshot.tracks.map(\.target) }

  private var targetColumns: Int { min(20, max(6, snapshot.targets.map { $0.name.count }.max() ?? 6)) }

  private static let columns = [
    ("sequence", 9), ("planned", 12), ("state", 11), ("status", 7), ("lag", 9), ("service", 9), ("accept", 9),
    ("delivery", 9), ("error", 9),
  ]

  private var fixedColumns: Int { Self.columns.reduce(0) { $0 + $1.1 + 1 } }

  func picture(width: Int, height: Int) -> CellPicture {
    var picture = CellPicture(width: width, height: height)
    let room = max(0, height - Self.margin)
    let first = min(max(0, firstRow), mostScroll(height: height))
    let last = min(selection.count, first + room)
    let dash = appearance.glyphs.dash
    SheetFrame(
      title: [
        TextSpan("selected \(selection.label)", appearance(.strong)),
        TextSpan(
          "  \(CountText.grouped(first + 1))\(dash)\(CountText.grouped(last)) of \(CountText.grouped(selection.count))",
          appearance(.secondary)),
      ],
      hint: SheetFrame.hint(
        [("Enter", "opens"), ("e", "writes a CSV file"), ("Esc", "closes")], appearance),
      appearance: appearance
    ).draw(&picture)
    picture.lines.append(CellPicture.Line(x: 2, y: 1, spans: heading, end: width - 1))
    for (offset, id) in ids(from: first, to: last).enumerated() {
      var spans = row(id)
      if first + offset == chosen {
        picture.row(0x20, x: 1, y: 2 + offset, count: width - 2, style: appearance.chosen(.plain))
        for index in spans.indices { spans[index].style = appearance.chosen(spans[index].style) }
      }
      picture.lines.append(CellPicture.Line(x: 2, y: 2 + offset, spans: spans, end: width - 1))
    }
    return picture
  }

  private func ids(from first: Int, to last: Int) -> [SampleID] {
    var ids: [SampleID] = []
    var skipped = 0
    for target in order {
      let all = selection.sequences[target] ?? []
      let from = min(max(0, first - skipped), all.count)
      let to = min(max(from, last - skipped), all.count)
      ids += all[from..<to].map { SampleID(target: target, sequence: $0) }
      skipped += all.count
    }
    return ids
  }

  private var heading: [TextSpan] {
    let style = appearance(.secondary)
    let names = Self.columns.map { title, columns in
      let isOther = metric == .shown && title == Metric.delivery.rawValue
      return FittedText.padded(isOther ? Metric.shown.rawValue : title, columns: columns) + " "
    }
    return [TextSpan(names.joined() + " target", style)]
  }

  private func row(_ id: SampleID) -> [TextSpan] {
    let place = snapshot.tracks.firstIndex { $0.target == id.target }
    let name = place.map { snapshot.targets.indices.contains($0) ? snapshot.targets[$0].name : "" } ?? ""
    let target = TextSpan(
      " " + FittedText.truncated(name, columns: targetColumns, ellipsis: appearance.glyphs.ellipsis),
      appearance(.secondary))
    let sequence = TextSpan(cell(0, "\(id.sequence)"), appearance(.strong))
    guard let track = place.map({ snapshot.tracks[$0] }), id.sequence >= track.firstSequence,
      id.sequence < track.endSequence
    else {
      return [sequence, TextSpan(" no longer in memory; the CSV file contains it", appearance(.pending))]
    }
    let point = track[Int(id.sequence - track.firstSequence)]
    let clock = zone.civil(WallTime(microseconds: point.plannedAt))
    let time = "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3))"
    let markClass = MarkClass(point, of: metric) ?? .pending
    let values = [
      point.status.map(String.init), duration(point.scheduleLag), duration(point.value(of: .service)),
      duration(point.acceptLatency), duration(point.value(of: metric == .shown ? .shown : .delivery)),
      point.deliveryError.map { NotificationText.plusMinus(appearance) + LatencyText.text($0) },
    ]
    return [
      sequence, TextSpan(cell(1, time), appearance(.secondary)),
      TextSpan(
        cell(2, markClass == .unseen ? "unseen" : point.state.name),
        appearance(markClass == .good ? .text : Role(markClass))),
    ]
      + values.enumerated().map { place, value in
        // Marks a latency no larger than its error, and the error.
        let isMarked = place >= values.count - 2 && point.isWithinError
        return TextSpan(
          cell(place + 3, value ?? (isMarked ? "no clock" : "")), appearance(isMarked ? .warning : .text))
      } + [
        target
      ]
  }

  private func cell(_ column: Int, _ text: String) -> String {
    FittedText.padded(text, columns: Self.columns[column].1) + " "
  }

  private func duration(_ value: Int64?) -> String? {
    value.map { appearance.isASCII ? LatencyText.text($0).replacingMicro : LatencyText.text($0) }
  }
}

extension String {
  /// The text with `us` for `µs`.
  fileprivate var replacingMicro: String { String(map { $0 == "µ" ? "u" : $0 }) }
}

/// Text of one notification.
enum NotificationText {
  /// `#4711 delivered 1.20 s ±3.1 ms  accept 4.1 ms  14:02:03.123`
  /// - Parameter value: of the key that colors stand for, escaped; empty for none.
  static func spans(
    _ pick: PickedNotification, target: DisplayedTarget?, value: String = "", now: MonotonicTime?,
    zone: LocalTime,
    _ appearance: Appearance
  ) -> [TextSpan] {
    let point = pick.point
    let markClass = MarkClass(point, of: pick.metric) ?? .pending
    let stateRole: Role = markClass == .good ? .text : Role(markClass)
    let isShown = pick.metric == .shown && point.value(of: .shown) != nil
    let name = markClass == .unseen ? "unseen" : isShown ? "shown" : point.state.title
    var spans = [
      TextSpan("#\(pick.sequence) ", appearance(.strong)), TextSpan(name, appearance(stateRole)),
    ]
    if let status = point.status, status >= 300 {
      spans.append(TextSpan(" \(status)", appearance(stateRole)))
    }
    if let value = point.value(of: pick.metric) {
      spans.append(TextSpan(" \(LatencyText.text(value))", appearance(.strong)))
      if pick.metric == .delivery, let error = point.deliveryError {
        spans.append(TextSpan(" \(plusMinus(appearance))\(LatencyText.text(error))", appearance(.secondary)))
      }
      if pick.metric == .delivery, point.isWithinError {
        spans.append(TextSpan(" within its error", appearance(.warning)))
        if let range = point.deliveryRange {
          spans.append(
            TextSpan(" (\(LatencyText.interval(range.low, range.high)))", appearance(.secondary)))
        }
      }
    } else if point.state == .inFlight, let now {
      let age = max(0, now.microseconds - point.plannedMonotonic)
      spans.append(TextSpan(" for \(LatencyText.text(age))", appearance(.strong)))
    }
    for metric in [Metric.accept, .delivery, .shown, .path] where metric != pick.metric {
      if let value = point.value(of: metric) {
        spans.append(TextSpan("  \(metric.rawValue) ", appearance(.secondary)))
        spans.append(TextSpan(LatencyText.text(value), appearance(.text)))
      }
    }
    let clock = zone.civil(WallTime(microseconds: point.plannedAt))
    let time = "\(clock.hoursMinutesSeconds).\(FixedPoint.padded(clock.microsecond / 1000, width: 3))"
    spans.append(TextSpan("  \(time)", appearance(.secondary)))
    if let target {
      let name = FittedText.truncated(target.name, columns: 20, ellipsis: appearance.glyphs.ellipsis)
      spans.append(TextSpan("  \(name)", appearance(.text)))
    }
    if !value.isEmpty {
      let text = FittedText.truncated(value, columns: 20, ellipsis: appearance.glyphs.ellipsis)
      spans.append(TextSpan("  \(text)", appearance(.text)))
    }
    return spans
  }

  static func plusMinus(_ appearance: Appearance) -> String { appearance.isASCII ? "+-" : "±" }
}
