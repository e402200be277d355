import Analysis
import ConstraintAnimation
import Measurement
import Store

/// The sheet of a notification of the list.
struct NotificationSheet: DetailSheet {
  let id: SampleID
  /// Its place in the list of selected notifications.
  let place: Int
  var firstLine = 0

  var notification: SampleID? { id }

  func details(in context: ScreenContext) -> DetailModel { context.notification(id).details }

  func picture(in scene: OverlayScene) -> CellPicture {
    scene.context.notification(id).picture(scene.sheet, from: firstLine)
  }

  func clipping(in context: ScreenContext) -> String? { context.notification(id).text }

  /// Leaves for the list that it was opened from.
  func dismiss(in scene: OverlayScene) -> OverlayReply { .show(SelectionList(showing: place, in: scene)) }

  mutating func handle(_ input: OverlayInput, in scene: OverlayScene) -> OverlayReply {
    switch input.command {
    case .copy: return .stay(.command(.copy))
    case .exportSelection: return .stay(.host(.exportSamples([id])))
    case .scroll(let rows): return step(by: rows, in: scene)
    case .nextNotification, .chooseNext: return step(by: 1, in: scene)
    case .previousNotification, .choosePrevious: return step(by: -1, in: scene)
    case .list, .choose: return dismiss(in: scene)
    default:
      turnPages(input.command, in: scene)
      return .stay()
    }
  }

  /// Opens another notification of the list.
  private func step(by rows: Int, in scene: OverlayScene) -> OverlayReply {
    SelectionList(showing: place + rows, in: scene).open(in: scene)
  }
}

/// Everything that is known of one notification: its way as a waterfall, the connection, its receipts, and what happened
/// around it.
struct NotificationDetails {
  let id: SampleID
  /// `nil` until it has been read.
  let record: NotificationRecord?
  let appearance: Appearance
  let zone: LocalTime

  private static let nameColumns = 12
  private static let valueColumns = 20

  /// A step of the way, µs from planned.
  private struct Leg {
    let name: String
    let from: Int64
    let to: Int64
    /// The range in which the end lies, where it is not known exactly.
    var range: DeliveryRange?
    let role: Role
  }

  var details: DetailModel {
    DetailModel(
      title: title, rows: rows, hint: [("Y", "copies"), ("e", "exports"), ("Esc", "closes")], mostColumns: 96,
      nameColumns: Self.nameColumns, appearance: appearance)
  }

  /// - Parameter firstLine: the first line in view, where not all fit.
  func picture(_ sheet: CellSize, from firstLine: Int) -> CellPicture {
    let details = details
    var picture = details.picture(sheet, from: firstLine)
    if let record, sheet.width > 30, sheet.height > 2 {
      drawBars(
        legs(record.sample), from: min(max(firstLine, 0), details.mostScroll(sheet)), in: &picture,
        height: sheet.height)
    }
    return picture
  }

  private var title: [TextSpan] {
    guard let record else { return [TextSpan("#\(id.sequence)", appearance(.strong))] }
    let state = record.sample.state
    let markClass = MarkClass(state) ?? .pending
    let variant = record.variant.isEmpty ? "" : " (\(record.variant))"
    return [
      TextSpan("#\(id.sequence) ", appearance(.strong)),
      TextSpan(state.title, appearance(markClass == .good ? .text : Role(markClass))),
      TextSpan("  \(record.target)\(variant)", appearance(.secondary)),
    ]
  }

  // MARK: - Waterfall

