import Foundation
import GRDB
import StoreTestKit
import TestKit
import Testing

@testable import Store

/// docs/store.md promises tables and shows queries: both are held against a real store.
@Suite struct DocumentationTests {
  private static let text: String = {
    let root = URL(fileURLWithPath: Programs.repository)
    return (try? String(contentsOf: root.appendingPathComponent("docs/store.md"), encoding: .utf8)) ?? ""
  }()

  /// The statements in fenced blocks that are not shell commands.
  private static var statements: [String] {
    let blocks = text.components(separatedBy: "```\n").enumerated().filter { $0.offset % 2 == 1 }
    return blocks.map(\.element).filter { !$0.hasPrefix("sqlite3") }
      .flatMap { $0.components(separatedBy: ";") }
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
  }

  @Test func everyQueryRuns() throws {
    let fixture = try StoreFixture()
    let plans = fixture.plans(fixture.alpha, count: 3)
    try fixture.commit(inserted: plans)
    #expect(Self.statements.count >= 6)
    for sql in Self.statements {
      try fixture.store.queue.read { db in
        let arguments: StatementArguments = sql.contains(":cursor") ? ["cursor": 0] : []
        _ = try Row.fetchAll(db, sql: sql, arguments: arguments)
      }
    }
  }

  @Test func everyTableIsDescribed() throws {
    let fixture = try StoreFixture()
    let tables = try fixture.store.queue.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    }
    #expect(tables.count >= 16)
    for table in tables { #expect(Self.text.contains("\n| `\(table)` | "), "\(table)") }
  }
}
