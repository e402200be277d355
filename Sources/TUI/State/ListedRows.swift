import Measurement
import Store

/// Lists only the lines of log and events that have all of some words and none of others.
///
/// A word is looked for in every field, in any case. `!word` leaves lines with it out; `level:warning` lists that level and
/// worse, `kind:` looks in an event's kind or a line's component only, `target:` in the target's name only.
struct ListFilter: Sendable, Equatable {
  /// The text as it was typed.
  let text: String
  private let terms: [Term]

  private struct Term: Sendable, Equatable {
    enum Field: Sendable, Equatable {
      case any
      case kind
      case target
      /// This level and worse.
      case level(LogLine.Level)
    }

    let field: Field
    let word: [UInt8]
    let isExcluded: Bool
  }

  /// - Returns: `nil` for no words at all.
  init?(_ text: String) {
    let terms = text.split(separator: " ").compactMap { Self.term(String($0)) }
    if terms.isEmpty { return nil }
    (self.text, self.terms) = (text, terms)
  }

  /// What is wrong with a text; `nil` when nothing is.
  static func problem(in text: String) -> String? {
    text.split(separator: " ").lazy.compactMap { problem(inWord: String($0)) }.first
  }

  /// What is wrong with one of the words, which no line could have.
  private static func problem(inWord text: String) -> String? {
    let word = text.hasPrefix("!") ? String(text.dropFirst()) : text
    if word.isEmpty { return "! stands before a word, as in !debug" }
    let lower = word.lowercased()
    for field in ["level:", "kind:", "target:"] {
      guard let name = lower.suffix(after: field) else { continue }
      if name.hasPrefix("!") { return "! stands before the field, as in !\(field)\(name.dropFirst())" }
      if field == "level:", LogLine.Level(rawValue: name) == nil {
        let levels = LogLine.Level.allCases.map(\.rawValue).joined(separator: ", ")
        return "\(name.isEmpty ? "nothing" : name) is not a level; there are \(levels)"
      }
      if name.isEmpty { return "\(field) needs a word, as in kind:goaway or target:fcm" }
    }
    return nil
  }

  private static func term(_ text: String) -> Term? {
    let isExcluded = text.hasPrefix("!") && text.count > 1
    let word = isExcluded ? String(text.dropFirst()) : text
    func term(_ field: Term.Field, _ word: String) -> Term {
      Term(field: field, word: word.utf8.map(folded), isExcluded: isExcluded)
    }
    let lower = word.lowercased()
    if let level = lower.suffix(after: "level:").flatMap(LogLine.Level.init(rawValue:)) {
      return term(.level(level), "")
    }
    if let kind = lower.suffix(after: "kind:"), !kind.isEmpty { return term(.kind, kind) }
    if let target = lower.suffix(after: "target:"), !target.isEmpty { return term(.target, target) }
    return term(.any, word)
  }

  func matches(_ line: LogLine, target: String = "") -> Bool {
    terms.allSatisfy { term in
      term.isExcluded
        != Self.matches(
          term, fields: [line.level.rawValue, line.label, line.message, target], kind: line.label,
          target: target, level: line.level)
    }
  }

  /// - Parameter target: name of the event's target.
  func matches(_ event: Event, target: String) -> Bool {
    terms.allSatisfy { term in
      term.isExcluded
        != Self.matches(
          term,
          fields: [target, event.kind.rawValue, event.detail, event.sequence.map(String.init) ?? ""],
          kind: event.kind.rawValue, target: target, level: event.kind.level)
    }
  }

  private static func matches(
    _ term: Term, fields: [String], kind: String, target: String, level: LogLine.Level
  ) -> Bool {
    switch term.field {
    case .any: fields.contains { contains(term.word, in: $0) }
    case .kind: contains(term.word, in: kind)
    case .target: contains(term.word, in: target)
    case .level(let least): level.rank >= least.rank
    }
  }

