import Foundation
import Measurement
import Store
import TestKit
import Testing

@testable import Fleet

/// Statements that no engine of the tests can run: clusters and grants.
@Suite struct SchemaTests {
  @Test func replicatedTablesAreDividedByRun() {
    let text = FleetSchema(FleetLayout(database: "pushscope", cluster: "main")).text(writer: "w", reader: "r")
    #expect(text.contains("CREATE DATABASE IF NOT EXISTS `pushscope` ON CLUSTER 'main';"))
    #expect(
      text.contains(
        """
        ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/pushscope/sample', '{replica}', revision)
        PARTITION BY toYYYYMM(planned_at)
        ORDER BY (collector, run, target, sequence)
        """))
    #expect(
      text.contains(
        """
        CREATE TABLE IF NOT EXISTS `pushscope`.sample ON CLUSTER 'main' AS `pushscope`.sample_local
        ENGINE = Distributed('main', 'pushscope', 'sample_local', cityHash64(toString(collector), toString(run)));
        """))
    #expect(text.contains("'/clickhouse/tables/all/pushscope/schema_version', '{shard}_{replica}'"))
    #expect(text.contains("GLOBAL NOT IN"))
  }

  @Test func theWriterMayInsertAndReadKeysOnly() {
    let schema = FleetSchema(FleetLayout(database: "pushscope"))
    let grants = schema.grants(writer: "w", reader: "r")
    let tables = ["run", "target", "sample", "receipt", "event", "log", "path", "finding", "tombstone"]
    #expect(Set(tables) == Set(ForwardedTable.allCases.map(\.rawValue)))
    func expected(_ tables: [String], _ words: String) -> Set<String> {
      var lines: Set<String> = []
      for table in tables {
        lines.insert("GRANT \(words)INSERT ON `pushscope`.\(table) TO `w`")
        lines.insert("GRANT \(words)SELECT(collector, run, revision) ON `pushscope`.\(table) TO `w`")
      }
      lines.insert("GRANT \(words)SELECT ON `pushscope`.schema_version TO `w`")
      lines.insert("GRANT \(words)SELECT ON `pushscope`.* TO `r`")
      return lines
    }
    #expect(Set(grants) == expected(tables, ""))
    let wide = FleetSchema(FleetLayout(database: "pushscope", cluster: "main")).grants(
      writer: "w", reader: "r")
    #expect(Set(wide) == expected(tables + tables.map { $0 + "_local" }, "ON CLUSTER 'main' "))
    let hash = String(repeating: "a", count: 64)
    #expect(
      schema.user("r", passwordHash: hash, isReader: true)
        == "CREATE USER IF NOT EXISTS `r` IDENTIFIED WITH sha256_hash BY '\(hash)' SETTINGS readonly = 2")
  }

  @Test func namesAndTextsAreQuoted() {
    #expect(EngineText.quoted("a'b\\c\n") == #"'a\'b\\c\n'"#)
    #expect(EngineText.identifier("push`scope") == "`push\\`scope`")
    #expect(TabSeparated.rows(Array("a\\tb\\\\\tc\\n\\'\n\t\n".utf8)) == [["a\tb\\", "c\n'"], ["", ""]])
  }

  /// What is repeated by each setup reads no rows.
  @Test func onlyDefinitionsAreRepeated() {
    let repeated = FleetSchema(FleetLayout(database: "pushscope")).migrations.flatMap(\.definitions)
    #expect(repeated.count > ForwardedTable.allCases.count)
    #expect(repeated.allSatisfy { $0.contains("IF NOT EXISTS") && !$0.contains("MATERIALIZE INDEX") })
  }

  /// Commands that end at once say so, too.
  @Test func aBusyEngineIsToBeAskedAgain() {
    let error = FleetError(status: 503, exception: nil, body: [], place: "https://e")
    #expect("\(error)".contains("try again") && !"\(error)".contains("it is tried again"))
  }

  @Test func theSameErrorIsLoggedOnce() {
    var logged = LoggedError()
    let errors = [503, 503, 429, 503].map {
      FleetError(.busy, place: "http://127.0.0.1:1", detail: "HTTP \($0)")
    }
    let isNew = errors.map { logged.isNew($0) }
    #expect(isNew == [true, false, true, true])
  }

  /// Codes of https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp.
  @Test(
    arguments: [
      (500, 252, FleetError.Code.busy), (503, nil, .busy), (429, nil, .busy), (500, 243, .busy),
      (500, 75, .busy),
      (404, 60, .noSchema),
      (404, 81, .noSchema), (403, 516, .denied), (500, 497, .denied), (500, 62, .refused),
      (400, nil, .refused),
    ] as [(Int, Int?, FleetError.Code)])
  func whatTheEngineSaysNoTo(status: Int, exception: Int?, code: FleetError.Code) {
    let body = Array("Code: 1. \u{1B}[2J\u{202E}no\nmore".utf8)
    let error = FleetError(status: status, exception: exception, body: body, place: "https://e")
    #expect(error.code == code)
    #expect(
      !"\(error)".contains("\u{1B}") && !"\(error)".contains("\u{202E}") && !"\(error)".contains("more"))
  }
}
