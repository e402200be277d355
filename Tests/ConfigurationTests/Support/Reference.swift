import Foundation
import TestKit

/// The tables of docs/configuration.md, and where their keys stand in a configuration.
enum Reference {
  struct Row {
    var key: String
    var standard: String
    var values: String
  }

  private static let text =
    (try? String(contentsOfFile: Programs.repository + "/docs/configuration.md", encoding: .utf8)) ?? ""

  /// The tables by their headings.
  static let tables: [String: [Row]] = {
    var tables: [String: [Row]] = [:]
    for section in text.components(separatedBy: "\n## ").dropFirst() {
      let lines = section.components(separatedBy: "\n")
      tables[lines[0]] = lines.filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return Row(key: cells[1].filter { $0 != "`" }, standard: cells[2], values: cells[3])
      }
    }
    return tables
  }()

  /// Configurations in which a line can be put where the section's keys are, with the lines that the section needs besides.
  static let places: [String: @Sendable (_ line: String) -> String] = {
    let rest = "targets: [{ name: a, provider: loopback, endpoint: 'https://127.0.0.1:1' }]\n"
    @Sendable func provider(_ name: String, _ line: String) -> String {
      "targets:\n  - name: a\n    provider: \(name)\n    \(line)\n"
    }
    return [
      "top": { $0 + "\n" + rest },
      "collector": { rest + "collector:\n  \($0)\n" },
      "collector.receipts": { rest + "collector:\n  receipts:\n    \($0)\n" },
      "retention": { rest + "retention:\n  \($0)\n" },
      "retention.rollups": { rest + "retention:\n  rollups:\n    \($0)\n" },
      "devices": { rest + "devices:\n  \($0)\n" },
      "dashboard": { rest + "dashboard:\n  \($0)\n" },
      "service": { rest + "service:\n  \($0)\n" },
      "objectives": { rest + "objectives:\n  - name: o\n    target: a\n    \($0)\n" },
      "alerts": { rest + "alerts:\n  \($0)\n" },
      "alerts.webhook": { rest + "alerts:\n  webhook:\n    \($0)\n" },
      "fleet": { rest + "fleet:\n  \($0)\n" },
      "fleet.writer": { rest + "fleet:\n  writer:\n    \($0)\n" },
      "target": { provider("loopback", "endpoint: https://127.0.0.1:1\n    \($0)") },
      "target.schedule": {
        provider("loopback", "endpoint: https://127.0.0.1:1\n    schedule:\n      \($0)")
      },
      "target.backoff": { provider("loopback", "endpoint: https://127.0.0.1:1\n    backoff:\n      \($0)") },
      "apns": { provider("apns", $0) }, "fcm": { provider("fcm", $0) },
      "webpush": { provider("webpush", $0) },
      "ntfy": { provider("ntfy", $0) }, "http": { provider("http", $0) },
      "loopback": { provider("loopback", $0) },
      "apns.credentials": { provider("apns", "credentials:\n      \($0)") },
      "fcm.credentials": { provider("fcm", "credentials:\n      \($0)") },
      "webpush.credentials": { provider("webpush", "credentials:\n      \($0)") },
      "ntfy.credentials": { provider("ntfy", "credentials:\n      \($0)") },
    ]
  }()
}