  private func legs(_ sample: Sample) -> [Leg] {
    let sent = sample.scheduleLag ?? 0
    var legs = [Leg(name: "planned", from: 0, to: 0, role: .secondary)]
    if let lag = sample.scheduleLag { legs.append(Leg(name: "sent", from: 0, to: lag, role: .secondary)) }
    if let ack = sample.peerAck {
      legs.append(Leg(name: "acknowledged", from: sent, to: sent + ack, role: .accent))
    }
    let answered = sample.acceptLatency ?? sample.serviceTime.map { sent + $0 }
    if let answered {
      let name = sample.acceptLatency == nil ? "answered" : "accepted"
      legs.append(
        Leg(name: name, from: sent, to: answered, role: sample.acceptLatency == nil ? .rejected : .bar))
    }
    if let delivery = sample.deliveryLatency {
      // A receipt may come before the answer.
      let from = answered.map { $0 <= delivery ? $0 : sent } ?? sent
      let isExact = sample.deliveryError == 0
      legs.append(
        Leg(
          name: "received", from: from, to: delivery, range: isExact ? nil : sample.deliveryRange,
          role: sample.state == .late ? .late : .live))
      if let shown = sample.shownLatency {
        legs.append(
          Leg(
            name: "shown", from: delivery, to: shown,
            range: sample.displayTime.flatMap { sample.deliveryRange?.shown(after: $0) }, role: .accent))
      }
    }
    return legs
  }

  private func value(of leg: Leg) -> String {
    guard leg.to != 0 || leg.from != 0 else { return "" }
    var text = "+\(latency(leg.to))"
    if let range = leg.range { text += " (\(plain(LatencyText.interval(range.low, range.high))))" }
    return text
  }

  /// Bars behind the values, on a scale that ends with the last of them.
  private func drawBars(_ legs: [Leg], from first: Int, in picture: inout CellPicture, height: Int) {
    let longest = legs.map { max($0.to, $0.range?.high ?? 0) }.max() ?? 0
    let values = max(Self.valueColumns, legs.map { value(of: $0).count }.max() ?? 0) + 2
    let start = 2 + Self.nameColumns + 2 + values
    let room = picture.width - start - 2
    guard longest > 0, room >= 8 else { return }
    func column(_ value: Int64) -> Int {
      min(room - 1, max(0, Int(Double(value) / Double(longest) * Double(room - 1))))
    }
    for (row, leg) in legs.dropFirst(first).enumerated() where row + 1 < height - 1 {
      if let range = leg.range {
        for place in column(range.low)...column(range.high) {
          picture.set(
            appearance.glyphs.horizontal, x: start + place, y: row + 1, style: appearance(.secondary))
        }
      }
      let last = leg.range.map { min(column(leg.to), column($0.high)) } ?? column(leg.to)
      for place in column(leg.from)...max(column(leg.from), last) {
        let glyph = leg.to == leg.from ? appearance.glyphs.vertical : appearance.glyphs.bars[8]
        picture.set(glyph, x: start + place, y: row + 1, style: appearance(leg.role))
      }
    }
  }

  // MARK: - Text

  private var rows: [DetailModel.Row] {
    guard let record else {
      return [.heading(appearance.glyphs.reading)]
    }
    let legs = legs(record.sample).enumerated().map { place, leg in
      DetailModel.Row.line(
        leg.name, [TextSpan(value(of: leg), appearance(place == 0 ? .text : .strong))])
    }
    let facts = facts(record).map { DetailModel.Row.field($0.title, $0.text) }
    let events = record.events.enumerated().map { index, event in
      DetailModel.Row.line(
        index == 0 ? "around it" : "",
        [
          TextSpan(FittedText.padded(offset(of: event, record), columns: 9) + " ", appearance(.secondary)),
          TextSpan(event.kind.rawValue, appearance(event.kind.role)),
          TextSpan(event.detail.isEmpty ? "" : " \(event.detail)", appearance(.secondary)),
        ])
    }
    return legs + [.heading("")] + facts + (events.isEmpty ? [] : [.heading("")]) + events
  }

  private func offset(of event: Event, _ record: NotificationRecord) -> String {
    let offset = event.at - record.sample.plannedAt
    return (offset < .zero ? "-" : "+") + latency(offset.magnitude.microseconds)
  }

