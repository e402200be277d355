import Foundation

/// Statements of a fleet's schema for ClickHouse 18.16, Debian's, which is not supported: tests and benchmarks have real servers and
/// clusters of it, without views, users and types that are newer. Rows have the same
/// bytes in the types that stand in; labels only where there are none.
public enum OldEngine {
  /// - Returns: `nil` for what that version does not know.
  public static func statement(for statement: String) -> String? {
    guard !statement.hasPrefix("CREATE OR REPLACE VIEW"), !statement.hasPrefix("ALTER TABLE") else {
      return nil
    }
    if statement.contains("schema_version") {
      return statement.replacingOccurrences(of: "DateTime64(6, 'UTC')", with: "String")
    }
    var text = statement.replacingOccurrences(
      of: "PARTITION BY toYYYYMM\\((.*)\\)", with: "PARTITION BY toYYYYMM(toDateTime(intDiv($1, 1000000)))",
      options: .regularExpression)
    text = text.replacingOccurrences(of: " CODEC\\(.*\\)", with: "", options: .regularExpression)
    for (type, former) in [
      ("Map(LowCardinality(String), String)", "String"),
      ("DateTime64(6, 'UTC')", "Int64"), ("LowCardinality(Nullable(String))", "Nullable(String)"),
      ("LowCardinality(String)", "String"), ("Bool", "UInt8"),
    ] {
      text = text.replacingOccurrences(of: type, with: former)
    }
    return text
  }
}