  private static func contains(_ word: [UInt8], in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= word.count else { return false }
      return (0...bytes.count - word.count).contains { start in
        word.indices.allSatisfy { folded(bytes[start + $0]) == word[$0] }
      }
    }
  }

  /// Lower case for ASCII letters; other scripts are compared as they are.
  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension String {
  fileprivate func suffix(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

extension LogLine.Level {
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension EventKind {
  /// The level of a log line that would say as much.
  fileprivate var level: LogLine.Level {
    switch role {
    case .alarm, .lost, .failed: .error
    case .warning, .late, .missed, .rejected, .interrupted: .warning
    default: .info
    }
  }
}

/// How log and events are listed.
struct ListsState: Sendable, Equatable {
  /// What is in view of each.
  var log = ListPosition.end
  var events = ListPosition.end
  /// `nil` lists every line.
  private(set) var filter: ListFilter?
  /// Where the lists were when the filter was entered; empty without one.
  private var unfiltered: [Panel: ListPosition] = [:]
  /// Lines of one kind that follow each other are listed one by one.
  var unfolds = false
  /// All lines are listed, and those with the words of the filter stand out.
  var showsAll = false
  /// `nil` while nothing is looked for.
  var search: ListSearch?

  func position(of panel: Panel) -> ListPosition { panel == .log ? log : events }

  mutating func setPosition(_ position: ListPosition, of panel: Panel) {
    if panel == .log { log = position } else { events = position }
  }

  mutating func follow() {
    (log, events) = (.end, .end)
    unfiltered = [:]
  }

  /// Lists only the lines that pass a filter, at the place where the lists are. Without one every line is listed, and the
  /// lists are where they were before it, unless every line has been listed meanwhile.
  mutating func setFilter(_ filter: ListFilter?) {
    if self.filter == nil { unfiltered = [.log: log, .events: events] }
    if filter == nil {
      if !showsAll { for (panel, position) in unfiltered { setPosition(position, of: panel) } }
      unfiltered = [:]
    }
    (self.filter, showsAll) = (filter, false)
  }

  /// Whether a list has been in the past since before the filter, and has not moved.
  func keepsPlace(_ panel: Panel) -> Bool {
    let position = position(of: panel)
    return position != .end && unfiltered[panel] == position
  }

  /// Ends a search that has not found anything: the list is where it was.
  mutating func endSearch() {
    guard let search else { return }
    self.search = nil
    setPosition(search.origin, of: search.panel)
  }
}

/// A search for the next hit among lines that are still to be read.
struct ListSearch: Sendable, Equatable {
  let panel: Panel
  /// Whether the search goes towards newer lines.
  let isForward: Bool
  /// The line that it began at.
  let from: RecordPlace
  /// Where the list was.
  let origin: ListPosition
  /// The outermost line in memory when more were asked for.
  var reached = RecordPlace.first
}

/// The log lines and events to be listed: those in memory that pass the filter, with floods of one kind as one line.
struct ListedRows: Sendable {
  var log: [ListEntry<LogLine>] = []
  var events: [ListEntry<Event>] = []
  /// The folds by the line that is listed for them.
  private(set) var logFolds: [RecordPlace: Fold] = [:]
  private(set) var eventFolds: [RecordPlace: Fold] = [:]
  /// The lines with the words of the filter, where all are listed; `nil` otherwise.
  private(set) var logHits: Set<RecordPlace>?
  private(set) var eventHits: Set<RecordPlace>?
  /// The runs in the order of the panel.
  private(set) var runs: [RunEntry] = []
  private(set) var targets: [TargetRow] = []
  private(set) var findings: [FindingRow] = []
  private(set) var logExtent = ListExtent()
  private(set) var eventExtent = ListExtent()

  /// Lines that are listed as one, the last of them.
  struct Fold: Sendable, Equatable {
    let count: Int
    let first: RecordPlace
  }

  /// Fewer lines of one kind are listed one by one.
  static let flood = 5

  init() {}

  init(
    _ snapshot: Snapshot, _ lists: ListsState = ListsState(),
    _ tables: TableState = TableState(), runs: [RunEntry] = []
  ) {
    targets = TargetRows.make(snapshot, order: tables.order[.targets])
    findings = FindingRows.make(snapshot.panels.findings, order: tables.order[.findings])
    self.runs = RunRows.make(runs, order: tables.order[.runs])
    let filter = lists.filter
    let isFiltered = filter != nil && !lists.showsAll
    logExtent = ListExtent(snapshot.logList, isFiltered: isFiltered)
    eventExtent = ListExtent(snapshot.eventList, isFiltered: isFiltered)
    (log, events) = (snapshot.log, snapshot.events)
    if let filter {
      let names = Dictionary(
        snapshot.targets.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
      func name(_ target: TargetID?) -> String { target.flatMap { names[$0] } ?? "" }
      let lines = log.filter { filter.matches($0.row, target: name($0.row.target)) }
      let some = events.filter { filter.matches($0.row, target: name($0.row.target)) }
      if lists.showsAll {
        (logHits, eventHits) = (Set(lines.map(\.place)), Set(some.map(\.place)))
      } else {
        (log, events) = (lines, some)
      }
    }
    // What was looked for is listed line by line.
    guard !lists.unfolds, filter == nil else { return }
    (log, logFolds) = Self.folded(log) { $0.isAlike($1) }
    // Each annotation says something else.
    (events, eventFolds) = Self.folded(events) {
      $0.kind == $1.kind && $0.target == $1.target && $0.kind != .annotation
    }
  }

  private static func folded<Row: RecordContent>(
    _ entries: [ListEntry<Row>], alike: (Row, Row) -> Bool
  ) -> ([ListEntry<Row>], [RecordPlace: Fold]) {
    var result: [ListEntry<Row>] = []
    var folds: [RecordPlace: Fold] = [:]
    result.reserveCapacity(entries.count)
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, alike(entries[start].row, entries[end].row) { end += 1 }
      if end - start >= flood {
        let last = entries[end - 1]
        result.append(last)
        folds[last.place] = Fold(count: end - start, first: entries[start].place)
      } else {
        result += entries[start..<end]
      }
      start = end
    }
    return (result, folds)
  }
}

extension LogLine {
  /// Whether two lines say the same but for their numbers.
  fileprivate func isAlike(_ other: LogLine) -> Bool {
    level == other.level && label == other.label && target == other.target
      && Self.shape(message).elementsEqual(Self.shape(other.message))
  }

  /// The bytes without digits, and without what separates them in numbers.
  private static func shape(_ text: String) -> some Sequence<UInt8> {
    text.utf8.lazy.filter { byte in
      !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && byte != UInt8(ascii: ".")
    }
  }
}