  private func facts(_ record: NotificationRecord) -> [(title: String, text: String)] {
    let sample = record.sample
    let sentence = NotificationSentence(
      sample, provider: record.provider, receiptDeadline: record.receiptDeadline,
      context: record.receipts.lazy.compactMap(\.context).first)
    var facts = [
      (title: "why", text: plain(sentence.text())),
      (title: "planned", text: time(sample.plannedAt, hasDate: true)),
    ]
    var answer: [String] = []
    if let status = sample.status { answer.append("status \(status)") }
    if let reason = sample.reason, !reason.isEmpty { answer.append(reason) }
    if let version = sample.httpVersion { answer.append("HTTP/\(version.name)") }
    if let source = sample.timestampSource { answer.append("stamped by the \(source.name)") }
    if !answer.isEmpty { facts.append(("answer", answer.joined(separator: ", "))) }
    if sample.attempt > 0 {
      let bytes = sample.payloadBytes.map { ", " + CountText.text($0, "byte") } ?? ""
      facts.append(("attempts", "\(sample.attempt)\(bytes)"))
    }
    if let connection = sentence.connection { facts.append(("connection", plain(connection))) }
    facts += SampleColumn.allCases.compactMap { $0.detail(of: sample) }.map { ($0.title, plain($0.text)) }
    if let deadline = record.receiptDeadline {
      facts.append(("deadline", "receipt within \(latency(deadline.microseconds))"))
    } else {
      facts.append(("deadline", "no receipt is expected"))
    }
    for receipt in record.receipts { facts.append(("device", text(of: receipt))) }
    if sample.duplicates > record.receipts.count(where: \.isDuplicate) {
      facts.append(("receipts", "\(CountText.grouped(sample.duplicates)) more with the same id"))
    }
    if sample.display == .unseen { facts.append(("display", "not shown, as far as the device reports")) }
    if sample.isOutOfOrder { facts.append(("order", "received after a later one")) }
    return facts
  }

  private func text(of receipt: Receipt) -> String {
    var words =
      "\(receipt.device.isEmpty ? "unnamed" : receipt.device), received \(time(receipt.receivedAt)) by its clock"
    if receipt.isSameClock {
      words += ", which is ours"
    } else if let offset = receipt.offset {
      words += ", which is \(latency(abs(offset))) \(offset < 0 ? "behind" : "ahead")"
      if let error = receipt.offsetError {
        words += " \(NotificationText.plusMinus(appearance))\(latency(error))"
      }
    } else {
      words += ", which was never compared with ours"
    }
    words += "; the receipt came \(time(receipt.arrivedAt))"
    if receipt.isDuplicate { words += ", again" }
    if let opened = receipt.stages.openedAt { words += "; opened \(time(opened))" }
    if let stamp = receipt.stages.providerAt { words += "; the provider’s stamp is \(time(stamp))" }
    if let context = receipt.context { words += "; \(context.words)" }
    return words
  }

  private func time(_ time: WallTime, hasDate: Bool = false) -> String {
    let civil = zone.civil(time)
    let clock = "\(civil.hoursMinutesSeconds).\(FixedPoint.padded(civil.microsecond / 1_000, width: 3))"
    return hasDate ? plain("\(civil.date) \(clock) \(zone.name(at: time))") : clock
  }

  private func latency(_ value: Int64) -> String { plain(LatencyText.text(value)) }

  private func plain(_ text: String) -> String { FindingsModel.plain(text, appearance) }

  /// All of it as lines of text, for the clipboard.
  var text: String {
    guard let record else { return "" }
    var lines = [TextSpan.text(of: title)]
    for leg in legs(record.sample) { lines.append("\(leg.name): \(value(of: leg))") }
    for (title, text) in facts(record) { lines.append("\(title): \(text)") }
    for event in record.events {
      lines.append("\(offset(of: event, record)) \(event.kind.rawValue) \(event.detail)")
    }
    return lines.map { EscapedText.make($0) }.joined(separator: "\n") + "\n"
  }
}

extension TextSpan {
  /// The words alone.
  static func text(of spans: [TextSpan]) -> String { spans.map(\.text).joined() }
}
