import Measurement
import Store

/// What is said of findings that opened or closed: events, lines of the log, and lines for the terminal.
struct FindingNotices {
  private(set) var events: [Event] = []
  private(set) var log: [LogLine] = []
  private(set) var lines: [String] = []

  /// - Parameters:
  ///   - records: what is new or has changed.
  ///   - before: those that are not new as they were, by id.
  ///   - spans: of the runs whose findings are news.
  init(
    _ records: [FindingRecord], before: [String: FindingRecord], spans: some Sequence<WatchedSpan>,
    at now: WallTime
  ) {
    let recorded = Dictionary(
      spans.map { (TargetKey(run: $0.span.run, target: $0.span.name), $0.span.target) },
      uniquingKeysWith: { first, _ in first })
    for record in records {
      guard let target = recorded[TargetKey(run: record.run, target: record.target)] else { continue }
      if record.isDaily || before[record.id]?.isDaily == true {
        // It is usual: a line of the log, once.
        if before[record.id] == nil { log.append(Self.line(Self.text(record, now), target, .info, now)) }
        continue
      }
      guard let old = before[record.id] else {
        // One that was over before it was found is told once.
        add(.findingOpened, record, target, now)
        if !record.isOpen { events.append(Self.event(.findingClosed, record, target, now)) }
        continue
      }
      if old.isOpen && !record.isOpen || record.isWithdrawn && !old.isWithdrawn {
        add(.findingClosed, record, target, now)
      } else if record.isOpen, record.cause != old.cause, record.cause?.isDecided == true {
        // At first there may have been too little to say it.
        addLine(Self.text(record, now), of: record, target, .notice, now)
      }
    }
  }

  private mutating func add(_ kind: EventKind, _ record: FindingRecord, _ target: TargetID, _ now: WallTime) {
    events.append(Self.event(kind, record, target, now))
    addLine(
      Self.text(record, now), of: record, target,
      kind == .findingOpened && record.isOpen ? .warning : .notice, now)
  }

  private static func event(_ kind: EventKind, _ record: FindingRecord, _ target: TargetID, _ now: WallTime)
    -> Event
  {
    Event(at: now, kind: kind, target: target, detail: text(record, now))
  }

  private mutating func addLine(
    _ text: String, of record: FindingRecord, _ target: TargetID, _ level: LogLine.Level, _ now: WallTime
  ) {
    log.append(Self.line(text, target, level, now))
    lines.append(text)
  }

  private static func line(_ text: String, _ target: TargetID, _ level: LogLine.Level, _ now: WallTime)
    -> LogLine
  {
    LogLine(at: now, level: level, target: target, label: "findings", message: text)
  }

  private static func text(_ record: FindingRecord, _ now: WallTime) -> String {
    let sentence = FindingSentence(record, clock: SentenceClock(today: now, isNamed: true))
    return "\(sentence.text) Finding \(record.id)."
  }

  private struct TargetKey: Hashable {
    var run: RunID
    var target: String
  }
}
