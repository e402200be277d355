import FoundationEssentials
import GRDB
import Measurement

/// What a person notes about a moment, like "deploy 412": an event of kind `annotation`.
public struct Annotation: Sendable, Hashable {
  public let at: WallTime
  public let text: String
  /// `nil`: of no run.
  public let run: RunID?
  /// The name of a target of the run; `nil` for all.
  public let target: String?

  /// The longest text, in bytes of UTF-8.
  public static let longestText = 500

  /// - Returns: `nil` for a text that is blank or too long, and for a target without a run.
  public init?(_ text: String, at time: WallTime, run: RunID? = nil, target: String? = nil) {
    guard !text.allSatisfy(\.isWhitespace), text.utf8.count <= Self.longestText, target == nil || run != nil
    else { return nil }
    at = time
    self.text = text
    self.run = run
    self.target = target
  }
}

extension Annotation {
  /// The `name` of its row in the table `control`, whose other columns have no room for it.
  private struct Row: Codable {
    var at: String
    var text: String
    var target: String?
  }

  /// Parses a row; `nil` if it is invalid.
  init?(row: String, run: RunID?) {
    guard row.utf8.count <= 16 * Self.longestText,
      let fields = try? JSONDecoder().decode(Row.self, from: Data(row.utf8)),
      let time = WallTime(rfc3339: fields.at)
    else { return nil }
    self.init(fields.text, at: time, run: run, target: fields.target)
  }

  var row: String { JSONText.make(Row(at: at.rfc3339, text: text, target: target)) }
}

extension CollectorStore {
  /// Writes an annotation.
  /// - Throws: ``StoreError``: `unknownRun`, `unknownTarget`.
  public func annotate(_ annotation: Annotation) throws {
    try transaction { db, state in
      let run = try annotation.run.map { run in
        let row = try Int64.fetchOne(
          db, sql: "SELECT id FROM run WHERE uuid = ? AND id NOT IN (SELECT run_id FROM deletion)",
          arguments: [run.description])
        guard let row else { throw StoreError.unknownRun(run.description, path: path) }
        return row
      }
      let target = try annotation.target.map { name in
        let row = try Int64.fetchOne(
          db, sql: "SELECT id FROM target WHERE run_id = ? AND name = ?", arguments: [run, name])
        guard let row else { throw StoreError.unknownTarget(name, path: path) }
        return TargetID(rawValue: row)
      }
      let event = Event(at: annotation.at, kind: .annotation, target: target, detail: annotation.text)
      try RecordWriter(db).insert([event], revision: &state.revision) { _ in run }
    }
  }
}
