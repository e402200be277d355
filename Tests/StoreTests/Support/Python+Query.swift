import Foundation
import TestKit

extension Python {
  /// The rows of a query, read by Python's sqlite3; each value as text, NULL as nil.
  static func query(_ sql: String, of store: String) throws -> [[String?]] {
    let rows = try run(
      """
      import json, sqlite3, sys
      connection = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
      rows = [[None if v is None else str(v) for v in row] for row in connection.execute(sys.argv[2])]
      json.dump(rows, sys.stdout)
      """, arguments: [store, sql])
    return try JSONDecoder().decode([[String?]].self, from: Data(rows.utf8))
  }
}
