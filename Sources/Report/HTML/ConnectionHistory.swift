import Measurement
import Store

/// What happened to connections, credentials and clocks, why notifications failed or were rejected, and what people noted:
/// counts by kind, and the moments that a chart can tell apart.
struct ConnectionHistory: Sendable {
  /// Events of one kind and target.
  struct Line: Sendable {
    let kind: EventKind
    /// `nil` for the run as a whole.
    let target: String?
    fileprivate(set) var count = 0
    fileprivate(set) var first: WallTime
    fileprivate(set) var last: WallTime
    /// The detail of the last one.
    fileprivate(set) var detail = ""
    /// The columns of the charts that have one.
    fileprivate(set) var columns: Set<Int> = []
  }

  struct Note: Sendable {
    let at: WallTime
    let text: String
  }

  /// The lines in the order of ``kinds``, then by target.
  let lines: [Line]
  /// What people noted, oldest first.
  let notes: [Note]
  /// Notes beyond the most that are kept.
  let furtherNotes: Int

  /// The kinds that tell it, in the order of the table.
  static let kinds: [EventKind] = [
    .connected, .disconnected, .failed, .rejected, .goaway, .streamLimitChanged, .tokenRefreshed, .retryAfter,
    .suspended, .clockStep, .interrupted,
  ]
  private static let mostNotes = 40
  private static let mostLines = 500

  init(_ reader: StoreReader, _ selection: RowSelection, runs: Set<RunID>, columns: TimeColumns) throws {
    struct Key: Hashable {
      let kind: EventKind
      let target: String?
    }
    var lines: [Key: Line] = [:]
    var notes: [Note] = []
    var furtherNotes = 0
    // Events of a run as a whole belong to each of its targets.
    var all = selection
    all.targets = nil
    try reader.forEachEvent(all) { record in
      guard record.run.map(runs.contains) ?? true else { return }
      let event = record.event
      guard let column = columns.index(of: event.at) else { return }
      if event.kind == .annotation {
        if notes.count < Self.mostNotes {
          notes.append(Note(at: event.at, text: event.detail))
        } else {
          furtherNotes += 1
        }
        return
      }
      guard Self.kinds.contains(event.kind) else { return }
      if let names = selection.targets, let name = record.targetName, !names.contains(name) { return }
      let key = Key(kind: event.kind, target: record.targetName)
      guard lines[key] != nil || lines.count < Self.mostLines else { return }
      var line =
        lines[key] ?? Line(kind: event.kind, target: record.targetName, first: event.at, last: event.at)
      line.count += event.count
      line.first = min(line.first, event.at)
      line.last = max(line.last, event.at)
      line.detail = event.detail
      line.columns.insert(column)
      lines[key] = line
    }
    self.lines = lines.values.sorted {
      let (a, b) = (Self.kinds.firstIndex(of: $0.kind) ?? 0, Self.kinds.firstIndex(of: $1.kind) ?? 0)
      return (a, $0.target ?? "") < (b, $1.target ?? "")
    }
    self.notes = notes.sorted { $0.at < $1.at }
    self.furtherNotes = furtherNotes
  }
}
